"""Runs on several suites judged as one: as if all of their sources were of one suite."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.made import DEFAULTS, bound, rows
from mt_gate.judging.comparison import Judged, compare, compare_over_suites
from mt_gate.judging.over_suites import OverSuites, of_run, together
from mt_gate.judging.pairing import pair, pool, reduced
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import (
    Comparison,
    Decision,
    GateVerdict,
    GroupRow,
    RunSettings,
)
from mt_gate.settings.policy import Entry, Policy, Tier

TESTS_ALONE = msgspec.structs.replace(DEFAULTS, max_applicability_loss=1, max_applicability_drop=1)
"""Whether a checkpoint stopped answering is judged of each run by itself."""
Rows = Sequence[GroupRow]


def held(
    candidate: Rows,
    baselines: Sequence[Rows],
    chosen: RunSettings = TESTS_ALONE,
    relations: Sequence[str] = (),
) -> OverSuites:
    names = relations or list(dict.fromkeys(row.relation for row in candidate))
    blocking = {name for name in names if chosen.policy.tier(name) is Tier.BLOCK}
    before = [verdicts_from_rows(run) for run in baselines]
    return of_run(verdicts_from_rows(candidate), before, names, blocking)


def over(
    suites: Sequence[Collection[str]],
    candidate: Rows,
    baselines: Sequence[Rows],
    chosen: RunSettings = TESTS_ALONE,
) -> Judged:
    """Judge a run in parts: the sources of each suite by themselves."""
    parts = [
        held(
            [row for row in candidate if row.source_id in sources],
            [[row for row in run if row.source_id in sources] for run in baselines],
            chosen,
            list(dict.fromkeys(row.relation for row in candidate)),
        )
        for sources in suites
    ]
    return compare_over_suites(parts, chosen)


def whole(candidate: Rows, baselines: Sequence[Rows], chosen: RunSettings = TESTS_ALONE) -> Judged:
    found = compare(
        verdicts_from_rows(candidate), [verdicts_from_rows(run) for run in baselines], chosen
    )
    alone = {name: of_tests_alone(of) for name, of in found.relations.items()}
    overall = of_tests_alone(found.overall)
    return Judged(found.verdict, found.exit_code, found.reasons, alone, overall)


def of_tests_alone(comparison: Comparison) -> Comparison:
    return msgspec.structs.replace(comparison, applicability=None)


def close(found: Comparison, expected: Comparison) -> bool:
    """Say whether two are alike; sums of fractions may miss each other by a last digit."""
    one, other = msgspec.structs.asdict(found), msgspec.structs.asdict(expected)
    figures = {name for name, value in other.items() if isinstance(value, float)}
    return all(
        one[name] == (pytest.approx(value, abs=1e-9) if name in figures | {"ci95"} else value)
        for name, value in other.items()
    )


def alike(found: Judged, expected: Judged) -> bool:
    return (
        (found.verdict, found.exit_code, found.reasons)
        == (expected.verdict, expected.exit_code, expected.reasons)
        and found.relations.keys() == expected.relations.keys()
        and all(close(of, expected.relations[name]) for name, of in found.relations.items())
        and close(found.overall, expected.overall)
    )


SOURCES = 40
GROUPS = st.text("vssVS", min_size=SOURCES, max_size=SOURCES)
BOUND = st.lists(st.text("vs", min_size=1, max_size=3), min_size=SOURCES, max_size=SOURCES)
PLACES = st.lists(st.integers(0, 2), min_size=SOURCES, max_size=SOURCES)
TIERS = Policy(relations={"a": Entry(tier=Tier.WARN)})
PARTS = Policy(relations={"a": Entry(margin=0.0), "b": Entry(margin=0.2)})


@settings(max_examples=40)
@given(
    st.lists(st.tuples(GROUPS, GROUPS, BOUND), min_size=2, max_size=3),
    st.integers(1, 3),
    PLACES,
    st.sampled_from([Policy(), TIERS, PARTS]),
)
def test_parts_of_a_run_come_to_what_the_whole_does(
    runs: Sequence[tuple[str, str, Sequence[str]]],
    per_source: int,
    places: Sequence[int],
    policy: Policy,
) -> None:
    chosen = msgspec.structs.replace(TESTS_ALONE, policy=policy)
    candidate, *baselines = [
        [*rows(of_a, "a", per_source), *rows(of_b, "b"), *bound(of_c, "c", str(number))]
        for number, (of_a, of_b, of_c) in enumerate(runs)
    ]
    suites = [
        {f"s{source}" for source, place in enumerate(places) if place == number}
        for number in range(3)
    ]
    assert alike(over(suites, candidate, baselines, chosen), whole(candidate, baselines, chosen))


def test_what_none_shows_all_of_them_do() -> None:
    candidate, baseline = rows("v" * 18 + "s" * 882), rows("s" * 900)
    suites = [{f"s{i}" for i in range(start, 900, 6)} for start in range(6)]
    for sources in suites:
        alone = whole(
            [row for row in candidate if row.source_id in sources],
            [[row for row in baseline if row.source_id in sources]],
        )
        assert alone.verdict is GateVerdict.PASS
    found = over(suites, candidate, [baseline])
    assert (found.verdict, found.exit_code) == (GateVerdict.REGRESSION, 1)
    assert found.relations["r"].decision is Decision.REGRESSION
    assert found.relations["r"].pairs == 900


def test_only_sources_that_differ_are_held_one_by_one() -> None:
    of = held(rows("v" * 5 + "s" * 995), [rows("s" * 990 + "v" * 10)]).pairings["r"]
    assert (len(of.sources), of.clusters, of.pairs) == (15, 1000, 1000)
    assert of.alike.violations == 0
    same = held(rows("v" * 30), [rows("v" * 30)]).pairings["r"]
    assert (len(same.sources), same.clusters, same.alike.violations) == (0, 30, 30)


def test_relations_with_few_sources_are_no_more_together() -> None:
    """Nine sources, of which one is as before in both relations: too few for a test."""
    few, many = "v" * 8 + "s", "s" * 600
    policy = Policy(relations={**dict.fromkeys("ab", Entry(margin=0)), "c": Entry(margin=0.2)})
    chosen = msgspec.structs.replace(TESTS_ALONE, policy=policy)
    candidate = [*rows(few, "a"), *rows(few, "b"), *rows(many, "c")]
    baseline = [*rows("s" * 9, "a"), *rows("s" * 9, "b"), *rows(many, "c")]
    suites = [{f"s{i}" for i in range(600)}, set[str]()]
    assert whole(candidate, [baseline], chosen).verdict is GateVerdict.PASS
    assert over(suites, candidate, [baseline], chosen).verdict is GateVerdict.PASS


def test_groups_of_one_id_are_counted_in_each_suite() -> None:
    one = held(rows("v" * 12 + "s" * 50), [rows("s" * 62)])
    pooled = compare_over_suites([one, one], TESTS_ALONE).overall
    assert (pooled.pairs, pooled.new_violations) == (124, 24)
    assert pooled.delta == pytest.approx(24 / 124)


@pytest.mark.parametrize(("same", "verdict"), [(True, "pass"), (False, "inconclusive")])
def test_a_strict_gate_asks_no_proof_of_the_same_checkpoint(same: bool, verdict: str) -> None:
    strict = msgspec.structs.replace(TESTS_ALONE, strict=True, margin=0.002)
    parts = [held(rows("s" * 40, "a"), [rows("s" * 40, "a")]) for _ in range(2)]
    assert compare_over_suites(parts, strict, same=same).verdict == verdict


def test_a_suite_of_which_nothing_blocks_adds_to_what_is_judged_together_nothing() -> None:
    """Of a baseline of several runs, too."""
    policy = Policy(relations={"w": Entry(tier=Tier.WARN)})
    chosen = msgspec.structs.replace(TESTS_ALONE, policy=policy)
    warned = held(rows("s" * 20, "w"), [rows("s" * 20, "w")] * 3, chosen)
    blocking = held(rows("v" * 20, "a"), [rows("s" * 20, "a")] * 3, chosen)
    for parts in ([warned, blocking], [blocking, warned]):
        assert compare_over_suites(parts, chosen).overall.pairs == 20
    silent = held(rows("n" * 20, "a"), [rows("n" * 20, "a")] * 3, chosen)
    assert compare_over_suites([warned, silent], chosen).overall.pairs == 0


def test_a_source_of_one_name_is_one_where_it_differs() -> None:
    one = held(rows("v" * 12, "a"), [rows("s" * 12, "a")])
    other = held(rows("v" * 12, "b"), [rows("s" * 12, "b")])
    assert together([one, other]).whole.clusters == 12
    assert together([one, other]).pairings.keys() == {"a", "b"}
    assert together([one, one]).pairings["a"].pairs == 24


def test_reducing_twice_changes_nothing() -> None:
    once = reduced([pair(*_verdicts("vvs" * 10, "vss" * 10))])
    (twice,) = reduced(once)
    assert (twice.clusters, twice.pairs) == (once[0].clusters, once[0].pairs)
    assert (twice.alike, len(twice.sources)) == (once[0].alike, 10)
    assert pool([]).clusters == 0


def _verdicts(now: str, before: str) -> tuple[RelationVerdicts, list[RelationVerdicts]]:
    found: Sequence[Mapping[str, RelationVerdicts]] = [
        verdicts_from_rows(rows(pattern)) for pattern in (now, before)
    ]
    return found[0]["r"], [found[1]["r"]]
