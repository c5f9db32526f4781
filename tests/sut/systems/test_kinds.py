from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from making_boolq import make_boolq_suite
from mt_gate.base.errors import CANNOT_JUDGE, USAGE
from mt_gate.sut.systems.kinds import ADAPTERS, SYSTEMS
from mt_gate.tasks.table import TASKS

EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
NAMES = {
    "flair": ("flair", "flair:x.pt --trusted"),
    "aws": ("boto3", "aws-comprehend:eu-west-1"),
    "azure": ("azure.ai.textanalytics", "azure-language:https://x.example"),
}


@pytest.mark.parametrize(
    "system", ["", "ner", "keras:model", "spacy:", "spacy:  ", ":x", "SPACY:x"]
)
def test_an_unknown_kind_is_told_the_kinds(run_system: Callable, system: str) -> None:
    answer = run_system(system)
    assert answer.code == USAGE
    assert len(answer.err.strip().splitlines()) == 1
    if system:
        for kind in SYSTEMS:
            assert kind in answer.err


@pytest.mark.parametrize("kind", SYSTEMS)
def test_other_tasks_are_refused(run_system: Callable, tmp_path: Path, kind: str) -> None:
    answer = run_system(f"{kind}:x", task="boolq", suite=make_boolq_suite(tmp_path / "boolq"))
    assert answer.code == USAGE
    tasks = " or ".join(name for name, task in TASKS.items() if kind in task.other_systems)
    assert f"for task {tasks}, this run is for boolq" in answer.err


def test_every_kind_has_an_extra() -> None:
    assert {"spacy", *(one.extra for one in ADAPTERS.values())} <= set(EXTRAS)


@pytest.mark.parametrize("extra", NAMES)
def test_a_missing_package_is_told_with_its_extra(
    run_system: Callable, monkeypatch: pytest.MonkeyPatch, extra: str
) -> None:
    module, system = NAMES[extra]
    monkeypatch.setitem(sys.modules, module, None)
    answer = run_system(system)
    assert answer.code == CANNOT_JUDGE
    assert f"{module} is not installed; pip install 'mt-gate[{extra}]'" in answer.err
    assert len(answer.err.strip().splitlines()) == 1
