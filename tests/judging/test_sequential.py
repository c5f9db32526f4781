"""Looks at a part of a run: how seldom they fail by chance, and when they stop early."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from judging.made import DEFAULTS, rows
from judging.test_clustered import noisy, pairing
from mt_gate.judging.clustered import ClusteredTest, looks_of
from mt_gate.judging.comparison import Outcome, RunFacts, compare
from mt_gate.judging.family import (
    LOOKS,
    Family,
    FamilyOptions,
    Seen,
    alpha_for_collapse,
    families_by_look,
    family_at_look,
    family_tests,
    look_of,
    share_predicted,
    spent,
)
from mt_gate.judging.measuring import chance_of_loss
from mt_gate.judging.verdicts import restrict_to, verdicts_from_rows
from mt_gate.results.result import GroupRow
from mt_gate.results.rules import MIN_CLUSTERS, at_part

Floats = NDArray[np.float64]
ALPHA = 0.2
DRAWS = 2_000
_ERROR = 4 * (ALPHA * (1 - ALPHA) / DRAWS) ** 0.5
"""Four standard errors of a share alpha of so many permutations."""


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Follow few permutations: a test looks at many runs."""
    monkeypatch.setattr("mt_gate.judging.family.draws_for", lambda _: DRAWS)


def question(relations: int, alpha: float = ALPHA) -> FamilyOptions:
    every = relations + 1
    return FamilyOptions(alpha, [True] * every, [1.0] * every, None, None, seed=1)


def at_all_looks(outcomes: Floats, at: NDArray[np.int64], alpha: float = ALPHA) -> list[Family]:
    """Return what was found at each look."""
    relations = outcomes.shape[2]
    seen = Seen(at, [[True] * (relations + 1)] * LOOKS)
    return [made() for made in families_by_look(outcomes, question(relations, alpha), seen)]


def fails(families: list[Family], alpha: float = ALPHA) -> bool:
    return any(min(family.worse.adjusted) < alpha for family in families)


def two_runs(differences: Floats) -> Floats:
    """Return violations of two runs with these differences, shape (clusters, relations)."""
    return np.stack([np.maximum(differences, 0), np.maximum(-differences, 0)], axis=1)


def random_runs(clusters: int, relations: int, seed: int, rise: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    differences = rng.integers(-2, 3, (clusters, relations)).astype(np.float64)
    return two_runs(differences + (rng.random(differences.shape) < rise))


@settings(max_examples=6, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=5, max_size=6),
    st.lists(st.integers(1, LOOKS), min_size=6, max_size=6),
)
def test_of_all_orders_of_the_runs_alpha_fail_at_some_look(
    sizes: list[list[int]], looks: list[int]
) -> None:
    """Whatever the sizes of the differences, and whenever they are seen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mt_gate.judging.family.draws_for", lambda _: DRAWS)
        at = np.array(looks[: len(sizes)])
        signs = itertools.product((1.0, -1.0), repeat=len(sizes))
        actual = [
            fails(at_all_looks(two_runs(np.array(sizes) * np.array(sign)[:, None]), at))
            for sign in signs
        ]
    assert np.mean(actual) <= ALPHA + _ERROR


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("seed", range(3))
def test_no_look_takes_more_permutations_than_it_may(seed: int) -> None:
    outcomes = random_runs(60, 3, seed)
    at = looks_of([f"s{i}" for i in range(len(outcomes))])
    seen = Seen(at, [[True] * 4] * LOOKS)
    before = 0
    for look, made in enumerate(families_by_look(outcomes, question(3), seen), 1):
        worse = made.args[1]  # type: ignore[attr-defined]
        taken = int((~worse._left).sum())
        assert before <= taken <= DRAWS * spent(ALPHA, max(1, look - 1))
        before = taken
    assert before > 0


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("runs", [2, 4])
def test_a_look_knows_nothing_of_what_comes_later(runs: int) -> None:
    rng = np.random.default_rng(3)
    outcomes = rng.integers(0, 3, (80, runs, 2)).astype(np.float64)
    at = looks_of([f"s{i}" for i in range(len(outcomes))])
    for look, whole in enumerate(at_all_looks(outcomes, at), 1):
        part = Seen(at[at <= look], [[True] * 3] * look)
        assert family_at_look(outcomes[at <= look], question(2), part) == whole


@pytest.mark.usefixtures("few_draws")
def test_runs_in_another_order_have_the_same_permutations() -> None:
    outcomes = random_runs(80, 2, 4)
    at = looks_of([f"s{i}" for i in range(len(outcomes))])
    swapped = np.where((np.arange(80) % 3 == 0)[:, None, None], outcomes[:, ::-1], outcomes)
    seen = Seen(at, [[True] * 3] * LOOKS)
    for made in families_by_look(outcomes, question(2), seen):
        assert made(outcomes) == made()
    last = made(swapped).worse.adjusted
    assert last == pytest.approx(at_all_looks(swapped, at)[-1].worse.adjusted, abs=2 * _ERROR)


@pytest.mark.usefixtures("few_draws")
def test_a_larger_loss_is_detected_earlier() -> None:
    at = looks_of([f"s{i}" for i in range(300)])
    first = []
    for rise in (0.3, 0.8):
        actual = at_all_looks(random_runs(300, 2, 5, rise), at, 0.05)
        assert fails(actual, 0.05)
        first.append(next(i for i, family in enumerate(actual) if fails([family], 0.05)))
        assert min(actual[-1].better.adjusted) > 0.5
    assert first[1] < first[0]


@pytest.mark.usefixtures("few_draws")
def test_an_improvement_is_the_other_side() -> None:
    at = looks_of([f"s{i}" for i in range(200)])
    outcomes = random_runs(200, 1, 5, 0.8)
    one, other = at_all_looks(outcomes, at)[-1], at_all_looks(outcomes[:, ::-1], at)[-1]
    assert min(other.better.adjusted) < ALPHA < min(other.worse.adjusted)
    assert other.better.adjusted == pytest.approx(one.worse.adjusted, abs=_ERROR)


def test_seen_at_the_last_look_alone_is_the_test_of_a_whole_run() -> None:
    """Nothing was spent where nothing was seen; one relation is its own pool."""
    outcomes = random_runs(200, 1, 8, 0.1)
    actual = at_all_looks(outcomes, np.full(len(outcomes), LOOKS), 0.05)
    whole = family_tests(outcomes, question(1, 0.05))
    assert actual[-1].worse.adjusted[-1] == pytest.approx(whole.worse.adjusted[-1], abs=0.01)
    assert actual[-1].pool_threshold == pytest.approx(whole.pool_threshold, abs=0.15)


@pytest.mark.usefixtures("few_draws")
def test_what_a_look_asks_for_grows_less() -> None:
    """Also where no run differs, so that no order of them could be worse."""
    at = looks_of([f"s{i}" for i in range(300)])
    for outcomes in (random_runs(300, 2, 1), np.zeros((300, 2, 2))):
        needed = [family.pool_threshold for family in at_all_looks(outcomes, at)]
        assert np.isfinite(needed).all()
        assert needed[0] > needed[4] > needed[-1] > 0.8


@pytest.mark.usefixtures("few_draws")
def test_an_untested_relation_never_fails() -> None:
    outcomes = random_runs(200, 2, 5, 0.8)
    seen = Seen(np.ones(200, dtype=np.int64), [[True, False, False]])
    actual = family_at_look(outcomes, question(2), seen)
    assert actual.worse.single[1:] == actual.worse.adjusted[1:] == (1.0, 1.0)
    assert actual.worse.adjusted[0] < 0.05


def test_the_pool_is_compared_with_its_own_permutations() -> None:
    """Not with those of another relation, which differs for 5 of 65 sources."""
    differences = np.zeros((65, 2))
    differences[:60, 0] = [1] * 34 + [-1] * 26
    differences[60:, 1] = [1] * 3 + [-1] * 2
    outcomes = two_runs(differences)
    *_, last = at_all_looks(outcomes, np.full(65, LOOKS))
    whole = family_tests(outcomes, question(2))
    assert last.worse.adjusted[-1] == pytest.approx(whole.worse.adjusted[-1], abs=0.02)


@given(st.text())
def test_a_cluster_comes_at_one_look(cluster: str) -> None:
    assert 1 <= look_of(cluster) <= LOOKS
    assert look_of(cluster) == look_of(cluster)


def test_looks_are_about_equally_large() -> None:
    counts = Counter(look_of(f"cluster {i}") for i in range(10_000))
    assert sorted(counts) == [*range(1, LOOKS + 1)]
    assert max(counts.values()) < 1.2 * min(counts.values())


@given(st.floats(1e-6, 0.5))
def test_alpha_is_spent_step_by_step_and_no_more(alpha: float) -> None:
    steps = [spent(alpha, look) for look in range(1, LOOKS + 1)]
    assert steps == sorted(set(steps))
    assert steps[0] > 0
    assert steps[-1] == alpha
    assert share_predicted(LOOKS) == 1


def test_the_looks_share_alpha_for_what_is_answered() -> None:
    assert math.isclose(math.fsum(alpha_for_collapse(look) for look in range(1, LOOKS + 1)), 1)


SOURCES = 1_000


def made(seed: int, violated: float, silent: float = 0.0) -> list[GroupRow]:
    rng = np.random.default_rng(seed)
    return rows("".join(rng.choice([*"vsn"], SOURCES, p=[violated, 1 - violated - silent, silent])))


def at_look(now: list[GroupRow], before: list[GroupRow], look: int) -> Outcome:
    rows_so_far = [row for row in now if look_of(row.cluster_key) <= look]
    verdicts, settings = verdicts_from_rows(rows_so_far), at_part(DEFAULTS, share_predicted(look))
    old = restrict_to([verdicts_from_rows(before)], verdicts)
    return compare(verdicts, old, settings, RunFacts(look=look))


def test_no_run_stops_at_the_first_look() -> None:
    assert at_look(made(1, 0.2), made(2, 0.2), 1).can_still_lose


def test_a_run_without_a_difference_stops_early() -> None:
    outcomes = [at_look(made(1, 0.2), made(1, 0.2), look) for look in range(1, LOOKS)]
    stopped = [not outcome.can_still_lose for outcome in outcomes]
    assert stopped == sorted(stopped)
    assert any(stopped)
    assert all(outcome.verdict == "pass" for outcome in outcomes)


def test_an_uncertain_loss_goes_on() -> None:
    """Worse by two points, not beyond chance at any look before the last."""
    now = made(1, 0.2)
    turned = [i for i, row in enumerate(now) if row.verdict == "satisfied"][:20]
    worse = rows(
        "".join(
            "v" if i in turned or row.verdict == "violated" else "s" for i, row in enumerate(now)
        )
    )
    assert at_look(worse, now, LOOKS - 1).can_still_lose


@pytest.mark.parametrize(("silent", "goes_on"), [(0.0, False), (0.12, True)])
def test_a_fading_loss_goes_on(silent: float, goes_on: bool) -> None:
    """Twelve points fewer are answered, which is too much in the whole, and not sure yet."""
    before = rows("s" * SOURCES)
    now = rows("".join("n" if i % 100 < 100 * silent else "s" for i in range(SOURCES)))
    outcome = at_look(now, before, LOOKS - 2)
    assert outcome.verdict == "pass"
    assert outcome.can_still_lose is goes_on


def test_silence_with_better_answers_goes_on() -> None:
    """Also where the limit on silence comes to exactly 1, a tenth of all at a tenth of the run."""
    sources = 4 * SOURCES  # so many that no rise is likely any more
    before = rows("vvss" * SOURCES)
    now = rows("".join("n" if i % 100 < 30 else "s" for i in range(sources)))
    assert share_predicted(1) == DEFAULTS.max_applicability_loss
    assert at_look(now, before, 1).can_still_lose
    assert not at_look(rows("s" * sources), before, 1).can_still_lose
    assert at_look(now, before, LOOKS).verdict == "collapse"


def test_too_few_groups_to_compare_go_on() -> None:
    outcome = at_look(rows("s" * 30), rows("s" * 30), 1)
    assert outcome.verdict == "cannot-judge"
    assert outcome.can_still_lose


def test_the_last_look_leaves_nothing() -> None:
    assert not at_look(made(1, 0.2), made(2, 0.2), LOOKS).can_still_lose


def test_without_a_threshold_one_test_decides() -> None:
    of = noisy(200, 2, 1)
    chance = chance_of_loss(of, ClusteredTest(delta=0.0), DEFAULTS, 0.5)
    assert 0 < chance == chance_of_loss(of, ClusteredTest(delta=0.0, final=0.0), DEFAULTS, 0.5)
    assert chance_of_loss(of, ClusteredTest(delta=0.0, final=5.0), DEFAULTS, 0.5) < chance


def test_of_sources_too_few_for_any_test_nothing_is_lost() -> None:
    nothing, few = ClusteredTest(delta=0.0), MIN_CLUSTERS - 2
    assert chance_of_loss(noisy(few, 2, 1), nothing, DEFAULTS, 1.0) == 0.0
    assert chance_of_loss(pairing([]), nothing, DEFAULTS, 1 / MIN_CLUSTERS) == 1.0
    assert chance_of_loss(pairing([]), nothing, DEFAULTS, 0.9) == 0.0
