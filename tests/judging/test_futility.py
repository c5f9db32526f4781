"""When a run may stop early, because the rest could hardly show a loss."""

from __future__ import annotations

import numpy as np
import pytest

from judging.made import DEFAULTS, rows
from judging.test_clustered import noisy, pairing
from mt_gate.judging.clustered import ClusteredTest
from mt_gate.judging.comparison import Outcome, RunFacts, compare
from mt_gate.judging.family import LOOKS, look_of, share_predicted
from mt_gate.judging.measuring import chance_of_loss
from mt_gate.judging.verdicts import restrict_to, verdicts_from_rows
from mt_gate.results.result import GroupRow
from mt_gate.results.rules import MIN_CLUSTERS, at_part

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
