"""The relations of task re whose follow-ups stand in a suite, and what makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from mt_gate.building.re.sample import Change, Sample
from mt_gate.domain import Block

Way = Callable[[Sample], list[Change]]
"""From a sample to its follow-ups, none where it is unsure."""
Names = Iterable[tuple[str, str]]
"""Type and words of each name, once for each sentence that has it."""


def ways(names: Names) -> dict[str, Way]:
    """Return what makes the follow-ups of each relation.

    Args:
        names: of the corpora; others of their type come from among them.
    """
    found: dict[str, Way] = {}
    for relation, (module, make) in _MAKERS.items():
        try:
            found[relation] = make(import_module(module), names)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("mt_gate"):
                raise
    return found | dict.fromkeys(SWAPS, swapped)


def swapped(sample: Sample) -> list[Change]:
    """Return the same sentence with head and tail exchanged."""
    whole = (Block(0, 0, len(sample.text)),)
    return [Change(sample.text, sample.tail, sample.head, whole)]


def _same_type(module: Any, names: Names) -> Way:
    return partial(module.SameType.changes, module.SameType(module.Pools.counted(names)))


def _changes(module: Any, _: Names) -> Way:
    way: Way = module.changes
    return way


SWAPS = ("re/swap-symmetric", "re/swap-antisymmetric")
SCARCE = ("re/coarser-type", "re/co-related-type", "re/coreferent")
"""Relations that few sentences serve: their sources come first."""
_MAKERS: Mapping[str, tuple[str, Callable[[Any, Names], Way]]] = {
    "re/same-type": ("mt_gate.building.re.same_type", _same_type),
    "re/coarser-type": ("mt_gate.building.re.coarser_type", _changes),
    "re/co-related-type": ("mt_gate.building.re.co_related_type", _changes),
    "re/coreferent": ("mt_gate.building.re.coreferent", _changes),
}
