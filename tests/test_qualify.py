"""Two sides run in one job on a small suite and small, real ONNX checkpoints."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cases import table
from conftest import as_flags
from counting_churn import counted, expected_counts, turned
from making import LABELS
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE

FIVE = ["groups.jsonl.gz", "junit.xml", "report.html", "result.json", "summary.md"]


def result(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "result.json").read_text())


def says(folder: Path, *labels: str) -> str:
    """Return a system that finds an entity of each label in every sentence."""
    program = folder / f"answer{'-'.join(labels)}.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        f"    found = [[i, i + 1, label] for i, label in enumerate({list(labels)})]\n"
        "    print(json.dumps({'id': asked['id'], 'entities': found}), flush=True)\n"
    )
    return f"command:{sys.executable} {program}"


@pytest.fixture
def qualify(command: Callable, suite: Path, tmp_path: Path) -> Callable:
    """Qualify two sides on the small suite; keyword arguments are further options."""

    def run(base: object, candidate: object, *flags: object, **named: object) -> Any:
        values = {"task": "ner", "suite": suite, "out": tmp_path / "out"} | named
        return command("qualify", base, candidate, *as_flags(values), *flags)

    return run


def test_both_are_run_and_the_candidate_is_judged(
    qualify: Callable, small: Path, worse: Path, tmp_path: Path
) -> None:
    actual = qualify(small, worse)
    assert actual.code in (PASS, REGRESSION), actual
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == ["base", *FIVE]
    assert sorted(path.name for path in (out / "base").iterdir()) == FIVE
    assert result(out / "base")["verdict"] == "measured"
    whole = result(out)
    assert whole["baseline"]["against"] == str(small)
    assert whole["baseline"]["runtime"] == result(out / "base")["checkpoint"]["runtime"]
    assert whole["checkpoint"]["fingerprint"] != whole["baseline"]["checkpoint_fingerprint"]
    assert "running the base" in actual.err
    assert "Report of the base: " in actual.out
    assert "baseline record" not in actual.err + (out / "summary.md").read_text()
    assert ", run in the same job" in (out / "report.html").read_text()


def test_churn_is_what_an_independent_count_finds(
    qualify: Callable, small: Path, worse: Path, tmp_path: Path
) -> None:
    qualify(small, worse)
    folders = (tmp_path / "out" / "base", tmp_path / "out")
    churn = result(tmp_path / "out")["churn"]
    assert expected_counts("ner", churn) == counted("ner", *folders)
    assert churn["answers"]["inputs"]["number"] > 0
    assert (churn["groups"]["number"], churn["groups"]["of"]) == turned(*folders)


def test_qualify_judges_as_a_stored_baseline_would(
    qualify: Callable, run_gate: Callable, command: Callable, small: Path, worse: Path,
    tmp_path: Path,
) -> None:  # fmt: skip
    run_gate(out=tmp_path / "first")
    command("baseline", "record", "first", "--name", "ner")
    stored = run_gate(baseline="baselines/ner.json", checkpoint=worse, out=tmp_path / "stored")
    actual = qualify(small, worse)
    one, two = result(tmp_path / "stored"), result(tmp_path / "out")
    assert stored.code == actual.code
    for name in ("verdict", "reasons", "relations", "overall", "churn"):
        assert one[name] == two[name]


def test_the_base_comes_from_the_cache_when_it_is_run_again(
    qualify: Callable, small: Path, worse: Path, tmp_path: Path
) -> None:
    qualify(small, worse)
    assert result(tmp_path / "out" / "base")["predictions"]["cached"] == 0
    qualify(small, worse)
    again = result(tmp_path / "out" / "base")["predictions"]
    assert again["cached"] == again["unique"] > 0


def test_a_history_has_the_candidates_and_no_baseline_recorded_again(
    qualify: Callable, command: Callable, small: Path, worse: Path, tmp_path: Path
) -> None:
    for number, candidate in enumerate((small, worse)):
        qualify(small, candidate, out=tmp_path / "runs" / str(number))
    assert command("history", "runs", "--out", "h.csv").code == PASS
    with (tmp_path / "h.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert {row["place"] for row in rows} == {"0", "1"}
    assert {row["recorded_again"] for row in rows} == {"0"}
    assert {row["baseline"] for row in rows} == {str(small)}


def test_one_checkpoint_under_two_numbers_of_threads(
    qualify: Callable, small: Path, tmp_path: Path
) -> None:
    actual = qualify(small, small, base_threads=1, threads=2)
    assert actual.code == PASS, actual
    whole = result(tmp_path / "out")
    assert whole["checkpoint"]["runtime"]["threads"] == 2
    assert whole["baseline"]["runtime"]["threads"] == 1
    assert whole["predictions"]["cached"] == 0  # the base's answers are not the candidate's
    assert whole["churn"]["answers"]["inputs"]["number"] == 0
    assert any("the same checkpoint (same fingerprint)" in note for note in whole["notes"])
    assert any("threads 2, but the baseline used 1" in note for note in whole["notes"])
    name = small.name
    assert actual.out.splitlines()[1].startswith(f"{name} (2 threads) vs {name} (1 thread) · ")
    page = (tmp_path / "out" / "report.html").read_text()
    assert f"--against {small}" in page
    assert "--threads 2 --base-precision fp32 --base-threads 1" in page


def test_limits_of_the_candidate_do_not_apply_to_the_base(
    qualify: Callable, small: Path, tmp_path: Path
) -> None:
    actual = qualify(small, small, max_violation_rate=0.0, max_churn=0.0)
    assert result(tmp_path / "out" / "base")["verdict"] == "measured"
    rate = result(tmp_path / "out")["overall"]["violation_rate"]
    assert actual.code == (REGRESSION if rate else PASS)


def test_sides_without_a_common_label(qualify: Callable, small: Path, tmp_path: Path) -> None:
    labels = [label.replace("PER", "human").replace("ORG", "firm").replace("LOC", "place")
              for label in LABELS]  # fmt: skip
    renamed = Path(shutil.copytree(small, tmp_path / "renamed"))
    card = json.loads((renamed / "checkpoint.json").read_text())
    card["labels"] = labels
    for name in ("files", "name", "fingerprint"):
        card.pop(name, None)
    (renamed / "checkpoint.json").write_text(json.dumps(card))
    actual = qualify(small, renamed)
    assert actual.code == CANNOT_JUDGE
    assert "predicts LOC, ORG, PER, but the candidate predicts firm, human, place" in actual.err
    assert "Pass two checkpoints with the same labels" in actual.err
    assert not (tmp_path / "out").exists()


def test_systems_without_a_common_label_are_judged(qualify: Callable, tmp_path: Path) -> None:
    actual = qualify(says(tmp_path, "PER"), says(tmp_path, "LOC"))
    assert actual.code in (PASS, REGRESSION), actual


def test_a_missing_side_is_refused_before_any_runs(
    qualify: Callable, small: Path, tmp_path: Path
) -> None:
    for sides in ((small, tmp_path / "nowhere"), (tmp_path / "nowhere", small)):
        actual = qualify(*sides)
        assert actual.code == USAGE
        assert "Checkpoint folder" in actual.err
        assert "running the base" not in actual.err
        assert not (tmp_path / "out").exists()


def test_a_later_run_leaves_no_base(
    qualify: Callable, run_gate: Callable, small: Path, tmp_path: Path
) -> None:
    qualify(small, small)
    (tmp_path / "out" / "base" / "mine.txt").write_text("mine")
    run_gate(out=tmp_path / "out")
    assert [path.name for path in (tmp_path / "out" / "base").iterdir()] == ["mine.txt"]
    qualify(small, small)
    (tmp_path / "out" / "base" / "mine.txt").unlink()
    run_gate(out=tmp_path / "out")
    assert not (tmp_path / "out" / "base").exists()


def test_options_for_checkpoints_apply_to_the_side_that_is_one(
    qualify: Callable, small: Path, tmp_path: Path
) -> None:
    other = says(tmp_path, "PER", "LOC")
    assert qualify(small, other, max_length=40).code in (PASS, REGRESSION)
    base = result(tmp_path / "out" / "base")["checkpoint"]
    assert qualify(small, other).code in (PASS, REGRESSION)
    assert result(tmp_path / "out" / "base")["checkpoint"]["fingerprint"] != base["fingerprint"]


@pytest.mark.parametrize(
    ("base", "option", "words"), table(__file__, "settings_that_no_side_can_follow_are_refused")
)
def test_settings_that_no_side_can_follow_are_refused(
    qualify: Callable, small: Path, tmp_path: Path, base: str, option: dict, words: str
) -> None:
    other = says(tmp_path, "PER")
    sides = {"small": (small, other), "other": (other, small), "both": (other, other)}
    actual = qualify(*sides[base], **option)
    assert actual.code == USAGE
    assert words in actual.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("options", "words"), table(__file__, "what_cannot_be_done_is_said"))
def test_what_cannot_be_done_is_said(
    qualify: Callable, small: Path, options: dict[str, object], words: str
) -> None:
    actual = qualify(small, small, **options)
    assert actual.code == USAGE
    assert words in actual.err


@pytest.mark.parametrize(("flags", "words"), table(__file__, "a_run_is_compared_with_one_thing"))
def test_a_run_is_compared_with_one_thing(
    command: Callable, small: Path, flags: dict[str, object], words: str
) -> None:
    pairs = []
    for name, value in flags.items():
        flag = f"--{name.replace('_', '-')}"
        pairs += [flag] if value is True else [flag, value]
    actual = command("run", "--checkpoint", small, "--task", "ner", *pairs)
    assert actual.code == USAGE
    assert words in actual.err
