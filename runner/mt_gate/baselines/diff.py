"""Two baselines side by side: which groups moved, without judging.

Of a baseline of several runs the first is taken: a group moves from run to run, a mean does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from mt_gate.baselines.schema import Baseline, BaselineRelation, verdicts_of
from mt_gate.judging.pairing import pair
from mt_gate.judging.verdicts import RelationVerdicts, applicable_units


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDiff:
    """How one relation moved from baseline ``a`` to ``b``; None where it is absent.

    Ids are sorted. Only groups with a verdict in both count as moved.
    """

    id: str
    a: BaselineRelation | None
    b: BaselineRelation | None
    newly_violated: tuple[str, ...]
    fixed: tuple[str, ...]
    only_a: int
    only_b: int

    @property
    def rates(self) -> tuple[float | None, float | None]:
        """Violation rates in ``a`` and ``b``; None where nothing was applicable."""
        return _rate(self.a), _rate(self.b)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineDiff:
    """Two baselines side by side; with other suites the ids may not meet."""

    a: Baseline
    b: Baseline
    same_suite: bool
    relations: tuple[RelationDiff, ...]


def diff_baselines(a: Baseline, b: Baseline) -> BaselineDiff:
    """Compare the first runs of two baselines relation by relation, without judging."""
    in_a, in_b = ({of.id: of for of in side.first.relations} for side in (a, b))
    return BaselineDiff(
        a=a,
        b=b,
        same_suite=a.suite == b.suite,
        relations=tuple(
            _diff(relation, in_a.get(relation), in_b.get(relation)) for relation in in_a | in_b
        ),
    )


def _rate(relation: BaselineRelation | None) -> float | None:
    return None if relation is None else relation.rate


def _diff(relation: str, a: BaselineRelation | None, b: BaselineRelation | None) -> RelationDiff:
    old, new = (verdicts_of(side) if side else RelationVerdicts(id=relation) for side in (a, b))
    moved = pair(new, [old])
    ids_a, ids_b = (applicable_units(verdicts, verdicts.bound) for verdicts in (old, new))
    return RelationDiff(
        id=relation,
        a=a,
        b=b,
        newly_violated=tuple(moved.new),
        fixed=tuple(moved.fixed),
        only_a=len(ids_a - ids_b),
        only_b=len(ids_b - ids_a),
    )
