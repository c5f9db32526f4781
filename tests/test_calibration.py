"""The commands behind the tables of calibration and scale."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import calibration
import scale
from calibration import PAGE, TABLES, eighty_point
from calibration_data import drawn, exchanged, flipped, made_up, opened, shifted, with_rise
from mt_gate.suites.format import read_suite


def test_the_page_has_every_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in TABLES:
        _, mark, rest = text.partition(f"<!-- table: {name} -->\n")
        assert mark, name
        assert rest.partition("<!-- end -->")[0].count("\n| --- |") == 1, name


def test_the_rise_detected_four_times_in_five_is_that_of_the_probit_line() -> None:
    rises = (1.0, 2.0, 3.0, 4.0)
    chances = [calibration.NORMAL.cdf(0.8416 + (rise - 2.5)) for rise in rises]
    actual = [np.arange(1000) < 1000 * chance for chance in chances]
    assert eighty_point(rises, actual) == pytest.approx(2.5, abs=0.05)


def test_exchanged_runs_are_the_same_two() -> None:
    suite = made_up(200, "4", "mixed", 3, np.random.default_rng(1))
    runs, swapped = exchanged(suite, np.random.default_rng(2))
    assert 60 < swapped.sum() < 140
    assert np.array_equal(runs[~swapped], suite.outcomes[~swapped])
    assert np.array_equal(runs[swapped], suite.outcomes[swapped][:, ::-1])


@pytest.mark.parametrize("rise", [0.05, -0.05])
def test_a_true_rise_is_as_large_as_chosen(rise: float) -> None:
    suite = made_up(4000, "heavy", "mixed", 2, np.random.default_rng(1))
    before = suite.outcomes[:, 0].sum() / suite.weights.sum()
    run = shifted(suite, suite.outcomes[:, 0], rise, np.random.default_rng(2))
    assert run.sum() / suite.weights.sum() - before == pytest.approx(rise, abs=0.01)
    assert ((run >= 0) & (run <= suite.weights)).all()


def test_a_rise_of_one_relation_leaves_the_others() -> None:
    suite = made_up(500, "4", "single", 3, np.random.default_rng(1))
    rises = np.array([0.0, 0.1, 0.0])
    runs = with_rise(suite, suite.outcomes, rises, np.random.default_rng(2))
    assert np.array_equal(runs[:, :, [0, 2]], suite.outcomes[:, :, [0, 2]])
    assert np.array_equal(runs[:, 1], suite.outcomes[:, 1])
    moved = (runs[:, 0, 1] - suite.outcomes[:, 0, 1]).sum() / suite.weights[:, 1].sum()
    assert moved == pytest.approx(0.1, abs=0.03)


def test_runs_that_are_drawn_differ_as_often_as_the_two() -> None:
    suite = made_up(1500, "1", "single", 2, np.random.default_rng(1))
    real = (suite.outcomes[:, 0] != suite.outcomes[:, 1]).any(axis=1).mean()
    runs = drawn(opened(suite), 4, np.random.default_rng(2))
    for one, other in ((0, 1), (1, 3), (2, 3)):
        differing = (runs[:, one] != runs[:, other]).any(axis=1).mean()
        assert differing == pytest.approx(real, abs=0.05)


@pytest.mark.parametrize("flips", ["single", "whole", "mixed"])
@pytest.mark.parametrize("size", ["1", "4", "heavy"])
def test_groups_flip_with_their_chances(size: str, flips: str) -> None:
    rng = np.random.default_rng(3)
    weights, new, fixed = flipped(20_000, size, flips, (0.2, 0.1), 1, rng)
    assert new.sum() / weights.sum() == pytest.approx(0.2, abs=0.02)
    assert fixed.sum() / weights.sum() == pytest.approx(0.1, abs=0.02)
    assert (new + fixed <= weights).all()


def test_a_made_up_suite_is_one(tmp_path: Path) -> None:
    suite = read_suite(scale.made_up(tmp_path / "suite", 400))
    assert (len(suite.groups), len(suite.sources)) == (400, 100)
    assert {group.relation for group in suite.groups} == {*scale.RELATIONS}


def test_systems_answer_each_request_and_differ_a_little(tmp_path: Path) -> None:
    suite = read_suite(scale.made_up(tmp_path / "suite", 4000))
    requests = [json.dumps({"id": at, **source.input}) for at, source in enumerate(suite.sources)]
    answers = {}
    for seed in "ab":
        head, *lines = map(json.loads, scale.answer_lines(requests, seed))
        assert head["system"]["name"] == f"made up {seed}"
        assert [line["id"] for line in lines] == [*range(len(requests))]
        answers[seed] = [line["entities"] for line in lines]
    differing = sum(one != other for one, other in zip(answers["a"], answers["b"], strict=True))
    assert 0 < differing < len(requests) / 50


def test_slopes_are_those_of_logarithms() -> None:
    assert scale.slope([10, 100, 1000], [3, 30, 300]) == pytest.approx(1)
    assert scale.slope([10, 100, 1000], [5, 5, 5]) == pytest.approx(0)
    costs = {
        size: dict.fromkeys(scale.STEPS, scale.Cost(size / 100, 50_000_000)) for size in (100, 1000)
    }
    lines = scale.table(costs).splitlines()
    assert lines[0] == "|  | 100 cases | 1,000 cases | log-log slope |"
    assert lines[2] == "| run, s | 1.0 | 10.0 | 1.00 |"
    assert lines[3] == "| run, MB | 50 | 50 | 0.00 |"
