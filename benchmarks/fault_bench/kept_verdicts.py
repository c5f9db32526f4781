"""The verdicts of a study's runs as they stand in its files."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import msgspec

from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, SourceVerdicts
from mt_gate.results.result import Count

Ids = tuple[str, ...]


class KeptSource(msgspec.Struct, frozen=True):
    """As ``SourceVerdicts``."""

    applicable: Count = 0
    violated: Ids = ()


class KeptVerdicts(msgspec.Struct, frozen=True, kw_only=True):
    """As ``RelationVerdicts``, field by field."""

    id: str
    bound: bool = False
    violated: Ids = ()
    satisfied: Ids = ()
    not_applicable: Mapping[str, Ids] = {}
    source_of: Mapping[str, str] = {}
    sources: Mapping[str, KeptSource] = {}
    silent_sources: Ids | None = None
    unstable: Ids | None = ()

    def __post_init__(self) -> None:
        """Reject groups whose source is unknown."""
        every = chain(self.violated, self.satisfied, *self.not_applicable.values())
        if any(group not in self.source_of for group in every):
            raise ValueError("a case without its original text")

    def verdicts(self) -> RelationVerdicts:
        """Return them as they are judged by."""
        return RelationVerdicts(
            id=self.id,
            bound=self.bound,
            violated=frozenset(self.violated),
            satisfied=frozenset(self.satisfied),
            not_applicable={why: frozenset(ids) for why, ids in self.not_applicable.items()},
            source_of=self.source_of,
            sources={
                source: SourceVerdicts(of.applicable, frozenset(of.violated))
                for source, of in self.sources.items()
            },
            silent_sources=None if self.silent_sources is None else frozenset(self.silent_sources),
            unstable=None if self.unstable is None else frozenset(self.unstable),
        )


def to_keep(run: RunVerdicts) -> dict[str, KeptVerdicts]:
    """Return the verdicts of a run as they are written."""
    return {name: _kept(of) for name, of in run.items()}


def as_judged(kept: Mapping[str, KeptVerdicts]) -> RunVerdicts:
    """Return the verdicts of a run as they were before they were written."""
    return {name: of.verdicts() for name, of in kept.items()}


def _kept(of: RelationVerdicts) -> KeptVerdicts:
    return KeptVerdicts(
        id=of.id,
        bound=of.bound,
        violated=tuple(sorted(of.violated)),
        satisfied=tuple(sorted(of.satisfied)),
        not_applicable={why: tuple(sorted(ids)) for why, ids in of.not_applicable.items()},
        source_of=dict(sorted(of.source_of.items())),
        sources={
            source: KeptSource(found.applicable, tuple(sorted(found.violated)))
            for source, found in sorted(of.sources.items())
        },
        silent_sources=None if of.silent_sources is None else tuple(sorted(of.silent_sources)),
        unstable=None if of.unstable is None else tuple(sorted(of.unstable)),
    )
