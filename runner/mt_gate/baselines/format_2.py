"""Baselines of format 2, one run without anchor and without unstable units, as the newest form.

Its records stay as they were, whatever those of today become: the digest is of their content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated

import msgspec

from mt_gate.base.jsonio import canonical
from mt_gate.baselines.schema import DIGEST, Baseline, BaselineRelation, BaselineRun
from mt_gate.results.result import (
    CheckpointHead,
    Count,
    Counts,
    Identifier,
    Name,
    Positive,
    Profile,
    RunSettings,
    Runtime,
    SuiteHead,
    Text,
    Tool,
)
from mt_gate.settings.forms import Limit
from mt_gate.settings.record import MOST_RELATIONS, Alpha, GroupIds, Rates, RelationIds

FORMAT = 2
LACKS = (
    "recorded by an older release: no unstable groups, no silent sources, no anchor; for these "
    "record it again with mt-gate baseline record"
)
"""What a run that is judged by one has to say."""


Identifiers = tuple[Identifier, ...]


class _Runtime(msgspec.Struct, frozen=True, kw_only=True):
    provider: Name
    precision: Name
    device: Name
    onnxruntime: Name
    cpu: Name


class _Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    name: Name
    fingerprint: Name
    runtime: _Runtime


class _Settings(msgspec.Struct, frozen=True, kw_only=True):
    alpha: Alpha
    margin: Limit
    strict: bool
    max_applicability_loss: Limit
    max_violation_rate: Rates
    must_hold: GroupIds
    relations: RelationIds
    complete: bool
    noise: Positive


class _Relation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class _Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    sha256: Annotated[str, msgspec.Meta(pattern=DIGEST)] = ""
    tool: Tool
    name: Identifier
    recorded: Name
    accept: Text | None = None
    suite: SuiteHead
    checkpoint: _Checkpoint
    settings: _Settings
    profile: Profile
    answers_sha256: Annotated[str, msgspec.Meta(pattern=DIGEST)] = ""
    relations: Annotated[tuple[_Relation, ...], msgspec.Meta(max_length=MOST_RELATIONS)]


def decode(data: bytes | memoryview) -> tuple[Baseline, str]:
    """Return a baseline, and the sha256 of its content.

    Raises:
        msgspec.DecodeError: it is not JSON, or no baseline of this format.
    """
    old = msgspec.json.decode(data, type=_Baseline)
    content = canonical(msgspec.structs.replace(old, sha256=""))
    return _converted(old), hashlib.sha256(content).hexdigest()


def _converted(old: _Baseline) -> Baseline:
    asdict = msgspec.structs.asdict
    head = old.checkpoint
    run = BaselineRun(
        created=old.recorded,
        checkpoint=CheckpointHead(
            name=head.name,
            fingerprint=head.fingerprint,
            runtime=Runtime(**asdict(head.runtime)),
        ),
        profile=old.profile,
        relations=tuple(map(_relation, old.relations)),
    )
    return Baseline(
        format=FORMAT,
        sha256=old.sha256,
        tool=old.tool,
        name=old.name,
        recorded=old.recorded,
        accept=old.accept,
        suite=old.suite,
        settings=RunSettings(**asdict(old.settings)),
        answers_sha256=old.answers_sha256,
        runs=(run,),
    )


def _relation(old: _Relation) -> BaselineRelation:
    lists = {
        "violated_groups": old.violated_groups,
        "satisfied_groups": old.satisfied_groups,
        "not_applicable_groups": dict(old.not_applicable_groups),
    }
    return BaselineRelation(**msgspec.structs.asdict(old) | lists)
