"""A run that ends once its verdict is certain enough: predicted part by part, judged after each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from heapq import merge
from itertools import chain

from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge, UsageError, page
from mt_gate.base.figures import counted
from mt_gate.baselines.schema import Baseline
from mt_gate.judging.comparison import RunFacts, compare
from mt_gate.judging.family import LOOKS, look_of, share_predicted
from mt_gate.judging.verdicts import restrict_to, verdicts_from_rows
from mt_gate.relations.base import Context, MetamorphicRelation
from mt_gate.results import rules
from mt_gate.results.result import EarlyStop, GateVerdict, GroupRow, Result, RunSettings, is_loss
from mt_gate.results.store import RowHead, RowLines, as_rows, heads
from mt_gate.running.evaluation import noise_of, rows_of, sources_predicted
from mt_gate.running.predicting import Predictor
from mt_gate.settings.record import SETTINGS, Settings, dashed
from mt_gate.suites.format import Suite
from mt_gate.suites.quick import part_of
from mt_gate.sut.protocol import Noise

_OF_THE_WHOLE = (
    "strict",
    "max_violation_rate",
    "must_hold",
    "required",
    "max_churn",
    "max_negative_flips",
    "policy",
)
"""Settings that say something of a whole run, and nothing of a part of it."""


WENT_ON = (
    f"Early stopping was possible but did not happen. {LOOKS} interim analyses shared alpha: "
    f"{page('decisions', 'early-stop')}"
)


def check_early_stop(settings: Settings) -> None:
    """Reject what needs a whole run in a run that may stop early. Raises UsageError."""
    if not settings.early_stop:
        return
    if settings.against:
        raise UsageError(
            "--early-stop does not work with --against or qualify. Omit it (also in mt-gate.toml)."
        )
    for name in of_the_whole(settings):
        raise UsageError(
            f"--early-stop does not work with {dashed(name)}, which needs the whole suite. Omit "
            "one of them."
        )


def of_the_whole(settings: Settings | RunSettings) -> list[str]:
    """Return the settings that are set and say something of a whole run alone."""
    return [name for name in _OF_THE_WHOLE if getattr(settings, name) != SETTINGS[name].default]


def ask_in_parts(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    context: Context,
    is_decided: Callable[[Iterable[RowHead | GroupRow], int], bool],
) -> tuple[Iterator[GroupRow], Noise, EarlyStop]:
    """Predict one part of the clusters after another, until all rows so far decide the verdict.

    Returns the rows in suite order, the noise, and how far the run went.
    """
    predicted = sources_predicted(suite, relations)
    noise = noise_of(predicted, predictor)
    parts: list[RowLines] = []
    for look in range(1, LOOKS + 1):
        part = part_of(suite, partial(_is_at, look))
        parts.append(as_rows(rows_of(part, relations, predictor, noise, context)))
        if look == LOOKS or is_decided(chain.from_iterable(map(heads, parts)), look):
            break
    wanted = {relation.id for relation in relations}
    first = {group.source for group in suite.groups if group.relation in wanted}
    clusters = {
        source.cluster or source.id
        for source in predicted
        if source.id in first or wanted.intersection(source.bind)
    }
    early = EarlyStop(
        look=look,
        looks=LOOKS,
        asked=sum(look_of(cluster) <= look for cluster in clusters),
        clusters=len(clusters),
    )
    place = {relation.id: i for i, relation in enumerate(relations)}
    groups = {group.id: i for i, group in enumerate(suite.groups)}
    sources = {source.id: i for i, source in enumerate(suite.sources)}

    def key(row: GroupRow) -> tuple[int, int]:
        return place[row.relation], sources[row.source_id] if row.bound else groups[row.id]

    return merge(*parts, key=key), noise, early


def _is_at(look: int, cluster: str) -> bool:
    return look_of(cluster) == look


def is_decided(
    baseline: Baseline, settings: RunSettings, rows: Iterable[RowHead | GroupRow], look: int
) -> bool:
    """Return whether a loss is certain, or none is likely to be found in what is left."""
    verdicts = verdicts_from_rows(rows)
    before = restrict_to(baseline.verdicts(), verdicts)
    outcome = compare(verdicts, before, at_look(settings, look), RunFacts(look=look))
    return is_loss(outcome.verdict) or not outcome.can_still_lose


def at_look(settings: RunSettings, look: int) -> RunSettings:
    """Return what a run is judged by at a look."""
    return rules.at_part(settings, share_predicted(look))


def check_part(result: Result) -> None:
    """Check that a run that could stop early may be judged as its result says."""
    early = result.early
    if early is None:
        return
    if early.looks != LOOKS:
        raise CannotJudge(
            f"The result was judged at interim analysis {early.look} of {early.looks}, but this "
            f"release has {LOOKS}. Run it again."
        )
    for name in of_the_whole(result.settings) if early.stopped else ():
        raise UsageError(
            f"{dashed(name)} needs the whole suite, but this run stopped early. Run it again "
            "without --early-stop."
        )


def with_why(early: EarlyStop | None, verdict: GateVerdict) -> EarlyStop | None:
    """Return how far a run went with why it stopped, by the verdict that it stopped at.

    A run that is judged again keeps the first one: by other settings it may not have stopped.
    """
    if early is None or not early.stopped or early.loss is not None:
        return early
    return replace(early, loss=is_loss(verdict))


def stopped_reason(early: EarlyStop | None) -> tuple[str, ...]:
    """Return why a run stopped early and how much of it was run, if it did."""
    if early is None or not early.stopped:
        return ()
    # Of then: judged again, the same run may be called otherwise.
    why = (
        "a regression was certain"
        if early.loss
        else "a regression was unlikely to be found in the rest"
    )
    of = f"{early.asked:,} of {counted(early.clusters, 'cluster')} of source texts"
    return (
        f"Stopped early because {why}: {of} were run (interim analysis {early.look} of "
        f"{early.looks}). Counts, rates and intervals cover these only.",
    )
