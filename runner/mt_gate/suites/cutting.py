"""A part of a suite by clusters of its sources, each whole.

Verdicts are tested by cluster, and a group's source and follow-up belong to one: so what is asked
of one part says nothing of what another asks.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from mt_gate.base.ids import held_ids
from mt_gate.suites.format import Suite
from mt_gate.suites.held_groups import heads, part_of_groups
from mt_gate.suites.held_sources import held_sources


def part_of(suite: Suite, is_in: Callable[[str], bool]) -> Suite:
    """Return what a part asks of a suite: its clusters, and second sources of their groups.

    Args:
        suite: the whole.
        is_in: whether a cluster, by its key, belongs to the part.
    """
    own = held_ids(s.id for s in suite.sources if is_in(s.cluster or s.id))
    groups = part_of_groups(suite.groups, lambda group: group.source in own)
    seconds = held_ids(group.second for group in heads(groups) if group.second)
    sources = held_sources(
        # What is bound to another part's source is asked there.
        source if source.id in own else msgspec.structs.replace(source, bind=())
        for source in suite.sources
        if source.id in own or source.id in seconds
    )
    return msgspec.structs.replace(suite, sources=sources, groups=groups)
