"""Baselines on a terminal of eighty columns and in a log, whatever the processor is called."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest

from mt_gate.baselines.schema import read_baseline
from mt_gate.reporting.table import WIDTH
from mt_gate.reporting.writers.terminal import show_baseline

DEMO = Path(__file__).parents[3] / "baselines/ner-demo.json"
LONG = "Intel(R) Xeon(R) Platinum 8488C with a name that goes on for more than one more line"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(cpu: str, stream: io.StringIO, accept: str = "", runs: int = 1) -> list[str]:
    baseline = read_baseline(DEMO)
    head = baseline.first.checkpoint
    runtime = msgspec.structs.replace(head.runtime, cpu=cpu)
    head = msgspec.structs.replace(head, runtime=runtime)
    run = msgspec.structs.replace(baseline.first, checkpoint=head)
    changed = msgspec.structs.replace(baseline, runs=(run,) * runs, accept=accept)
    show_baseline(Path("b.json"), changed, stream)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize("cpu", ["", "arm64", LONG, "x" * 300])
def test_no_line_is_wider_than_a_terminal(cpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TERM", "dumb")  # styles would count as characters
    lines = shown(cpu, Terminal(), accept="a word " * 30)
    assert max(map(len, lines)) <= WIDTH
    first = next(at for at, line in enumerate(lines) if line.startswith("run on"))
    last = next(at for at, line in enumerate(lines) if line.startswith("accepted"))
    assert all(line.startswith(" " * 12) for line in lines[first + 1 : last])
    words = "".join(line[12:] for line in lines[first:last])
    assert cpu.replace(" ", "") in words.replace(" ", "")


def test_a_log_gets_whole_lines() -> None:
    lines = shown(LONG, io.StringIO())
    [line] = [line for line in lines if line.startswith("run on      ")]
    assert LONG in line
    assert not any(line.startswith("accepted") for line in lines)


def test_of_several_runs_each_has_a_line_and_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TERM", "dumb")
    lines = shown("arm64", Terminal(), runs=5)
    assert max(map(len, lines)) <= WIDTH
    assert [line[:5] for line in lines if line.startswith("run ")] == [
        f"run {number}" for number in range(1, 6)
    ]
    head = next(line for line in lines if line.lstrip().startswith("relation"))
    assert head.split()[-3:] == ["run", "5", "mean"]
    rates = [line.split()[-12:] for line in lines[lines.index(head) + 1 :] if "%" in line]
    assert rates
    assert all(len(set(row)) == 2 for row in rates)
