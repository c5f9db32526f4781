"""What a baseline holds, and what of it the comparison takes.

It has the verdict of every group, so that a later run can be paired with it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.jsonio import canonical
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, SourceVerdicts
from mt_gate.results.result import (
    BaselineHead,
    CheckpointHead,
    Count,
    Counts,
    Identifier,
    Name,
    Profile,
    RunSettings,
    SuiteHead,
    Text,
    Tool,
)
from mt_gate.settings.record import MOST_RELATIONS

FORMAT = 2
"""2: a baseline names the digest of its content, and lists every relation of its run."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
RECORD = "record a new baseline with mt-gate baseline record"
"""What to do about a baseline that cannot be used, at the end of a message."""

_DIGEST = r"\A([0-9a-f]{64})?\Z"

Identifiers = tuple[Identifier, ...]


class BaselineRelation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verdicts of one relation.

    Groups of the suite are listed by id: ``violated_groups``,
    ``satisfied_groups``, and ``not_applicable_groups`` by reason. A ``bound``
    relation has instead, for each source, how many of its groups were
    applicable and the ids of those violated.
    """

    id: Identifier
    bound: bool
    groups: Count
    applicable: Count
    violated: Count
    not_applicable: Counts
    violated_groups: Identifiers = ()
    satisfied_groups: Identifiers = ()
    not_applicable_groups: Mapping[Name, Identifiers] = {}
    sources: Mapping[Identifier, tuple[Count, Identifiers]] = {}


class Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recorded run that later runs are held against.

    ``recorded`` is UTC in ISO 8601; ``accept`` says why a run that regressed,
    or was not whole, was recorded all the same. ``answers_sha256`` is of the text
    in the file of answers beside it, empty where there is none. ``sha256`` is of all the
    rest, on disk; empty in memory.
    """

    format: int
    sha256: Annotated[str, msgspec.Meta(pattern=_DIGEST)] = ""
    tool: Tool
    name: Identifier
    recorded: Name
    accept: Text | None = None
    suite: SuiteHead
    checkpoint: CheckpointHead
    settings: RunSettings
    profile: Profile
    answers_sha256: Annotated[str, msgspec.Meta(pattern=_DIGEST)] = ""
    relations: Annotated[tuple[BaselineRelation, ...], msgspec.Meta(max_length=MOST_RELATIONS)]

    def head(self, path: str | Path, commit: str = "", notes: tuple[str, ...] = ()) -> BaselineHead:
        """Return what a result says of the baseline it was held against, and of its origin."""
        return BaselineHead(
            path=str(path),
            name=self.name,
            recorded=self.recorded,
            suite_sha256=self.suite.sha256,
            checkpoint_fingerprint=self.checkpoint.fingerprint,
            commit=commit,
            notes=notes,
        )

    def verdicts(self) -> tuple[RunVerdicts, ...]:
        """Return the verdicts of each run by relation, as ``comparison.compare`` takes them."""
        return ({relation.id: verdicts_of(relation) for relation in self.relations},)


def check_name(name: str) -> str:
    """Return the name if it can be a file's name anywhere.

    Raises:
        UsageError: it has another character, or starts with one that is no letter or digit.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            f"baseline name {quoted(name)}: expected letters, digits, '.', '_' and '-', starting "
            "with a letter or digit, at most 100 in total"
        )
    return name


def baseline_path(folder: str | Path, name: str) -> Path:
    """Return ``folder/<name>.json``; raises UsageError as ``check_name`` does."""
    return Path(folder) / f"{check_name(name)}.json"


def digest_of(baseline: Baseline) -> str:
    """Return the sha256 of a baseline's content, whatever it says of itself."""
    return hashlib.sha256(canonical(msgspec.structs.replace(baseline, sha256=""))).hexdigest()


def relation_of(verdicts: RelationVerdicts) -> BaselineRelation:
    """Reduce a run's verdicts on one relation to what a baseline keeps."""
    counts = BaselineRelation(
        id=verdicts.id,
        bound=verdicts.bound,
        groups=len(verdicts.groups),
        applicable=len(verdicts.applicable),
        violated=len(verdicts.violated),
        not_applicable={reason: len(ids) for reason, ids in verdicts.not_applicable.items()},
    )
    if verdicts.bound:
        return msgspec.structs.replace(
            counts,
            sources={
                source: (of.applicable, tuple(sorted(of.violated)))
                for source, of in verdicts.sources.items()
            },
        )
    return msgspec.structs.replace(
        counts,
        violated_groups=tuple(sorted(verdicts.violated)),
        satisfied_groups=tuple(sorted(verdicts.satisfied)),
        not_applicable_groups={
            reason: tuple(sorted(ids)) for reason, ids in verdicts.not_applicable.items()
        },
    )


def verdicts_of(relation: BaselineRelation) -> RelationVerdicts:
    """Return what the comparison takes; of bound groups only the violated are known."""
    sources = {
        source: SourceVerdicts(applicable, frozenset(violated))
        for source, (applicable, violated) in relation.sources.items()
    }
    bound_violated = frozenset[str]().union(*(of.violated for of in sources.values()))
    return RelationVerdicts(
        id=relation.id,
        bound=relation.bound,
        violated=frozenset(relation.violated_groups) | bound_violated,
        satisfied=frozenset(relation.satisfied_groups),
        not_applicable={
            reason: frozenset(ids) for reason, ids in relation.not_applicable_groups.items()
        },
        sources=sources,
        unstable=None,
    )
