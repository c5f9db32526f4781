"""Half of a run's sources: what a smaller suite would have shown."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts


def halved(verdicts: RunVerdicts) -> RunVerdicts:
    """Return the verdicts on half of the sources, the same half whatever the run."""
    return {name: _halved(of) for name, of in verdicts.items()}


def _halved(verdicts: RelationVerdicts) -> RelationVerdicts:
    sources = verdicts.sources.ids if verdicts.bound else verdicts.source_of.sources
    kept = sources[np.array([_is_in_half(source) for source in sources], dtype=np.bool_)]
    ids = verdicts.source_of.groups_of(kept)
    units = kept if verdicts.bound else ids
    return replace(
        verdicts,
        violated=verdicts.violated & ids,
        satisfied=verdicts.satisfied & ids,
        not_applicable={why: of & ids for why, of in verdicts.not_applicable.items()},
        source_of=verdicts.source_of.kept(verdicts.source_of.ids.within(ids)),
        sources=verdicts.sources.kept(verdicts.sources.ids.within(kept)),
        silent_sources=None if verdicts.silent_sources is None else verdicts.silent_sources & kept,
        margins=verdicts.margins.kept(verdicts.margins.ids.within(units)),
        unstable=None if verdicts.unstable is None else verdicts.unstable & units,
    )


def _is_in_half(source: str) -> bool:
    return hashlib.sha256(source.encode()).digest()[0] % 2 == 0
