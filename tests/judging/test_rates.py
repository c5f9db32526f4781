"""Kinds of edit counted apart: the counts, and intervals that hold sources together."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from baselines.made import result_of, static
from mt_gate.domain import Verdict
from mt_gate.judging.clustered import Rate, rates
from mt_gate.judging.statistics import rate_interval
from mt_gate.results.result import GroupRow, Stratum
from mt_gate.running.measuring import count_all

V, S, N = Verdict.VIOLATED, Verdict.SATISFIED, Verdict.NOT_APPLICABLE


def strata(rows: list[GroupRow]) -> Mapping[str, Stratum]:
    [relation] = count_all(["re/same-type"], rows)
    return relation.strata


def row(source: str, stratum: str, verdict: Verdict = V) -> GroupRow:
    return GroupRow(
        id="1f",
        relation="re/same-type",
        source_id=source,
        verdict=verdict,
        source={},
        stratum=stratum,
        reason="source-answer" if verdict is N else "",
    )


ROWS = [
    row("a", "rare"), row("a", "rare", S), row("b", "rare"), row("c", "rare", N),
    row("a", "frequent", S), row("b", "frequent", S), row("b", "frequent"), row("d", ""),
]  # fmt: skip


def test_counts_and_intervals_by_source() -> None:
    found = strata(ROWS)
    assert [*found] == ["frequent", "rare"]
    rare = found["rare"]
    assert (rare.groups, rare.applicable, rare.violated) == (4, 3, 2)
    assert rare.violation_rate == pytest.approx(2 / 3)
    assert rare.ci95 == pytest.approx(rate_interval([1, 1], [2, 1]), abs=0.4)
    assert rare.ci95[0] <= 2 / 3 <= rare.ci95[1]
    assert count_all(["re/same-type"], ROWS)[0].groups == 8


def test_groups_of_one_source_are_one_cluster() -> None:
    """The same counts from ten sources are surer than from two."""
    apart = [row(f"s{n}", "rare", V if n % 2 else S) for n in range(40)]
    together = [row(f"s{n // 10}", "rare", V if n // 10 % 2 else S) for n in range(40)]

    def width(rows: list[GroupRow]) -> float:
        low, high = strata(rows)["rare"].ci95 or (0, 0)
        return high - low

    assert width(apart) < width(together)


def test_a_run_s_rates_are_by_relation_and_of_all_together() -> None:
    rows = [*static("vvss", "a"), *static("vs", "b"), *static("nn", "c")]
    found = rates(result_of(rows), rows)
    assert [*found.relations] == ["a", "b", "c"]
    assert found.relations["a"] == Rate(4, 2, 0.5, rate_interval([2, 0], [2, 2]))
    assert found.relations["b"] == Rate(2, 1, 0.5, rate_interval([1], [2]))
    assert found.relations["c"] == Rate(0, 0, None, None)
    # The two groups of relation b are of the first source of relation a: one cluster.
    assert found.overall == Rate(6, 3, 0.5, rate_interval([3, 0], [4, 2]))
