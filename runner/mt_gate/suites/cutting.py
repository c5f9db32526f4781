"""A part of a suite by clusters of its sources, each whole.

Verdicts are tested by cluster, and a group's source and follow-up belong to one: so what is asked
of one part says nothing of what another asks.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from mt_gate.suites.format import Suite


def part_of(suite: Suite, is_in: Callable[[str], bool]) -> Suite:
    """Return what a part asks of a suite: its clusters, and second sources of their groups.

    Args:
        suite: the whole.
        is_in: whether a cluster, by its key, belongs to the part.
    """
    own = {s.id for s in suite.sources if is_in(s.cluster or s.id)}
    groups = tuple(group for group in suite.groups if group.source in own)
    seconds = {group.second for group in groups}
    sources = tuple(
        # What is bound to another part's source is asked there.
        source if source.id in own else msgspec.structs.replace(source, bind=())
        for source in suite.sources
        if source.id in own or source.id in seconds
    )
    return msgspec.structs.replace(suite, sources=sources, groups=groups)
