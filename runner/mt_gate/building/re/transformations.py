"""The relations of task re whose follow-ups stand in a suite, and what makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from mt_gate.building.re.co_related import change as co_related_type
from mt_gate.building.re.coarser import change as coarser_type
from mt_gate.building.re.coreferent import coreferent
from mt_gate.building.re.coreferent.chains import Coreference
from mt_gate.building.re.same_type.change import SameType
from mt_gate.building.re.same_type.pools import Pools
from mt_gate.building.re.sample import Change, Sample
from mt_gate.domain import Block

Way = Callable[[Sample], list[Change]]
"""From a sample to its follow-ups, none where it is unsure."""
Names = Iterable[tuple[str, str]]
"""Type and words of each name, once for each sentence that has it."""

SCARCE = ("re/coarser-type", "re/co-related-type", "re/coreferent")
"""Relations that few sentences serve: their sources come first."""


def ways(names: Names, coreference: Coreference) -> dict[str, Way]:
    """Return what makes the follow-ups of each relation.

    Args:
        names: of the corpora; others of their type come from among them.
        coreference: finds other mentions of the same.
    """
    return {
        "re/same-type": SameType(Pools.counted(names)).changes,
        "re/coarser-type": coarser_type.changes,
        "re/co-related-type": co_related_type.changes,
        "re/coreferent": partial(coreferent.changes, coreference=coreference),
        "re/swap-symmetric": swapped,
        "re/swap-antisymmetric": swapped,
    }


def swapped(sample: Sample) -> list[Change]:
    """Return the same sentence with head and tail exchanged."""
    whole = (Block(0, 0, len(sample.text)),)
    return [Change(sample.text, sample.tail, sample.head, whole)]
