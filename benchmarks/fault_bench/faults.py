"""What a bench does to a checkpoint: kinds of fault at rising strengths, from one data file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

from mt_gate.base.errors import UsageError, quoted

TABLE = Path(__file__).with_name("faults.toml")
Name = Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9][a-z0-9-]{0,60}\Z")]


class Family(StrEnum):
    """Where a fault comes from."""

    OPTIMISING = "optimising"
    TRAINING = "training"
    PIPELINE = "pipeline"
    WEIGHTS = "weights"
    OWN = "own"


class Half(StrEnum):
    """What the figures of a kind may be used for; ``NONE`` is a user's own candidate.

    The values are those of stored studies.
    """

    DEVELOPMENT = "choosing"
    HELD_OUT = "telling"
    NONE = "none"

    @property
    def shown(self) -> str:
        """The half's name in tables."""
        return self.name.lower().replace("_", "-")


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of fault. ``tasks`` are those that can have it, all where empty.

    ``harmless`` says that its candidates are as good as the reference by the way they are made.
    """

    name: Name
    family: Family
    half: Half
    what: str
    strengths: Annotated[tuple[float, ...], msgspec.Meta(min_length=1)]
    tasks: tuple[str, ...] = ()
    harmless: bool = False


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of fault at one strength, drawn by ``seed``: one candidate of a reference."""

    kind: str
    family: Family
    half: Half
    strength: float
    seed: int = 0
    harmless: bool = False

    @property
    def name(self) -> str:
        """The name of its folder: the kind with its strength, which a user's own has not."""
        return self.kind if self.family is Family.OWN else f"{self.kind}-{self.strength:g}"


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: tuple[Kind, ...]


def kinds() -> tuple[Kind, ...]:
    """Return the kinds of fault, in the order of their file."""
    return msgspec.convert(tomllib.loads(TABLE.read_text(encoding="utf-8")), _Table).kind


def planned(task: str, names: Sequence[str] = (), seed: int = 0) -> tuple[Fault, ...]:
    """Return the faults of a task, at all their strengths.

    Args:
        task: whose checkpoint is made worse.
        names: of kinds; empty for all that the task can have.
        seed: of what faults draw.

    Raises:
        UsageError: a kind that there is not.
    """
    known = {kind.name: kind for kind in kinds()}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"--kinds {quoted(unknown[0])}: unknown; known: {', '.join(known)}")
    return tuple(
        Fault(
            kind=kind.name,
            family=kind.family,
            half=kind.half,
            strength=strength,
            seed=seed,
            harmless=kind.harmless,
        )
        for kind in known.values()
        if (not names or kind.name in names) and (not kind.tasks or task in kind.tasks)
        for strength in kind.strengths
    )
