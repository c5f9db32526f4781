"""A bench's figures, worked out of what is stored of its reference and candidates alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fault_bench import paired
from fault_bench.faults import Fault, Half
from fault_bench.paired import Floats
from fault_bench.records import (
    CANDIDATE,
    FORMAT,
    CandidateRecord,
    FaultFindings,
    PartFindings,
    ReferenceRecord,
    RelationFindings,
    Sensitivity,
    WayFindings,
    candidates,
    read_reference,
)
from fault_bench.rejudging import rejudged
from fault_bench.worth import worth
from mt_gate.results.result import TOOL

HARMFUL, SEVERE = 0.01, 0.02
"""True costs, of accuracy or F1, from which on a candidate should be caught."""
SIZES = (100, 300, 1000)
"""Labelled samples with which the paired test is compared with the gate, in addition to all."""
_ROUNDING = 1e-9
_UNREAD = f"its {CANDIDATE} cannot be read; ask for its kind again, or remove its folder"


class Judged(NamedTuple):
    """A candidate that has a true cost, and each sample's part in it."""

    found: FaultFindings
    parts: Floats

    @property
    def caught(self) -> bool:
        """Whether the gate calls it a loss."""
        return self.found.gate is not None and self.found.gate.caught

    @property
    def half_caught(self) -> bool:
        """The same by half of the suite's sources."""
        return self.found.gate is not None and self.found.gate.half_caught

    def costs(self, least: float) -> bool:
        """Whether it truly costs so much, and is not as good as the reference by its making."""
        return _costs(self.found.fault, self.found.cost, least)


def _costs(fault: Fault, cost: float, least: float) -> bool:
    return not fault.harmless and cost >= least - _ROUNDING


def summarised(folder: Path) -> Sensitivity:
    """Return the figures of a study, of whatever candidates its folder holds.

    Raises:
        CannotJudge: the folder has no study, or a file of it is unfit.
    """
    reference = read_reference(folder)
    records, unread = candidates(folder, reference.study)
    answered = [record for record in records if record.counts]
    again = rejudged(folder, reference, answered)
    every = [
        _judged(record, reference, again.caught.get(record.fault.name, {})) for record in answered
    ]
    halves: list[Half | None] = [half for half in Half if any(_is_in(item, half) for item in every)]
    return Sensitivity(
        format=FORMAT,
        tool=TOOL,
        checkpoint=reference.checkpoint,
        suite=reference.suite,
        labels=reference.labels,
        settings=reference.settings,
        score=paired.score(reference.counts),
        seconds=reference.seconds
        + reference.labels_seconds
        + sum(record.made_seconds + record.asked_seconds for record in records),
        parts=tuple(_part(half, every, reference, again.ways) for half in (None, *halves)),
        faults=tuple(item.found for item in every),
        relations=_relations(every, reference),
        left_out={
            **{record.fault.name: record.error for record in records if not record.counts},
            **dict.fromkeys(unread, _UNREAD),
        },
        runs=again.runs,
    )


def _judged(
    record: CandidateRecord, reference: ReferenceRecord, caught: Mapping[str, bool]
) -> Judged:
    alpha = reference.settings.alpha
    parts = paired.losses(reference.counts, record.counts)
    sizes = [size for size in SIZES if size < len(parts)]
    cost = paired.score(reference.counts) - paired.score(record.counts)
    found = FaultFindings(
        fault=record.fault,
        cost=cost,
        harmful=_costs(record.fault, cost, HARMFUL),
        standard_error=paired.standard_error(parts),
        p_value=paired.p_value(parts),
        found={size: paired.power(parts, size, alpha) for size in (*sizes, len(parts))},
        gate=record.gate,
        error=record.error,
        caught=caught,
    )
    return Judged(found, parts)


def _is_in(item: Judged, half: Half | None) -> bool:
    return half is None or item.found.fault.half is half


class _Sorted(NamedTuple):
    """Candidates by what they truly cost; severe ones are harmful, too."""

    severe: Sequence[Judged]
    harmful: Sequence[Judged]
    below: Sequence[Judged]
    harmless: Sequence[Judged]


def _sorted(items: Sequence[Judged]) -> _Sorted:
    faults = [item for item in items if not item.found.fault.harmless]
    return _Sorted(
        severe=[item for item in faults if item.costs(SEVERE)],
        harmful=[item for item in faults if item.costs(HARMFUL)],
        below=[item for item in faults if not item.costs(HARMFUL)],
        harmless=[item for item in items if item.found.fault.harmless],
    )


def _part(
    half: Half | None, every: Sequence[Judged], reference: ReferenceRecord, ways: Sequence[str]
) -> PartFindings:
    own = [item for item in every if _is_in(item, half)]
    severe, harmful, below, harmless = _sorted(own)
    caught = _caught(harmful)
    return PartFindings(
        half=half,
        candidates=len(own),
        severe=len(severe),
        severe_caught=_caught(severe),
        harmful=len(harmful),
        harmful_caught=caught,
        harmful_half_caught=sum(item.half_caught for item in harmful),
        below=len(below),
        below_caught=_caught(below),
        harmless=len(harmless),
        harmless_caught=_caught(harmless),
        paired=_expected(harmful),
        paired_harmless=_expected(harmless),
        worth=worth(caught, [item.parts for item in harmful], reference.settings.alpha),
        ways=tuple(_way(way, own, reference.settings.alpha) for way in ways),
    )


def _way(way: str, own: Sequence[Judged], alpha: float) -> WayFindings:
    """Return what one way to judge calls a loss, of the candidates that it judges."""
    severe, harmful, below, harmless = _sorted([item for item in own if way in item.found.caught])

    def caught(items: Sequence[Judged]) -> int:
        return sum(item.found.caught[way] for item in items)

    return WayFindings(
        way=way,
        severe=len(severe),
        severe_caught=caught(severe),
        harmful=len(harmful),
        harmful_caught=caught(harmful),
        below=len(below),
        below_caught=caught(below),
        harmless=len(harmless),
        harmless_caught=caught(harmless),
        worth=worth(caught(harmful), [item.parts for item in harmful], alpha),
    )


def _caught(items: Sequence[Judged]) -> int:
    return sum(item.caught for item in items)


def _expected(items: Sequence[Judged]) -> dict[int, float]:
    """Return how many of the candidates the paired test finds on average, by labels."""
    sizes = items[0].found.found if items else {}
    return {size: sum(item.found.found[size] for item in items) for size in sizes}


def _relations(every: Sequence[Judged], reference: ReferenceRecord) -> tuple[RelationFindings, ...]:
    """Return what each relation catches by itself, and its share of the reference's time."""
    characters = reference.asked_characters
    whole = sum(characters.values())
    harmful = [item.found for item in every if item.costs(HARMFUL) and item.found.gate]

    def caught(relation: str, found: Sequence[FaultFindings]) -> list[FaultFindings]:
        return [item for item in found if item.gate and relation in item.gate.fired]

    return tuple(
        RelationFindings(
            id=relation.id,
            caught=len(of_it := caught(relation.id, harmful)),
            caught_choosing=sum(item.fault.half is Half.DEVELOPMENT for item in of_it),
            alone=sum(item.gate is not None and len(item.gate.fired) == 1 for item in of_it),
            seconds=reference.seconds * characters.get(relation.id, 0) / whole if whole else 0.0,
        )
        for relation in reference.relations
    )
