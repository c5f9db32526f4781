"""Violations weighed by margin: what they show, and what they must not."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest

from judging.made import DEFAULTS
from mt_gate.domain import Verdict
from mt_gate.judging import evidence
from mt_gate.judging.comparison import Outcome, compare
from mt_gate.judging.evidence import graded_evidence, in_words
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows
from mt_gate.results.result import Evidence, GateVerdict, GroupRow
from mt_gate.settings.policy import Entry, Policy, Tier

SETTINGS = msgspec.structs.replace(DEFAULTS, relations=("r",))


def rows(margins: np.ndarray, *, bound: bool = False, per_source: int = 2) -> list[GroupRow]:
    """Return a group for each signed margin, below 0 if violated, kept as a run keeps it."""
    return [
        GroupRow(
            id=f"g{at:05}",
            relation="r",
            source_id=f"s{at // per_source:05}",
            verdict=Verdict.VIOLATED if margin < 0 else Verdict.SATISFIED,
            source={},
            follow_up={},
            bound=bound,
            margin=float(f"{abs(margin):.4g}"),
        )
        for at, margin in enumerate(np.asarray(margins, dtype=np.float32).tolist())
    ]


def run(margins: np.ndarray, *, bound: bool = False) -> RunVerdicts:
    return verdicts_from_rows(rows(margins, bound=bound))


def judged(candidate: RunVerdicts, *baselines: RunVerdicts) -> Outcome:
    return compare(candidate, baselines, SETTINGS)


def found(candidate: np.ndarray, *baselines: np.ndarray) -> Evidence:
    before = [run(margins)["r"] for margins in baselines]
    evidence = graded_evidence([run(candidate)["r"]], [before], SETTINGS)
    assert evidence is not None
    return evidence


def drawn(seed: int, groups: int = 600) -> np.ndarray:
    """Return margins of which a tenth is violated."""
    return np.random.default_rng(seed).normal(1.3, 1.0, groups) * 2


@pytest.mark.parametrize("seed", range(100))
def test_rescaled_logits_show_nothing(seed: int) -> None:
    margins = drawn(seed).astype(np.float32)
    scale = np.float32((0.7, 1.5)[seed % 2])
    outcome = judged(run(margins * scale), run(margins))
    assert outcome.verdict is GateVerdict.PASS
    assert outcome.evidence is not None
    assert outcome.evidence.p_value > 0.2
    assert abs(outcome.evidence.delta) < 1e-4
    assert in_words(outcome.evidence, SETTINGS.alpha) == ""


def test_answers_nearer_to_turning_are_worse_though_none_turned() -> None:
    before = np.abs(drawn(1)) + 0.5
    after = np.where(np.arange(len(before)) % 4 == 0, before * 0.05, before)
    worse, better = found(after, before), found(before, after)
    assert judged(run(after), run(before)).overall.delta == 0
    assert worse.delta > 0.02
    assert worse.p_value < 0.001
    assert better.delta == -worse.delta
    assert better.p_value == worse.p_value
    assert "rose by" in in_words(worse, 0.05)
    assert "fell by" in in_words(better, 0.05)
    assert "no part of the verdict" in in_words(worse, 0.05)
    assert in_words(worse, 0.05).endswith("answers that hold lie nearer to turning, or turned")
    assert in_words(better, 0.05).endswith("that hold lie farther from turning, or turned")


def test_what_is_exchanged_at_random_is_seldom_evidence() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(60):
        one = rng.normal(1.3, 1.0, (300, 2))
        two = one + rng.normal(0, 0.4, (300, 2))
        swap = rng.random((300, 1)) < 0.5
        seen += (
            found(np.where(swap, one, two).ravel(), np.where(swap, two, one).ravel()).p_value < 0.05
        )
    assert seen <= 8  # 1 in 200 at a true rate of 5 %


def test_evidence_agrees_with_the_verdict_where_margins_are_wide() -> None:
    before = np.full(400, 3.0)
    after = before.copy()
    after[:40] = -3.0
    outcome = judged(run(after), run(before))
    assert outcome.evidence is not None
    assert outcome.evidence.delta == pytest.approx(outcome.overall.delta, abs=0.02)
    assert outcome.evidence.p_value == pytest.approx(2 * (outcome.overall.p_value or 0), rel=0.1)


def test_several_runs_widen_it() -> None:
    base = drawn(3)
    rng = np.random.default_rng(4)
    seeds = [base + rng.normal(shift, 0.2, len(base)) for shift in (-0.5, 0.0, 0.5)]
    candidate = base + rng.normal(-0.3, 0.2, len(base))
    assert found(candidate, base).p_value < 0.01
    assert found(candidate, *seeds).p_value > 0.05


def test_groups_built_at_run_time_count_by_source() -> None:
    before = np.abs(drawn(6)) + 0.5
    after = np.where(np.arange(len(before)) % 2 == 0, before * 0.05, before)
    outcome = judged(run(after, bound=True), run(before, bound=True))
    assert outcome.evidence is not None
    assert outcome.evidence.pairs == outcome.evidence.clusters == 300
    assert outcome.evidence.p_value < 0.001


def test_the_order_of_groups_does_not_count() -> None:
    before, after = drawn(7), drawn(8)
    mixed = rows(after)
    random.Random(1).shuffle(mixed)
    expected = judged(run(after), run(before)).evidence
    assert judged(verdicts_from_rows(mixed), run(before)).evidence == expected


def test_nothing_is_said_without_margins_or_with_few_sources() -> None:
    bare = verdicts_from_rows([msgspec.structs.replace(row, margin=None) for row in rows(drawn(9))])
    assert judged(run(drawn(9)), bare).evidence is None
    assert judged(bare, run(drawn(9))).evidence is None
    assert judged(run(drawn(9, 6)), run(drawn(8, 6))).evidence is None
    assert judged(run(np.zeros(400)), run(drawn(9, 400))).evidence is None
    assert graded_evidence([], [], SETTINGS) is None


def test_relations_that_only_warn_are_left_out() -> None:
    policy = Policy(relations={"r": Entry(tier=Tier.WARN)})
    settings = msgspec.structs.replace(SETTINGS, policy=policy)
    assert compare(run(drawn(1)), [run(drawn(2))], settings).evidence is None


def test_a_violation_is_smoothed_narrowly() -> None:
    margins = {"turns": (0.0,), "far": (2.0,), "lost": (-2.0, 2.0)}
    graded = evidence._graded(margins, 2.0)
    assert graded == {"turns": evidence.STEPS // 2, "far": 0, "lost": evidence.STEPS // 2}
