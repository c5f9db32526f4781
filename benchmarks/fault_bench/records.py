"""What a bench keeps: a file for its reference, a folder for each candidate, and all of it at last.

``reference.json`` and ``candidates/NAME/candidate.json`` are whole or absent, and name the study
that they are of; ``sensitivity.json`` is worked out of them alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from fault_bench.faults import Fault, Half
from fault_bench.kept_verdicts import KeptVerdicts, as_judged, to_keep
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import canonical, decode_json, read_whole, readable, write_whole
from mt_gate.judging.verdicts import RunVerdicts
from mt_gate.results.result import (
    CheckpointHead,
    GateVerdict,
    RelationResult,
    RunSettings,
    SuiteHead,
    Tool,
)

FORMAT = 1
REFERENCE, CANDIDATES, CANDIDATE, VERDICTS = (
    "reference.json",
    "candidates",
    "candidate.json",
    "verdicts.json",
)
MAX_RECORD = 64 << 20
_CAUSE = "remove the file, and run mt-gate sensitivity again"

T = TypeVar("T")
SampleCounts = tuple[tuple[int, int], ...]
"""Numerator and denominator of each labelled sample, whose sums give accuracy or F1: (right, 1), or
twice the items in both outputs and the items of either output."""


class LabelCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The labelled set; ``measure`` is what a checkpoint's score on it is, accuracy or F1."""

    file: str
    sha256: str
    samples: int
    measure: str


class ReferenceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The reference on suite and labels.

    ``study`` is a hash of all inputs and settings. ``seconds`` are those that it took to
    answer the suite, when nothing of it was known; ``asked_characters`` are those of the
    follow-ups by relation, which they go with. The labelled set took ``labels_seconds``.
    """

    study: str
    tool: Tool
    checkpoint: CheckpointHead
    suite: SuiteHead
    labels: LabelCounts
    settings: RunSettings
    relations: tuple[RelationResult, ...]
    asked_characters: Mapping[str, int]
    seconds: float
    labels_seconds: float = 0.0
    counts: SampleCounts
    verdicts: Mapping[str, KeptVerdicts] = {}


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate says of a candidate with the reference's run as the baseline.

    ``caught`` is whether it is a loss; ``fired`` are the relations that decide so, ``difference``
    the rise of the violation rate over all. ``half_caught`` is the same by half of the sources.
    """

    verdict: GateVerdict
    caught: bool
    fired: tuple[str, ...]
    difference: float | None
    reasons: tuple[str, ...]
    half_caught: bool


class CandidateRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate on suite and labels.

    ``origin`` is a digest of a user's checkpoint, empty for a made one;
    ``error`` says why it could not be made (no ``counts`` then) or judged (no ``gate``).
    Seconds are of the wall clock: to make it, and to export and ask it.
    """

    study: str
    fault: Fault
    origin: str = ""
    fingerprint: str = ""
    made_seconds: float = 0.0
    asked_seconds: float = 0.0
    counts: SampleCounts = ()
    gate: Gate | None = None
    error: str = ""


class FaultFindings(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate in the summary.

    ``cost`` is the fall of the score on all labels, in [-1, 1], ``standard_error`` what it may be
    off on other labels of the kind, ``harmful`` whether the candidate should be caught. The paired
    test's p with all labels is ``p_value``; ``found`` says how often it finds the loss with so
    many labels, the last time with all. ``caught`` is whether it is a loss by each way to judge
    that it was judged in.
    """

    fault: Fault
    cost: float
    harmful: bool
    standard_error: float
    p_value: float
    found: Mapping[int, float]
    gate: Gate | None
    error: str = ""
    caught: Mapping[str, bool] = {}


class WayFindings(msgspec.Struct, frozen=True, kw_only=True):
    """What one way to judge calls a loss, of the candidates that it judges.

    The counts are those of ``PartFindings``, but over fewer candidates where some are part of the
    baseline, or have no verdict.
    """

    way: str
    severe: int
    severe_caught: int
    harmful: int
    harmful_caught: int
    below: int
    below_caught: int
    harmless: int
    harmless_caught: int
    worth: float | None


class PartFindings(msgspec.Struct, frozen=True, kw_only=True):
    """The candidates of a half, or of all kinds (``half`` is None).

    Harmful ones cost a point or more, severe ones two; harmless kinds are counted separately.
    ``paired`` is how many of the harmful ones the paired test finds on average with so many
    labels, ``paired_harmless`` how many of the harmless ones; ``worth`` with how many labels it
    finds as many as the gate, None where all do not do. ``below`` cost less than a point.
    """

    half: Half | None
    candidates: int
    severe: int
    severe_caught: int
    harmful: int
    harmful_caught: int
    harmful_half_caught: int
    below: int
    below_caught: int
    harmless: int
    harmless_caught: int
    paired: Mapping[int, float]
    paired_harmless: Mapping[int, float]
    worth: float | None
    ways: tuple[WayFindings, ...] = ()


class RelationFindings(msgspec.Struct, frozen=True, kw_only=True):
    """How many harmful candidates a relation's own test catches, and its share of the time.

    ``caught_choosing`` are those of kinds that are for choosing, ``alone`` those that no other
    relation's own test catches.
    """

    id: str
    caught: int
    caught_choosing: int = 0
    alone: int = 0
    seconds: float


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """``sensitivity.json``; ``score`` is the reference's.

    ``runs`` are the candidates that one of the ways to judge has for a baseline.
    """

    format: int
    tool: Tool
    checkpoint: CheckpointHead
    suite: SuiteHead
    labels: LabelCounts
    settings: RunSettings
    score: float
    seconds: float
    parts: tuple[PartFindings, ...]
    faults: tuple[FaultFindings, ...]
    relations: tuple[RelationFindings, ...]
    left_out: Mapping[str, str]
    runs: tuple[str, ...] = ()


def write_reference(folder: Path, record: ReferenceRecord) -> None:
    """Keep what the reference showed, whole or not at all."""
    write_whole(folder / REFERENCE, canonical(record) + b"\n")


def read_reference(folder: Path) -> ReferenceRecord:
    """Return what the reference showed.

    Raises:
        CannotJudge: there is none, or it is not of this form.
    """
    return _read(folder / REFERENCE, ReferenceRecord)


def kept_reference(folder: Path, study: str) -> ReferenceRecord | None:
    """Return what the reference showed in this study; None where nothing can be read of it."""
    kept = _readable(folder / REFERENCE, ReferenceRecord)
    return kept if kept and kept.study == study and kept.verdicts else None


def write_candidate(draft: Path, record: CandidateRecord, verdicts: RunVerdicts) -> None:
    """Write a candidate's two files to a folder that will take its name."""
    write_whole(draft / VERDICTS, canonical(to_keep(verdicts)) + b"\n")
    write_whole(draft / CANDIDATE, canonical(record) + b"\n")


def kept_candidate(folder: Path, wanted: CandidateRecord) -> CandidateRecord | None:
    """Return a candidate of the same study, fault and origin that was judged; None where none was.

    A failed one runs again: it may have failed for want of time or room.
    """
    kept = _readable(folder / CANDIDATE, CandidateRecord)
    if kept is None or kept.gate is None:
        return None
    same = (wanted.study, wanted.fault, wanted.origin)
    return kept if (kept.study, kept.fault, kept.origin) == same else None


def kept_verdicts(folder: Path, record: CandidateRecord) -> RunVerdicts | None:
    """Return the verdicts of a study's candidate; None where they cannot be read."""
    path = folder / CANDIDATES / record.fault.name / VERDICTS
    kept = _readable(path, dict[str, KeptVerdicts])
    return None if kept is None else as_judged(kept)


class Shown(NamedTuple):
    """The candidates of a study by name; ``unread`` are folders whose file cannot be read."""

    records: tuple[CandidateRecord, ...]
    unread: tuple[str, ...]


def candidates(folder: Path, study: str) -> Shown:
    """Return what is kept of a study."""
    paths = sorted((folder / CANDIDATES).glob(f"*/{CANDIDATE}"))
    found = {path.parent.name: _readable(path, CandidateRecord) for path in paths}
    return Shown(
        tuple(
            record
            for name, record in found.items()
            # A copy under another name is no second candidate.
            if record and record.study == study and record.fault.name == name
        ),
        tuple(name for name, record in found.items() if record is None),
    )


def write_json(path: Path, found: Sensitivity) -> None:
    """Write ``sensitivity.json``, whole or not at all."""
    write_whole(path, readable(found))


def _readable(path: Path, kind: type[T]) -> T | None:
    """Return what a file says; None where it is not there, or is of another form."""
    try:
        return _read(path, kind) if path.is_file() else None
    except CannotJudge:  # damaged, or of another release
        return None


def _read(path: Path, kind: type[T]) -> T:
    return decode_json(
        read_whole(path, limit=MAX_RECORD, cause=_CAUSE), kind, path=path, cause=_CAUSE
    )
