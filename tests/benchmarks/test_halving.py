"""The verdicts on half of the sources."""

from __future__ import annotations

from fault_bench.halving import halved
from mt_gate.judging.verdicts import RelationVerdicts, SourceVerdicts


def test_half_of_the_sources_is_the_same_half_in_every_run() -> None:
    groups = {f"g{at}": f"s{at // 2}" for at in range(200)}
    one = RelationVerdicts(
        id="a",
        violated=frozenset(list(groups)[:100]),
        satisfied=frozenset(list(groups)[100:180]),
        not_applicable={"vacuous": frozenset(list(groups)[180:])},
        source_of=groups,
        sources={source: SourceVerdicts(2) for source in groups.values()},
        unstable=frozenset({"g0", "g199"}),
    )
    (half,) = halved({"a": one}).values()
    assert 30 < len(half.sources) < 70
    assert half.groups == set(half.source_of)
    assert set(half.source_of.values()) == set(half.sources)
    assert len(half.groups) == 2 * len(half.sources)
    assert half.unstable <= half.groups
    other = RelationVerdicts(id="a", violated=frozenset(groups), source_of=groups)
    assert halved({"a": other})["a"].violated == half.groups


def test_a_bound_relation_keeps_sources() -> None:
    sources = {f"s{at}": SourceVerdicts(1, frozenset({f"g{at}"})) for at in range(40)}
    one = RelationVerdicts(
        id="a",
        bound=True,
        violated=frozenset(f"g{at}" for at in range(40)),
        source_of={f"g{at}": f"s{at}" for at in range(40)},
        sources=sources,
        silent_sources=frozenset({"s1", "s2", "s3"}),
        unstable=frozenset({"s4", "s5"}),
    )
    half = halved({"a": one})["a"]
    assert half.silent_sources == {"s1", "s2", "s3"} & half.sources.keys()
    assert half.unstable == {"s4", "s5"} & half.sources.keys()
