"""From rows to the counts of a run: per relation, per kind of edit, of all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from mt_gate.domain import Verdict, metamorphic
from mt_gate.judging import rates
from mt_gate.results.result import GroupRow, Overall, RelationResult, RelationWords, SliceResult
from mt_gate.suites.format import Suite, SuiteRelation

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
