"""The records of a sensitivity study, as in ``sensitivity.json``, and a mutant's kept file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical, decode_json, read_bytes, readable, write_whole
from mt_gate.mutating.operators import Mutation
from mt_gate.mutating.sensing import Failing, Judged, LabelledSet, Signed
from mt_gate.results.result import CheckpointHead, RelationResult, RunSettings, SuiteHead, Tool

FORMAT = 1
MAX_RECORD = 16 << 20
_CAUSE = "remove the file"


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """What a mutant showed; ``accuracy`` is None without labels."""

    mutation: Mutation
    fingerprint: str
    accuracy: LabelledSet | None
    relations: Mapping[str, Failing]
    gate: Judged


class OperatorFindings(msgspec.Struct, frozen=True, kw_only=True):
    """An operator's mutants, taken together.

    ``mean_ratio`` and ``tests`` are by relation id; ``caught_by_gate`` and
    ``caught_by_accuracy`` count mutants, ``caught_by_both`` those that are in both.
    """

    operator: str
    mutants: int
    mean_accuracy_ratio: float | None
    mean_ratio: Mapping[str, float | None]
    tests: Mapping[str, Signed]
    caught_by_gate: int
    caught_by_accuracy: int | None
    caught_by_both: int | None


class LabelCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The labelled set; ``right`` on the original."""

    file: str
    sha256: str
    samples: int
    right: int


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the suite's sources were used, drawn with ``seed``."""

    used: int
    of: int
    seed: int


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """``sensitivity.json``. ``relations`` are the original's counts."""

    format: int
    tool: Tool
    checkpoint: CheckpointHead
    suite: SuiteHead
    sources: Sources
    labels: LabelCounts | None
    settings: RunSettings
    relations: tuple[RelationResult, ...]
    operators: tuple[OperatorFindings, ...]
    mutants: tuple[Mutant, ...]


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    mutant: Mutant


def write_mutant(path: Path, key: str, mutant: Mutant) -> None:
    """Keep a finished mutant, whole or not at all; ``key`` says of what study."""
    write_whole(path, canonical(_Kept(key=key, mutant=mutant)) + b"\n")


def kept_mutant(path: Path, key: str) -> Mutant | None:
    """Return a mutant kept earlier; None where there is none, or it is of another study."""
    if not path.is_file():
        return None
    try:
        kept = decode_json(
            read_bytes(path, limit=MAX_RECORD, cause=_CAUSE), _Kept, path=path, cause=_CAUSE
        )
    except CannotJudge:  # half a file of another program: the mutant is run again
        return None
    return kept.mutant if kept.key == key else None


def write_json(path: Path, found: Sensitivity) -> None:
    """Write ``sensitivity.json``, whole or not at all."""
    write_whole(path, readable(found))
