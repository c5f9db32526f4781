"""Predict the texts of a suite and count the violations, without a comparison."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from heapq import merge
from itertools import chain

from msgspec import UNSET
from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.base.figures import count, percent
from mt_gate.baselines.outputs import originals_of, output_of
from mt_gate.baselines.schema import Baseline
from mt_gate.domain import LABELS, Verdict, metamorphic
from mt_gate.judging.clustered import count_strata
from mt_gate.judging.comparison import RunFacts, compare
from mt_gate.judging.family import LOOKS, look_of, share_predicted
from mt_gate.judging.verdicts import restrict_to, verdicts_from_rows
from mt_gate.relations.base import Context, MetamorphicRelation, is_known_answer
from mt_gate.relations.stated import IsNot
from mt_gate.results import rules
from mt_gate.results.result import (
    FORMAT,
    TOOL,
    EarlyStop,
    GateVerdict,
    GroupRow,
    Overall,
    Profiles,
    RelationResult,
    RelationWords,
    Result,
    RunSettings,
    SliceResult,
    Timing,
    is_loss,
)
from mt_gate.results.store import RowHead, RowLines, Run, as_rows, chosen, heads
from mt_gate.running.entity_kinds import check_kinds
from mt_gate.running.evaluation import evaluate, rows_of, sources_predicted
from mt_gate.running.judge import endpoint_notes, run_notes
from mt_gate.running.labels import predict_labelled
from mt_gate.running.operating import check_named, needs_of
from mt_gate.running.predicting import Cache, Clock, Predictor, Progress
from mt_gate.running.preparing import Prepared, run_settings
from mt_gate.settings.values import in_text
from mt_gate.suites.format import Suite, SuiteFile, masked_of
from mt_gate.suites.quick import part_of
from mt_gate.sut.protocol import FLIPS, Noise, largest_noise
from mt_gate.tasks.table import TASKS

_WORDS = RelationWords.__struct_fields__
LABELS_SAY = "Gets {n} of {total} labelled examples right"


def count_all(
    relations: Sequence[str], rows: Iterable[GroupRow], head: SuiteFile | None = None
) -> tuple[RelationResult, ...]:
    """Count every relation, in this order, and each subtype and slice of it.

    If the ``head`` of a suite is passed, the counts include the texts and the reviewed precision
    that it has for its relations.
    """
    stated = {relation.id: relation for relation in head.relations} if head else {}
    verdicts: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    errors: defaultdict[str, Counter[str]] = defaultdict(Counter)
    strata: defaultdict[str, list[tuple[str, str, Verdict]]] = defaultdict(list)
    slices: defaultdict[str, defaultdict[str, Counter[Verdict]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    unstable: Counter[str] = Counter()
    for row in rows:
        name = row.relation
        verdicts[name][row.verdict] += 1
        unstable[name] += row.unstable
        errors[name].update(error.category.value for error in row.errors)
        if row.stratum:
            strata[name].append((row.stratum, row.cluster_key, row.verdict))
        for part in row.slices:
            slices[name][part][row.verdict] += 1
        if row.verdict is Verdict.NOT_APPLICABLE:
            reasons[name][row.reason] += 1
    results = []
    for name in relations:
        violated = verdicts[name][Verdict.VIOLATED]
        applicable = violated + verdicts[name][Verdict.SATISFIED]
        parts = tuple(
            SliceResult(
                name=part,
                groups=counts.total(),
                applicable=counts[Verdict.VIOLATED] + counts[Verdict.SATISFIED],
                violated=counts[Verdict.VIOLATED],
            )
            for part, counts in sorted(slices[name].items())
        )
        own, words = stated.get(name), None
        if own is not None and own.output is not None:
            words = RelationWords(**{field: getattr(own, field) for field in _WORDS})
        results.append(
            RelationResult(
                id=name,
                precision=own.precision if own else None,
                words=words,
                says=own.says if own else LABELS_SAY if head else "",
                groups=verdicts[name].total(),
                applicable=applicable,
                violated=violated,
                violation_rate=violated / applicable if applicable else None,
                not_applicable=dict(sorted(reasons[name].items())),
                unstable=unstable[name],
                errors=dict(sorted(errors[name].items())),
                strata=count_strata(strata[name]) if name in strata else {},
                slices=parts,
            )
        )
    return tuple(results)


def overall(relations: Sequence[RelationResult]) -> Overall:
    """Sum up all relations; include known answers and labels only if there are no others."""
    together = metamorphic(relation.id for relation in relations)
    counted = [relation for relation in relations if relation.id in together]
    applicable = sum(relation.applicable for relation in counted)
    violated = sum(relation.violated for relation in counted)
    errors: Counter[str] = Counter()
    for relation in relations:
        errors.update(relation.errors)
    return Overall(
        applicable=applicable,
        violated=violated,
        violation_rate=violated / applicable if applicable else None,
        errors=dict(sorted(errors.items())),
    )


def measure(prepared: Prepared, progress: Progress, clock: Clock) -> Run:
    """Predict the suite, and count violated cases.

    Labelled inputs use a separate predictor, so that counts of predictions cover only the suite.
    With a baseline and early stop, predict only as much as is needed.
    """
    settings, suite, relations, baseline, system, context, folder, _ = prepared
    task = TASKS[settings.task]
    early = None
    with closing(Cache(folder, system.cache_key)) as cache:
        of_labels = Predictor(system, cache, progress, clock.phase)
        labelled = prepared.labels and predict_labelled(prepared.labels, settings.task, of_labels)
        predictor = Predictor(system, cache, progress, clock.phase)
        with clock.phase("judge"):
            if baseline is None or not settings.early_stop:
                suite_rows, noise = evaluate(suite, relations, predictor, context)
            else:
                predicted = sources_predicted(suite, relations)
                noise = predictor.noise([source.input for source in predicted])
                of_run = run_settings(settings, suite, [one.id for one in relations], noise)
                judged_by = rules.with_allowed_flips(of_run, baseline.settings)
                decided = partial(is_decided, baseline, judged_by)
                suite_rows, early = ask_in_parts(
                    suite, relations, predictor, noise, context, decided
                )
            own = labelled.rows(largest_noise(noise)) if labelled else ()
            rows = as_rows(chain(suite_rows, own))
    if task.label_map:
        recorded = baseline and baseline.runs[0].checkpoint.reading
        if recorded != system.head.reading:  # the baseline's label map was checked when recorded
            needs = needs_of(suite.head, {relation.id for relation in relations})
            check_named(system.head, needs, predictor.outputs())
            check_label_sense(rows, suite.head, settings.label_map)
    elif context.kinds:
        check_kinds(rows, suite.head.name, settings.label_map)
    ids = [
        *(relation.id for relation in relations),
        *([f"{settings.task}/{LABELS}"] if labelled else []),
    ]
    counted = count_all(ids, rows, suite.head)
    outputs = (row.source_output for row in originals_of(rows) if row.source_output is not UNSET)
    result = Result(
        format=FORMAT,
        tool=TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        suite=suite.identity,
        checkpoint=system.head,
        settings=run_settings(settings, suite, ids, noise),
        relations=tuple(replace(i, tier=settings.policy.tier(i.id)) for i in counted),
        overall=overall(counted),
        profile=Profiles(candidate=task.profile(map(output_of, map(bytes, outputs)))),
        timing=Timing(),
        predictions=predictor.counts,
        notes=(
            *run_notes(suite.identity, system.head, counted),
            *(endpoint_notes(system.head, predictor.counts, noise) if FLIPS in noise else ()),
        ),
        noise=noise,
        labelled=labelled.wrong() if labelled else None,
        masked=masked_of(suite.head) if settings.mask_offensive else (),
        early=early,
    )
    return Run(result, rows)


def ask_in_parts(
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    predictor: Predictor,
    noise: Noise,
    context: Context,
    is_decided: Callable[[Iterable[RowHead | GroupRow], int], bool],
) -> tuple[Iterator[GroupRow], EarlyStop]:
    """Predict one part of the clusters after another, until the rows so far decide the verdict.

    Return the rows in suite order, and how far the run went.
    """
    predicted = sources_predicted(suite, relations)
    parts: list[RowLines] = []
    for look in range(1, LOOKS + 1):

        def is_at(cluster: str, look: int = look) -> bool:
            return look_of(cluster) == look

        part = part_of(suite, is_at)
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

    return merge(*parts, key=key), early


def is_decided(
    baseline: Baseline, settings: RunSettings, rows: Iterable[RowHead | GroupRow], look: int
) -> bool:
    """Return whether a regression is certain, or unlikely to be found in the other clusters."""
    verdicts = verdicts_from_rows(rows)
    before = restrict_to([run.verdicts() for run in baseline.runs], verdicts)
    judged_by = rules.at_part(settings, share_predicted(look))
    outcome = compare(verdicts, before, judged_by, RunFacts(look=look))
    return is_loss(outcome.verdict) or not outcome.can_still_lose


LEAST = 20
"""Minimum texts with a label, and without it, for a check of the label map."""
FEW = 0.25
"""Maximum share of a label's texts that are predicted as the label, to reject the map."""
MOST = 0.5
"""Minimum share of a label's texts that are predicted as other labels, within the limits below."""
SOME = 0.2
"""Minimum share that is predicted as each of these other labels."""
MORE_OFTEN = 1.1
"""Minimum ratio of that share to the share among other texts; 1 if all texts get one label."""


def check_label_sense(
    rows: RowLines, head: SuiteFile, label_map: Mapping[str, tuple[str, ...]]
) -> None:
    """Reject a label map if texts of a known label are mostly predicted as other labels.

    These labels must be more frequent among these texts than among others: a system that confuses
    labels predicts them for all texts alike. Labels matched by name are not checked: the system may
    confuse two labels. Raises CannotJudge: another map probably fits the suite.
    """
    ruled_out = {
        relation.id: relation.output.labels
        for relation in head.relations
        if isinstance(relation.output, IsNot)
    }

    def is_telling(row: RowHead | GroupRow) -> bool:
        judged = row.verdict is not Verdict.NOT_APPLICABLE
        return row.relation in ruled_out or (judged and is_known_answer(row.relation))

    known: list[tuple[frozenset[str], tuple[str, ...]]] = []
    without: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in chosen(rows, is_telling):
        if row.follow_up_output is None:
            continue
        predicted = tuple(row.follow_up_output["labels"])
        if is_known_answer(row.relation):
            expected = row.unmatched["expected"] if row.unmatched else predicted
            known.append((frozenset(expected), predicted))
        else:
            for label in ruled_out[row.relation]:
                without[label].append(predicted)
    for label in sorted({label for right, _ in known for label in right}):
        if label in label_map.get(label, (label,)):
            continue
        having = [predicted for right, predicted in known if label in right]
        other = [predicted for right, predicted in known if label not in right] + without[label]
        if len(having) < LEAST or len(other) < LEAST:
            continue
        share = {n: k / len(having) for n, k in Counter(chain.from_iterable(having)).items()}
        rest = {n: k / len(other) for n, k in Counter(chain.from_iterable(other)).items()}
        right = share.get(label, 0.0)
        if right > max(FEW, rest.get(label, 0.0)):
            continue
        meant = [
            name
            for name, part in share.items()
            if name != label and part >= max(SOME, MORE_OFTEN * rest.get(name, 0.0))
        ]
        called = sum(share[name] for name in meant)
        if called >= MOST:
            own = tuple(sorted(name.removesuffix(" (own)") for name in meant))
            likely = in_text({**label_map, label: own})
            raise CannotJudge(
                f"Suite {head.name}: of {count(len(having))} texts with label {quoted(label, 60)}, "
                f"the model predicts {percent(right)} right, and {percent(called)} as "
                f"{quoted(', '.join(own), 120)}. The label map is probably wrong. Try "
                f"--label-map {quoted(likely, 300)}"
            )
