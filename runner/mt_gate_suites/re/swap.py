"""``re/swap-symmetric`` and ``re/swap-antisymmetric``: head and tail are swapped.

Source: Sun et al., Algorithms 2023, MR-S1 and MR-S2. The prediction on the original decides which
of the two applies, if any.
"""

from __future__ import annotations

from mt_gate.domain import Block
from mt_gate.tasks.relation_extraction import ARGUMENTS
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.re.sample import EditedSample, Sample

_PLACES = dict.fromkeys(("CITY", "STATE_OR_PROVINCE", "COUNTRY", "FACILITY"), "LOCATION")
_AGENTS = frozenset({"PERSON", "ORGANIZATION"})
_THINGS = frozenset({"", "EVENT", "WORK_OF_ART", "PRODUCT", "MISC"})


def transform(sample: Sample, _: Pools) -> list[EditedSample]:
    """Return the same sentence with head and tail swapped."""
    whole = (Block(0, 0, len(sample.text)),)
    return [EditedSample(sample.text, sample.tail, sample.head, whole, _name_pair(sample))]


def swap_equals(sample: Sample, pools: Pools) -> list[EditedSample]:
    """Return the swapped sample if a relation may be true in both directions."""
    return transform(sample, pools) if are_equals(sample) else []


def are_equals(sample: Sample) -> bool:
    """Whether a relation of some scheme may be true in both directions between the arguments.

    Two persons may be married, and two organisations may be the same. No relation of a person
    and a date is also one of the date and the person. No scheme has a relation in both
    directions between two common nouns.
    """
    head, tail = _find_kinds(sample)
    names = all(any(map(str.isupper, sample.words(sample.argument(a)))) for a in ARGUMENTS)
    return names and (head == tail or not (head and tail) or {head, tail} == _AGENTS)


def _find_kinds(sample: Sample) -> tuple[str, str]:
    head, tail = (_PLACES.get(kind, kind) for kind in (sample.head.type, sample.tail.type))
    return head, tail


def _name_pair(sample: Sample) -> str:
    """Return the kind of pair: of people or organisations, or with a thing, a place or a value."""
    kinds = {*_find_kinds(sample)}
    if kinds <= _AGENTS:
        return "people-or-organisations"
    if kinds & _THINGS:
        return "thing"
    return "place" if kinds <= _AGENTS | {"LOCATION"} else "value"
