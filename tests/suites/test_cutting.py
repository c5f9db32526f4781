"""Parts of a suite hold whole clusters, and the second sources of their groups."""

from __future__ import annotations

import msgspec

from making_relations import group, source, suite
from mt_gate.suites.quick import part_of

RELATION = "re/swap"


def test_a_part_has_its_clusters_whole_and_second_sources_bind_nothing_there() -> None:
    sources = [
        msgspec.structs.replace(
            source(f"[Anna|h PERSON] met [Bo|t PERSON] {at}.", f"s{at}", bind=("re/bound",)),
            cluster=cluster,
        )
        for at, cluster in enumerate(["one", "", "one", "two"])
    ]
    groups = [
        msgspec.structs.replace(
            group(RELATION, one, "[Bo|h PERSON] met [Anna|t PERSON]."), second=sources[3].id
        )
        for one in sources
    ]
    whole = suite([RELATION], sources, groups)
    part = part_of(whole, {"one", "s1"}.__contains__)
    assert [found.id for found in part.sources] == ["s0", "s1", "s2", "s3"]
    assert [bool(found.bind) for found in part.sources] == [True, True, True, False]
    assert [found.source for found in part.groups] == ["s0", "s1", "s2"]
    assert part_of(whole, lambda _: True) == whole
    nothing = part_of(whole, lambda _: False)
    assert not nothing.sources
    assert not nothing.groups
