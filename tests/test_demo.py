"""The demo and the checkpoints that the package carries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate import demo
from mt_gate.demo import CHECKPOINTS
from mt_gate.suites.format import find_suite, read_head
from mt_gate.sut.card import read_card
from mt_gate.tasks.table import TASKS


def test_checkpoints_are_small_and_checked() -> None:
    folders = [*CHECKPOINTS.iterdir()]
    assert {folder.name for folder in folders} == {
        name
        for spec in TASKS.values()
        for part in (spec.demo, spec.second_demo)
        if part
        for name in part[:2]
    }
    assert sum(path.stat().st_size for f in folders for path in f.iterdir()) <= 41_000_000
    for folder in folders:
        card = read_card(folder)
        assert card.parity is not None
        assert card.parity.inputs >= 256
        assert card.files


RELATIONS = {
    "pii-default": {relation.id for relation in read_head(find_suite("pii-default")).relations},
    "ner": {"ner/token-replacement", "ner/phrase-replacement", "ner/structural"},
    "boolq": {
        "boolq/antonym-adjective",
        "boolq/tense-change",
        "boolq/before-after",
        "boolq/negation-tag",
        "boolq/synonym-adjective",
        "boolq/adverbial-position",
        "boolq/voice-change",
        "boolq/known-answer",
    },
    "re": {
        "re/known-answer",
        "re/same-type",
        "re/coarser-type",
        "re/co-related-type",
        "re/type-label",
        "re/coreferent",
        "re/swap-symmetric",
        "re/swap-antisymmetric",
        "re/combine-shared-head",
        "re/combine-shared-tail",
    },
    "text": {relation.id for relation in read_head(find_suite("moderation-default")).relations},
}


def test_without_its_package_it_says_which(
    command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "CHECKPOINTS", tmp_path / "none")
    answer = command("demo", "--out", tmp_path / "out")
    assert answer.code == 2
    assert "pip install 'mt-gate[demo]'" in answer.err
    assert not (tmp_path / "out").exists()


@pytest.mark.nightly
def test_each_task_shows_a_regression(command: Callable, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    answer = command("demo", "--out", folder)
    assert answer.code == 0, answer
    assert "exit with 1" in answer.err
    for task, relations in RELATIONS.items():
        assert (folder / task / "candidate" / "report.html").is_file()
        result = json.loads((folder / task / "candidate" / "result.json").read_text())
        assert result["verdict"] == "regression"
        assert result["exit_code"] == 1
        assert {relation["id"] for relation in result["relations"]} == relations
        assert result["overall"]["comparison"]["clusters"] >= 200
