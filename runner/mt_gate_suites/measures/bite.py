"""Which edits checkpoints notice: the figures of ``mt-gate suite bite``, and the file of them.

A suite that was built from such a file was chosen by its checkpoints. Their rates on that suite say
less than those of others, so the file says what it is for, and the suite by whom it was chosen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.results.result import Count, Name, Rate
from mt_gate.suites.format import Checkpoint

CHOOSING, REPORTING = "choosing", "reporting"
"""Use of the figures: to choose cases, or to report on the chosen cases."""
FORMAT = 1
MAX_BITE = 64 << 20
LEAST_OF_EDIT, LEAST_OF_STRATUM = 5, 50
"""Groups of an edit, or of a kind, from which on it says something that none is ever violated."""
_CAUSE = "Write it again: mt-gate suite bite SUITE --runs DIR... --write FILE"


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the runs.

    ``groups`` are applicable in a run or more, ``never`` of these are violated in none.
    ``compared`` are applicable in two runs or more, ``flips`` of these are violated in one and
    satisfied in another. ``judged`` adds up the applicable groups of all runs, ``violated`` the
    violated ones. Shares are None where there is nothing to have a share of.
    """

    groups: Count
    never: Count
    compared: Count
    flips: Count
    judged: Count
    violated: Count
    violation_rate: Rate | None
    flip_share: Rate | None
    never_share: Rate | None


class RelationBite(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a relation, of its subtypes, and of its edits by removed and added words."""

    id: Name
    figures: Figures
    strata: Annotated[Mapping[Name, Figures], Meta(max_length=1000)]
    edits: Annotated[Mapping[str, Figures], Meta(max_length=1_000_000)]


class Bite(msgspec.Struct, frozen=True, kw_only=True):
    """Results of some checkpoints on a suite; ``use`` is ``CHOOSING`` or ``REPORTING``."""

    format: Annotated[int, Meta(ge=1, le=FORMAT)]
    use: Annotated[str, Meta(pattern=rf"\A({CHOOSING}|{REPORTING})\Z")]
    suite: Name
    version: Name
    sha256: Name
    checkpoints: Annotated[tuple[Checkpoint, ...], Meta(max_length=100)]
    relations: Annotated[tuple[RelationBite, ...], Meta(max_length=1000)]


class Choice(NamedTuple):
    """The figures that cases are chosen with, and the digest of their file."""

    bite: Bite
    digest: str

    def gives_way(self, relation: str, edit: str, stratum: str) -> bool:
        """Whether no checkpoint ever violated this edit, or any of its kind."""
        relation_bite = next((one for one in self.bite.relations if one.id == relation), None)
        if relation_bite is None:
            return False
        own = relation_bite.edits.get(edit)
        return _is_dull(own, LEAST_OF_EDIT) or self.is_dull_kind(relation, stratum)

    def is_dull_kind(self, relation: str, stratum: str) -> bool:
        """Whether no checkpoint ever violated a group of this kind of edit."""
        relation_bite = next((one for one in self.bite.relations if one.id == relation), None)
        return relation_bite is not None and _is_dull(
            relation_bite.strata.get(stratum), LEAST_OF_STRATUM
        )


def _is_dull(figures: Figures | None, least: int) -> bool:
    return figures is not None and figures.never == figures.groups >= least


def read_choice(path: Path) -> Choice:
    """Read a file of figures that a suite may be chosen by.

    Raises:
        UsageError: it is missing or none, or its figures are there to be reported.
    """
    try:
        data = read_bytes(path, limit=MAX_BITE, cause=_CAUSE)
        bite = decode_json(data, Bite, path=path, cause=_CAUSE)
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    if bite.use != CHOOSING:
        raise UsageError(
            f"{path} has figures for {bite.use}. Expected figures for {CHOOSING}, from checkpoints "
            f"that are not reported. {_CAUSE}"
        )
    return Choice(bite, hashlib.sha256(data).hexdigest())
