"""What benchmarks/speed.py makes of what it measured, and what it says where there is no GPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="needs mt-gate[export]")

import itertools

import gpu_graphs
import speed_gpu
from making import LABELS, save_bert
from mt_gate.base.errors import PASS
from mt_gate.base.jsonio import canonical
from mt_gate.cli import exit_code
from mt_gate.domain import Verdict
from mt_gate.results.result import Predictions, Timing
from mt_gate.results.store import read_result, read_rows
from mt_gate.settings.loading import merged
from mt_gate.settings.record import CONFIG
from reporting import made_up
from speed import (
    Round,
    Whole,
    answered_inputs,
    even_part,
    floor_table,
    mean_time,
    peers_table,
    read_rounds,
    stages_table,
)
from speed_contenders import Time
from speed_gpu import matrix_peak, median_seconds, whole_rows

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@given(st.lists(st.integers()), st.integers(0, 60))
def test_a_part_is_even_and_in_order(items: list[int], size: int) -> None:
    numbered = list(enumerate(items))
    part = even_part(numbered, size)
    assert len(part) == min(size, len(items))
    assert part == sorted(set(part))
    gaps = [after[0] - before[0] for before, after in itertools.pairwise(part)]
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_the_floor_is_asked_what_a_run_asks_once_each(
    small: Path, suite: Path, tmp_path: Path
) -> None:
    """Sources of which no follow-up could be built are in no row, and are asked all the same."""
    asked = {"checkpoint": str(small), "task": "ner", "suite": str(suite), "threads": 1}
    asked |= {"cache": str(tmp_path / "cache"), "out": str(tmp_path / "out")}
    options = [word for name, value in asked.items() for word in (f"--{name}", f"{value}")]
    assert exit_code(["run", *options]) == PASS
    found = [canonical(each) for each in answered_inputs(merged(asked, {}, CONFIG))]
    result = read_result(tmp_path / "out" / "result.json")
    assert len(set(found)) == len(found) == result.predictions.unique
    rows = [*read_rows(tmp_path / "out" / "result.json", result)]
    in_rows = {canonical(row.source) for row in rows}
    in_rows |= {canonical(row.follow_up) for row in rows if row.follow_up}
    assert in_rows <= set(found)


def test_a_floor_on_both_sides_of_a_run_is_their_mean() -> None:
    assert mean_time(Time(10, 16, 200, 5000), Time(12, 20, 200, 5000)) == Time(11, 18, 200, 5000)


def whole(seconds: float, predict: float) -> Whole:
    result = made_up.result()
    fields = {name: getattr(result, name) for name in result.__struct_fields__}
    fields["timing"] = Timing(load=1.0, predict=predict, total=predict + 1)
    fields["predictions"] = Predictions(requested=300, unique=200, cached=0)
    return Whole(seconds, seconds, type(result)(**fields))


def rounds() -> list[Round]:
    """Two rounds, the machine twice as slow in the second: ratios are alike in both."""
    return [
        Round(
            3.5 * slow,
            Time(10.0 * slow, 20.0 * slow, 200, 5000),
            Time(9.0 * slow, 18.0 * slow, 200, 5000),
            Time(0.2 * slow, 0.3 * slow, 200),
            whole(11.0 * slow, 9.0 * slow),
            whole(2.0 * slow, 0.5 * slow),
            {"batched": Time(1.1 * slow, 1.0, 10)},
        )
        for slow in (1, 2)
    ]


def test_ratios_are_of_one_round_each() -> None:
    lines = floor_table({"ner": rounds()}).splitlines()
    assert lines[-1] == (
        "| `ner` | 2 | 0 | 5.2 | 200 | 5,000 | 15.0 s | 16.5 s | 1.10 (1.10 to 1.10) | "
        "0.55 (0.55 to 0.55) | 0.90 (0.90 to 0.90) | 3.0 s | 1.5 % |"
    )
    assert peers_table({"ner": rounds()}).splitlines()[-1] == (
        "| `ner` | pipeline, batches of 32 | 10 inputs | 165.0 ms | 82.5 ms | "
        "2.00 (2.00 to 2.00) | 1.36 (0.91 to 1.82) |"
    )


def test_rounds_are_kept(tmp_path: Path) -> None:
    assert read_rounds(tmp_path / "rounds.json") == []
    (tmp_path / "rounds.json").write_bytes(msgspec.json.encode(rounds()))
    assert read_rounds(tmp_path / "rounds.json") == rounds()


def test_stages_add_up_to_the_whole_process() -> None:
    cold, warm = stages_table({"ner": rounds()}).splitlines()[-2:]
    assert cold == ("| `ner` | cold | 1.0 s | 0.0 s | 13.5 s | 0.0 s | 0.0 s | 0.0 s | 2.0 s |")
    assert warm.startswith("| `ner` | warm | 1.0 s |")


@pytest.mark.slow
def test_without_a_gpu_it_says_so_in_a_line_and_measures_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "speed.py", "--device", "cuda", "--model", "ner=nowhere"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        text=True,
    )
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("here may be a GPU")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "expected CUDAExecutionProvider" in done.stderr
    assert [*tmp_path.iterdir()] == []


def test_a_gpus_yardsticks_are_measured_on_any_device() -> None:
    assert matrix_peak("cpu", 16) > 0
    assert median_seconds(lambda: None) >= 0


def test_whole_runs_are_told_beside_the_first() -> None:
    held = {"a": Verdict.SATISFIED, "b": Verdict.SATISFIED, "c": Verdict.VIOLATED}
    turned = {"a": Verdict.SATISFIED, "b": Verdict.VIOLATED, "d": Verdict.VIOLATED}
    rows = whole_rows(
        {
            ("fp32", "cpu"): speed_gpu.Whole(9.04, whole(9, 8).result, held),
            ("fp16", "cuda"): speed_gpu.Whole(4.0, whole(4, 3).result, turned),
        }
    )
    told = [row[1:3] + row[4:7] + row[8:] for row in rows]
    assert told == [
        ("fp32", "cpu", "200", "9.0 s", "8.0 s", "3", ""),
        ("fp16", "cuda", "200", "4.0 s", "3.0 s", "2", "1"),
    ]


@pytest.mark.slow
def test_each_form_of_a_graph_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = save_bert(tmp_path / "bert", LABELS)
    asked = f"gpu_graphs --device cpu --side 16 --task ner --model {saved}".split()
    monkeypatch.setattr(sys, "argv", asked)
    monkeypatch.setattr(gpu_graphs, "IDS", (5, 30))
    gpu_graphs.main()
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [float(row[2]) < 0.1 for row in rows[:4]] == [True] * 4
    assert [row[0] for row in rows] == [
        "fp32, TF32",
        "fp32, exact",
        "fp16, as PyTorch's exporter writes it",
        "fp16, fused",
        "PyTorch, fp16, SDPA",
    ]
