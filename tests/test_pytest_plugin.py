"""The pytest plugin: a test for each relation of a gate, which runs once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import mt_gate
from making_functions import names

Run = Callable[..., pytest.RunResult]
GATE = """
import pytest
from making_functions import {function}

def predict(texts):
    with open("calls", "a") as calls:
        calls.write("call\\n")
    return {function}(texts)

@pytest.mark.mt_gate(system=predict, task="ner", {settings})
def test_ner(mt_gate_result):
    {body}
"""
IDS = ["ner/structural", "ner/entity-shuffle", "verdict"]


@pytest.fixture
def run(
    pytester: pytest.Pytester, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Write a gate of the small suite, and run pytest on it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))

    def run(
        *flags: str,
        function: str = "names",
        settings: str = 'baseline="baselines/ner.json"',
        body: str = "assert mt_gate_result.overall.cases == 120",
    ) -> pytest.RunResult:
        settings = f"suite={str(suite)!r}, {settings}"
        pytester.makepyfile(GATE.format(function=function, settings=settings, body=body))
        return pytester.runpytest("-p", "mt_gate.pytest_plugin", "-p", "no:cacheprovider", *flags)

    return run


@pytest.fixture
def _baseline(suite: Path, run: Run) -> None:  # noqa: ARG001 - the folder of pytester
    mt_gate.record_baseline(mt_gate.run(system=names, task="ner", suite=suite), "ner")


def calls() -> int:
    return len(Path("calls").read_text().splitlines())


@pytest.mark.usefixtures("_baseline")
def test_each_relation_is_a_test_and_the_gate_runs_once(run: Run) -> None:
    done = run("-v")
    done.assert_outcomes(passed=3)
    done.stdout.fnmatch_lines([f"*test_ner?{name}? PASSED*" for name in IDS])
    one_run = calls()
    run(body="...").assert_outcomes(passed=3)
    assert calls() == 2 * one_run


@pytest.mark.usefixtures("_baseline")
def test_a_relation_that_regressed_fails_with_its_figures_and_examples(run: Run) -> None:
    done = run(function="names_of_statements", body="...")
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(
        [
            "mt-gate: Statement to question: Regression (ner/structural)",
            "*0% → 100%*p < 0.001*",
            "New violations (5 of 60):",
            "  [[]Anna PER] was a friend of*",
            "Report: *report.html",
            'Next: *mt-gate baseline record * --name ner --accept "reason"',
            "mt-gate: 1 of 2 relations regressed (exit 1)",
        ]
    )
    [line] = [line for line in done.outlines if line.startswith("Report:")][:1]
    assert Path(line.removeprefix("Report: ")).is_file()


@pytest.mark.usefixtures("_baseline")
def test_the_function_fails_by_itself(run: Run) -> None:
    done = run(body="assert mt_gate_result.overall.cases == 7")
    done.assert_outcomes(failed=3)
    done.stdout.no_fnmatch_line("Next: *")


def test_baselines_are_recorded_on_request(run: Run) -> None:
    missing = run()
    missing.assert_outcomes(errors=3)
    missing.stdout.fnmatch_lines(["mt-gate: baselines/ner.json*"])
    recorded = run("--mt-gate-update-baseline")
    recorded.assert_outcomes(passed=3)
    recorded.stdout.fnmatch_lines(["mt-gate: recorded baselines/ner.json. Commit it."])
    run().assert_outcomes(passed=3)
    run(function="names_of_statements").assert_outcomes(passed=1, failed=2)
    drifted = run("--mt-gate-update-baseline", function="names_of_statements")
    drifted.assert_outcomes(errors=3)  # of the anchor: a person must accept that with a reason
    drifted.stdout.fnmatch_lines(["mt-gate: *compared with the anchor*"])


def test_only_some_relations(run: Run) -> None:
    done = run("-v", settings='relations=["ner/structural"]', body="...")
    done.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("@pytest.mark.mt_gate(task='ner')\ndef test_x(): ...", "not the argument mt_gate_result"),
        ("@pytest.mark.mt_gate('ner')\ndef test_x(mt_gate_result): ...", "use keyword arguments"),
        ("@pytest.mark.mt_gate()\ndef test_x(mt_gate_result): ...", "task must be one of"),
        (
            "@pytest.mark.mt_gate(task='ner', suite='nre')\ndef test_x(mt_gate_result): ...",
            "No suite named 'nre'",
        ),
        ("def test_x(mt_gate_result): ...", "mt_gate_result needs the mark mt_gate"),
        (
            "@pytest.mark.mt_gate(task='ner', checkpoint='no')\ndef test_x(mt_gate_result): ...",
            "mt-gate: Checkpoint folder 'no' does not exist",
        ),
        (
            "@pytest.mark.mt_gate(task='ner', marjin=1)\ndef test_x(mt_gate_result): ...",
            "Did you mean 'margin'",
        ),
    ],
)
def test_a_fault_is_one_line(pytester: pytest.Pytester, source: str, words: str) -> None:
    pytester.makepyfile(f"import pytest\n{source}")
    done = pytester.runpytest("-p", "mt_gate.pytest_plugin")
    assert done.ret != 0
    done.stdout.fnmatch_lines([f"*{words}*"])
    done.stdout.no_fnmatch_line("*Traceback*")
    done.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_without_the_mark_nothing_is_loaded(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test_x(): assert 'mt_gate.base.errors' not in sys.modules")
    command = [sys.executable, "-m", "pytest", "-p", "mt_gate.pytest_plugin", "--strict-markers"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("_baseline")
def test_several_processes(run: Run) -> None:
    pytest.importorskip("xdist")
    run("-p", "no:xdist").assert_outcomes(passed=3)
    one_run = calls()
    Path("calls").unlink()
    run("-n", "2", "--dist", "loadfile").assert_outcomes(passed=3)
    assert calls() == one_run
    done = run("-n", "2", "--mt-gate-update-baseline")
    done.stdout.fnmatch_lines(["*--mt-gate-update-baseline does not work with -n*"])
