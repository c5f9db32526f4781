from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.errors import CANNOT_JUDGE, USAGE
from mt_gate.sut.systems.kinds import ADAPTERS, SYSTEMS

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
