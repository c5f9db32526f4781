"""What a baseline keeps is what the comparison takes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from baselines.made import ROWS, SETTINGS, bound, measured, static
from mt_gate.base.errors import UsageError
from mt_gate.baselines.schema import baseline_path, check_name, read_baseline
from mt_gate.baselines.writing import build_baseline
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows


def test_a_baseline_file_judges_as_its_rows_do(file: Path) -> None:
    candidate = verdicts_from_rows(static("vvns" * 10 + "vv") + bound(["vv", "s", "vss", ""] * 5))
    from_file = compare(candidate, [of.verdicts() for of in read_baseline(file).runs], SETTINGS)
    from_rows = compare(candidate, [verdicts_from_rows(ROWS)], SETTINGS)
    assert from_file == from_rows


def test_the_noisiest_and_the_newest_of_several_runs_count() -> None:
    noisy = msgspec.structs.replace(SETTINGS, relations=("swap",), noise=0.5)
    runs = [
        measured(static("vs"), 1, created="2026-02-01"),
        measured(static("vs"), 2, created="2026-01-01", settings=noisy),
    ]
    baseline = build_baseline(runs, "ner")
    assert (baseline.recorded, baseline.settings.noise) == ("2026-02-01", 0.5)
    assert [run.created for run in baseline.runs] == ["2026-02-01", "2026-01-01"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".ner", "a/b", "a\\b", "ner\n", "é", "a" * 101, "-x", "a\0"]
)
def test_a_name_cannot_lead_elsewhere(name: str) -> None:
    with pytest.raises(UsageError, match="Baseline name"):
        baseline_path("baselines", name)


@pytest.mark.parametrize("name", ["ner", "ner-2.1_b", "0"])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_name(name) == name
    assert baseline_path("baselines", name) == Path("baselines") / f"{name}.json"
