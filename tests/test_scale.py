"""What benchmarks/scale.py measures by: its suites, its system, its table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scale
from mt_gate.suites.format import read_suite


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
