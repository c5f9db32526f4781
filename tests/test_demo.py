"""The demo and the checkpoints that the package carries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from mt_gate.demo import BASELINE, CANDIDATE
from mt_gate.sut.card import read_card


def test_checkpoints_are_small_and_checked() -> None:
    for folder in (BASELINE, CANDIDATE):
        assert sum(path.stat().st_size for path in folder.iterdir()) <= 10 << 20
        card = read_card(folder)
        assert card.parity is not None
        assert card.parity.inputs >= 256
        assert card.files


def test_demo_shows_a_regression(command: Callable, tmp_path: Path) -> None:
    answer = command("demo", "--out", tmp_path / "demo")
    assert answer.code == 0, answer
    assert "regression" in answer.out
    assert "report.html" in answer.err
    assert "exit with 1" in answer.err
    result = json.loads((tmp_path / "demo" / "candidate" / "result.json").read_text())
    assert result["verdict"] == "regression"
    assert result["exit_code"] == 1
    assert {relation["id"] for relation in result["relations"]} == {
        "ner/token-replacement",
        "ner/phrase-replacement",
        "ner/structural",
        "ner/entity-shuffle",
    }
    for relation in result["relations"]:
        assert relation["comparison"]["clusters"] >= 200
