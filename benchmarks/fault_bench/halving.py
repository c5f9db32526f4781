"""Half of a run's sources: what a smaller suite would have shown."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts


def halved(verdicts: RunVerdicts) -> RunVerdicts:
    """Return the verdicts on half of the sources, the same half whatever the run."""
    return {name: _halved(of) for name, of in verdicts.items()}


def _halved(verdicts: RelationVerdicts) -> RelationVerdicts:
    sources = verdicts.sources if verdicts.bound else set(verdicts.source_of.values())
    kept = {source for source in sources if _is_in_half(source)}
    source_of = {group: of for group, of in verdicts.source_of.items() if of in kept}
    ids = frozenset(source_of)
    units = kept if verdicts.bound else ids
    return replace(
        verdicts,
        violated=verdicts.violated & ids,
        satisfied=verdicts.satisfied & ids,
        not_applicable={why: of & ids for why, of in verdicts.not_applicable.items()},
        source_of=source_of,
        sources={source: of for source, of in verdicts.sources.items() if source in kept},
        silent_sources=None if verdicts.silent_sources is None else verdicts.silent_sources & kept,
        unstable=None if verdicts.unstable is None else verdicts.unstable & units,
    )


def _is_in_half(source: str) -> bool:
    return hashlib.sha256(source.encode()).digest()[0] % 2 == 0
