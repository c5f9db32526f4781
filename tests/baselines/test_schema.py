"""What a baseline keeps is what the comparison takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from baselines.made import RECORDED, ROWS, SETTINGS, bound, static
from mt_gate.base.errors import UsageError
from mt_gate.baselines.reading import read_baseline
from mt_gate.baselines.schema import baseline_path, check_name
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.result import (
    Decision,
    GateVerdict,
)


def test_a_run_against_its_own_baseline_passes(file: Path) -> None:
    outcome = compare(verdicts_from_rows(ROWS), read_baseline(file).verdicts(), SETTINGS)
    assert (outcome.verdict, outcome.exit_code) == (GateVerdict.PASS, 0)
    for comparison in (*outcome.relations.values(), outcome.overall):
        assert (comparison.delta, comparison.decision) == (0.0, Decision.PASS)
        assert (comparison.new_violations, comparison.fixed_violations) == (0, 0)
    assert not {"new", "fixed"} & set(outcome.changes.values())


def test_a_baseline_file_judges_as_its_rows_do(file: Path) -> None:
    candidate = verdicts_from_rows(static("vvns" * 10 + "vv") + bound(["vv", "s", "vss", ""] * 5))
    from_file = compare(candidate, read_baseline(file).verdicts(), SETTINGS)
    from_rows = compare(candidate, [verdicts_from_rows(ROWS)], SETTINGS)
    assert from_file == from_rows


def test_the_head_names_file_suite_and_checkpoint(file: Path) -> None:
    head = read_baseline(file).head(file)
    assert (head.path, head.name, head.recorded) == (str(file), "ner", RECORDED)
    assert (head.suite_sha256, head.checkpoint_fingerprint) == ("ab" * 32, "1" * 64)


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".ner", "a/b", "a\\b", "ner\n", "é", "a" * 101, "-x", "a\0"]
)
def test_a_name_cannot_lead_elsewhere(name: str) -> None:
    with pytest.raises(UsageError, match="baseline name"):
        baseline_path("baselines", name)


@pytest.mark.parametrize("name", ["ner", "ner-2.1_b", "0"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_name(name) == name
    assert baseline_path("baselines", name) == Path("baselines") / f"{name}.json"
