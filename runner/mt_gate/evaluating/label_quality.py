"""How good the labels of distant supervision are, by those that people gave.

Manual evaluation paper (Gao et al. 2021), section 3: of entity pairs, the share
whose labels agree; of facts, how many automatic ones are right (precision),
and how many there are that were found (recall).
"""

from __future__ import annotations

from collections.abc import Sequence

from mt_gate.evaluating.records import BoundedFigure, Quality, RelationCounts
from mt_gate.judging import statistics

Labels = Sequence[frozenset[str]]


def label_quality(auto: Labels, manual: Labels, *, mapped: bool) -> Quality:
    """Return the quality of automatic labels, bag by bag.

    Args:
        auto: of each bag; empty where there is no relation.
        manual: of the same bags.
        mapped: whether these are labels as they are scored, not as in the file.
    """
    both = [*zip(auto, manual, strict=True)]
    agreeing = sum(one == other for one, other in both)
    names = sorted(frozenset().union(*auto, *manual))
    return Quality(
        mapped=mapped,
        bags=len(both),
        agreeing=agreeing,
        pair_accuracy=BoundedFigure(
            value=agreeing / len(both) if both else None,
            ci95=statistics.wilson(agreeing, len(both)) if both else None,
        ),
        precision=_ratio([(len(one & other), len(one)) for one, other in both]),
        recall=_ratio([(len(one & other), len(other)) for one, other in both]),
        all=_counts("", auto, manual),
        relations=tuple(
            _counts(name, [own & {name} for own in auto], [own & {name} for own in manual])
            for name in names
        ),
    )


def _counts(name: str, auto: Labels, manual: Labels) -> RelationCounts:
    return RelationCounts(
        relation=name,
        facts=sum(map(len, manual)),
        predicted=sum(map(len, auto)),
        right=sum(len(one & other) for one, other in zip(auto, manual, strict=True)),
    )


def _ratio(pairs: Sequence[tuple[int, int]]) -> BoundedFigure:
    """Return a ratio of sums over bags, with its bootstrap interval."""
    some = [pair for pair in pairs if pair[1]]
    if not some:
        return BoundedFigure(value=None, ci95=None)
    parts, wholes = zip(*some, strict=True)
    return BoundedFigure(
        value=sum(parts) / sum(wholes),
        ci95=statistics.rate_interval(parts, wholes),
    )
