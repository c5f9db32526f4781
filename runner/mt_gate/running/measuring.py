"""Predicting the texts of a suite, and counting the violations; nothing is compared yet."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from mt_gate.baselines.row_outputs import (
    original_outputs,
)
from mt_gate.domain import Verdict, metamorphic
from mt_gate.judging import rates
from mt_gate.relations.known_answer import labels_id
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
    SliceResult,
    Timing,
)
from mt_gate.results.rows import RowHead, Run, as_rows
from mt_gate.running import evaluation
from mt_gate.running.clock import Clock
from mt_gate.running.early_stop import (
    ask_in_parts,
    is_decided,
)
from mt_gate.running.label_sense import check_label_sense
from mt_gate.running.labels import predict_labelled
from mt_gate.running.notes import run_notes
from mt_gate.running.operating import check_named, needs_of
from mt_gate.running.predicting import Cache, Predictor, Progress
from mt_gate.running.preparing import Prepared, run_settings
from mt_gate.suites.format import Suite, SuiteRelation, masked_of
from mt_gate.sut.noise import largest
from mt_gate.sut.protocol import Noise
from mt_gate.tasks.table import TASKS

LABELS_SAY = "Gets {n} of {total} labelled examples right"


class RunCounts:
    """The counts of each relation of a run, and of each kind of edit, row by row."""

    def __init__(self) -> None:
        """Start with nothing counted."""
        self._found: defaultdict[str, _Counts] = defaultdict(_Counts)

    def watched(self, rows: Iterable[GroupRow]) -> Iterator[GroupRow]:
        """Yield the rows, each counted as it passes."""
        for row in rows:
            self._found[row.relation].add(row)
            yield row

    def results(self, relations: Sequence[str]) -> tuple[RelationResult, ...]:
        """Return the counts of every relation, in the order given."""
        return tuple(self._found[relation].result(relation) for relation in relations)


class _Counts:
    """The counts of one relation."""

    def __init__(self) -> None:
        self._verdicts: Counter[Verdict] = Counter()
        self._reasons: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._unstable = 0
        self._strata = rates.StrataCounts()
        self._slices: defaultdict[str, Counter[Verdict]] = defaultdict(Counter)

    def add(self, row: GroupRow) -> None:
        self._verdicts[row.verdict] += 1
        self._unstable += row.unstable
        self._errors.update(error.category.value for error in row.errors)
        self._strata.add(row)
        for name in row.slices:
            self._slices[name][row.verdict] += 1
        if row.verdict is Verdict.NOT_APPLICABLE:
            self._reasons[row.reason] += 1

    def result(self, relation: str) -> RelationResult:
        violated = self._verdicts[Verdict.VIOLATED]
        applicable = violated + self._verdicts[Verdict.SATISFIED]
        return RelationResult(
            id=relation,
            groups=self._verdicts.total(),
            applicable=applicable,
            violated=violated,
            violation_rate=violated / applicable if applicable else None,
            not_applicable=dict(sorted(self._reasons.items())),
            unstable=self._unstable,
            errors=dict(sorted(self._errors.items())),
            strata=self._strata.strata(),
            slices=tuple(_slice(name, verdicts) for name, verdicts in sorted(self._slices.items())),
        )


def _slice(name: str, verdicts: Counter[Verdict]) -> SliceResult:
    violated = verdicts[Verdict.VIOLATED]
    return SliceResult(
        name=name,
        groups=verdicts.total(),
        applicable=violated + verdicts[Verdict.SATISFIED],
        violated=violated,
    )


def count_all(relations: Sequence[str], rows: Iterable[GroupRow]) -> tuple[RelationResult, ...]:
    """Count every relation, in the order given."""
    counts = RunCounts()
    for _ in counts.watched(rows):
        pass
    return counts.results(relations)


def described(counted: Sequence[RelationResult], suite: Suite) -> tuple[RelationResult, ...]:
    """Return the counts with what the suite says of its relations: what readers found, its own."""
    found = {relation.id: relation for relation in suite.head.relations}
    return tuple(
        msgspec.structs.replace(item, says=LABELS_SAY)
        if item.id not in found
        else msgspec.structs.replace(
            item,
            precision=found[item.id].precision,
            words=_words(found[item.id]),
            says=found[item.id].says,
        )
        for item in counted
    )


def _words(relation: SuiteRelation) -> RelationWords | None:
    if relation.output is None:
        return None
    names = ("title", "description", "before", "after")
    return RelationWords(**{name: getattr(relation, name) for name in names})


def overall(relations: Sequence[RelationResult]) -> Overall:
    """Add the relations up; right answers only where there is nothing else."""
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
    """Ask the system, and count what its answers violate; nothing is compared yet."""
    settings, suite, relations, _, system, _, folder, _ = prepared
    with closing(Cache(folder, system.cache_key)) as cache:
        # Asked first, and apart: what is said of the suite's answers is of these alone.
        beside = Predictor(system, cache, progress, clock.phase)
        labelled = prepared.labels and predict_labelled(prepared.labels, settings.task, beside)
        predictor = Predictor(system, cache, progress, clock.phase)
        counts = RunCounts()
        with clock.phase("judge"):
            asked = _asked(prepared, predictor)
            own = labelled.rows(largest(asked.noise)) if labelled else ()
            rows = as_rows(counts.watched(chain(asked.rows, own)))
    if TASKS[settings.task].label_map:
        recorded = prepared.baseline and prepared.baseline.first.checkpoint.reading
        if recorded != system.head.reading:  # else labels made sense when it was recorded
            needs = needs_of(suite.head, {relation.id for relation in relations})
            check_named(system.head, needs, predictor.outputs())
            check_label_sense(rows, suite.head, settings.label_map)
    ids = [*(of.id for of in relations), *([labels_id(settings.task)] if labelled else [])]
    counted = described(counts.results(ids), suite)
    result = Result(
        format=FORMAT,
        tool=TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        suite=suite.identity,
        checkpoint=system.head,
        settings=run_settings(settings, suite, ids, largest(asked.noise)),
        relations=tuple(replace(i, tier=settings.policy.tier(i.id)) for i in counted),
        overall=overall(counted),
        profile=Profiles(candidate=TASKS[settings.task].profile(original_outputs(rows))),
        timing=Timing(),
        predictions=predictor.counts,
        notes=run_notes(suite.identity, system.head, counted),
        noise=asked.noise,
        labelled=labelled.wrong() if labelled else None,
        masked=masked_of(suite.head) if settings.mask_offensive else (),
        early=asked.early,
    )
    return Run(result, rows)


class _Asked(NamedTuple):
    """What a run comes to: its rows, the system's noise, how far it went if it may stop early."""

    rows: Iterable[GroupRow]
    noise: Noise
    early: EarlyStop | None = None


def _asked(prepared: Prepared, predictor: Predictor) -> _Asked:
    settings, suite, relations, baseline, _, context, _, _ = prepared
    if baseline is None or not settings.early_stop:
        return _Asked(*evaluation.evaluate(suite, relations, predictor, context))
    # Which rows noise could turn they say themselves.
    judged_by = run_settings(settings, suite, [of.id for of in relations], noise=0.0)

    def decided(rows: Iterable[RowHead | GroupRow], look: int) -> bool:
        return is_decided(rows, baseline, judged_by, look)

    return _Asked(*ask_in_parts(suite, relations, predictor, context, decided))
