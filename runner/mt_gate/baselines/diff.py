"""Two baselines side by side: which groups moved, without judging.

Of a baseline of several runs the first is taken: a group moves from run to run, a mean does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from mt_gate.baselines.schema import Baseline, BaselineRelation, verdicts_of
from mt_gate.judging.clustered import pair
from mt_gate.judging.verdicts import RelationVerdicts, applicable_units


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDiff:
    """How one relation moved from baseline ``a`` to ``b``; None where it is absent.

    Only groups with a verdict in both count as moved.
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
        return self.a.rate if self.a else None, self.b.rate if self.b else None


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
    relations = []
    for name in in_a | in_b:
        sides = in_a.get(name), in_b.get(name)
        old, new = (verdicts_of(of) if of else RelationVerdicts(id=name) for of in sides)
        moved = pair(new, [old])
        ids_a, ids_b = (applicable_units(of, of.bound) for of in (old, new))
        relations.append(
            RelationDiff(
                id=name,
                a=sides[0],
                b=sides[1],
                newly_violated=tuple(moved.new),
                fixed=tuple(moved.fixed),
                only_a=len(ids_a - ids_b),
                only_b=len(ids_b - ids_a),
            )
        )
    return BaselineDiff(a=a, b=b, same_suite=a.suite == b.suite, relations=tuple(relations))
