"""Baselines of several runs, recorded, shown, judged by and recorded again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from making import make_suite
from mt_gate import gate
from mt_gate.base.console import Progress
from mt_gate.base.errors import CANNOT_JUDGE, PASS, REGRESSION, USAGE
from mt_gate.baselines.schema import read_baseline
from mt_gate.results.result import AgainstAnchor, Result
from mt_gate.results.store import read_result
from mt_gate.settings.record import Settings

ADDS = {"first": {}, "second": {"?": 1e-6}, "third": {"?": 2e-6}, "worse": {"?": 300.0}}
"""What each checkpoint adds to a score: all but the last answer the same."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Path]]:
    """Return the folders of the results of checkpoints, each run once, by their names."""
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    from making_onnx import maskless_tagger, save_checkpoint

    folder = tmp_path_factory.mktemp("runs")
    suite = make_suite(folder / "suite")
    for name, adds in ADDS.items():
        checkpoint = save_checkpoint(folder / "models" / name, maskless_tagger(adds=adds))
        settings = Settings(
            checkpoint=str(checkpoint),
            task="ner",
            suite=str(suite),
            out=folder / name,
            cache=folder / "cache",
        )
        with Progress() as progress:
            gate.run(settings, lambda _: None, progress)
    return lambda *names: [folder / name for name in names]


@pytest.fixture
def record(command: Callable, tmp_path: Path) -> Callable:
    """Record results under the name ner, in the test's folder."""
    return lambda results, *flags: command(
        "baseline", "record", *results, "--name", "ner", "--dir", tmp_path, *flags
    )


def compared(command: Callable, run: Path, folder: Path) -> tuple[int, Result]:
    out = folder / "compared"
    answer = command("compare", run, "--baseline", folder / "ner.json", "--out", out)
    return answer.code, read_result(out / "result.json")


def test_several_runs_are_one_baseline(
    runs: Callable, record: Callable, command: Callable, tmp_path: Path
) -> None:
    folders = runs("first", "second", "third")
    answer = record(folders)
    assert answer.code == PASS, answer
    assert "mt-gate: The baseline has 3 runs.\n" in answer.out + answer.err
    assert "too few original texts to compare (minimum 10): ner/" in answer.err
    baseline = read_baseline(tmp_path / "ner.json")
    results = [read_result(folder / "result.json") for folder in folders]
    assert [run.checkpoint for run in baseline.runs] == [run.checkpoint for run in results]
    assert [run.id for run in baseline.runs] == [run.run.id for run in results if run.run]
    code, judged = compared(command, folders[1], tmp_path)
    assert (code, judged.verdict) == (PASS, "pass")
    assert judged.baseline is not None
    assert judged.baseline.runs == 3
    assert judged.anchor is None
    assert "of 3 runs" in (tmp_path / "compared" / "report.html").read_text()
    shown = command("baseline", "show", tmp_path / "ner.json").out
    assert [line.split()[:2] for line in shown.splitlines()[2:5]] == [
        ["run", "1"], ["run", "2"], ["run", "3"],
    ]  # fmt: skip
    assert "mean" in shown
    moved = command("baseline", "diff", tmp_path / "ner.json", tmp_path / "ner.json")
    assert "only the first run of each baseline is compared" in moved.out
    assert "This replaces 3 baseline runs with 1." in record(folders[:1]).err


def test_every_run_has_to_be_good(runs: Callable, record: Callable, command: Callable) -> None:
    first, worse = runs("first", "worse")
    record([first])
    code = command("compare", worse, "--baseline", "ner.json", "--out", "lost").code
    assert code == REGRESSION
    answer = record([first, "lost"])
    assert answer.code == USAGE
    assert (
        "lost/result.json: the verdict of this run is regression. To record it anyway" in answer.err
    )


def test_an_anchor_stays_and_tells(
    runs: Callable, record: Callable, command: Callable, tmp_path: Path
) -> None:
    first, second, worse = runs("first", "second", "worse")
    assert "No anchor yet" in record([first]).err
    answer = record([second])
    assert answer.code == PASS
    assert f"anchor: ner of {read_result(first / 'result.json').created}" in answer.err
    anchor = read_baseline(tmp_path / "ner.json").anchor
    assert anchor is not None
    assert anchor.runs[0].checkpoint.name.endswith("first")

    refused = record([worse])
    assert refused.code == USAGE
    assert "compared with the anchor ner of " in refused.err
    assert "beyond the margin" in refused.err
    assert len(refused.err.splitlines()) == 1
    assert record([worse], "--accept", "the new labels").code == PASS
    assert read_baseline(tmp_path / "ner.json").anchor == anchor

    code, judged = compared(command, worse, tmp_path)
    assert (code, judged.verdict) == (PASS, "pass")
    assert isinstance(judged.anchor, AgainstAnchor)
    assert judged.anchor.verdict == "regression"
    assert judged.anchor.sentence in judged.notes
    for name in ("summary.md", "report.html", "junit.xml"):
        text = (tmp_path / "compared" / name).read_text()
        assert text.count("compared with the anchor ner of") >= 1, name
    again = command("compare", tmp_path / "compared", "--baseline", tmp_path / "ner.json")
    assert again.code == PASS


def test_a_new_anchor_needs_a_reason(runs: Callable, record: Callable, tmp_path: Path) -> None:
    first, second = runs("first", "second")
    record([first])
    refused = record([second], "--new-anchor")
    assert refused.code == USAGE
    assert '--new-anchor needs a reason. Add --accept "reason"' in refused.err
    answer = record([second], "--new-anchor", "--accept", "another recipe")
    assert answer.code == PASS
    assert "New anchor" in answer.err
    assert read_baseline(tmp_path / "ner.json").anchor is None


def test_a_broken_baseline_is_not_written_over_in_silence(
    runs: Callable, record: Callable, tmp_path: Path
) -> None:
    [first] = runs("first")
    path = tmp_path / "ner.json"
    path.write_text("<<<<<<< HEAD\n")
    answer = record([first])
    assert answer.code == CANNOT_JUDGE
    assert "--new-anchor --accept" in answer.err
    assert path.read_text() == "<<<<<<< HEAD\n"
    assert record([first], "--new-anchor", "--accept", "merged by hand").code == PASS
