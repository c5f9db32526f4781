"""The reference taggers of personal data: damage that a team would want to see is no pass."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import documents
from fault_bench.exported import Change, derive, write_exported
from mt_gate.cli import exit_code
from mt_gate.demo import CHECKPOINTS
from mt_gate.mutating.operators import Mutation, Operator

pytest.importorskip("onnx", reason="needs mt-gate[export]")

pytestmark = pytest.mark.checkpoint

OTHERS = "de,es,fr,hi,it,nl,pt,zh"
BASELINE = CHECKPOINTS / "pii-baseline"
RUN = ("run", "--task", "ner", "--suite", "pii-quick", "--device", "cpu")


def change_normalizer(**changed: Any) -> Change:
    """Return a change of the tokenizer's normalizer."""

    def change(folder: Path, _card: dict[str, Any]) -> None:
        path = folder / "tokenizer.json"
        tokenizer = json.loads(path.read_text())
        tokenizer["normalizer"] |= changed
        path.write_text(json.dumps(tokenizer))

    return change


def decompose_letters(folder: Path, _card: dict[str, Any]) -> None:
    """Switch Unicode normalisation: NFD before all else."""
    path = folder / "tokenizer.json"
    tokenizer = json.loads(path.read_text())
    steps = [{"type": "NFD"}, tokenizer["normalizer"]]
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": steps}
    path.write_text(json.dumps(tokenizer))


def rename_label(_folder: Path, card: dict[str, Any]) -> None:
    card["labels"] = [label.replace("email", "contact") for label in card["labels"]]


DAMAGES: dict[str, Change] = {
    "letter case is lost": change_normalizer(lowercase=True),
    "letters are decomposed": decompose_letters,
    "a label is renamed": rename_label,
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    with contextlib.chdir(folder):
        assert exit_code([*RUN, "--checkpoint", str(BASELINE), "--out", "out"]) == 0
        assert exit_code(["baseline", "record", "out", "--name", "pii"]) == 0
    return folder / "baselines" / "pii.json"


@pytest.fixture
def judge(command: Callable, recorded: Path) -> Callable[[Path], Any]:
    def run(checkpoint: Path) -> Any:
        return command(*RUN, "--checkpoint", checkpoint, "--baseline", recorded, "--out", "out")

    return run


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_of_the_pipeline_is_no_pass(
    damage: str, judge: Callable[[Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "damaged").mkdir()
    derive(BASELINE, tmp_path / "damaged", DAMAGES[damage], {"damage": damage})
    answer = judge(tmp_path / "damaged")
    assert answer.code in (1, 3), answer


@pytest.mark.nightly
def test_lost_accents_are_a_regression(command: Callable, tmp_path: Path) -> None:
    """The quick suite has too few texts with accents."""
    (tmp_path / "damaged").mkdir()
    change = change_normalizer(strip_accents=True)
    derive(BASELINE, tmp_path / "damaged", change, {"damage": "no accents"})
    fixed = ("qualify", BASELINE, tmp_path / "damaged", "--task", "ner", "--device", "cpu")
    answer = command(*fixed, "--suite", "pii-default", "--out", "out")
    assert answer.code == 1, answer


def test_a_broken_layer_is_a_regression(judge: Callable[[Path], Any], tmp_path: Path) -> None:
    mutation = Mutation(operator=Operator.WEIGHT_SHUFFLE, ratio=0.5, seed=1)
    (tmp_path / "broken").mkdir()
    write_exported(BASELINE, mutation, tmp_path / "broken")
    assert judge(tmp_path / "broken").code == 1


def test_an_equal_checkpoint_passes(judge: Callable[[Path], Any], tmp_path: Path) -> None:
    def touch(_folder: Path, card: dict[str, Any]) -> None:
        card["name"] = "equal"

    (tmp_path / "equal").mkdir()
    derive(BASELINE, tmp_path / "equal", touch, {"damage": "none"})
    answer = judge(tmp_path / "equal")
    assert answer.code == 0, answer
    result = msgspec.json.decode((tmp_path / "out" / "result.json").read_bytes())
    assert result["verdict"] == "pass"


@pytest.mark.nightly
def test_presidio_runs_as_the_page_shows(command: Callable, tmp_path: Path) -> None:
    pytest.importorskip("presidio_analyzer")
    page = (documents.ROOT / "docs" / "pii.md").read_text(encoding="utf-8")
    program = page.partition("```python\n# presidio_pii.py\n")[2].partition("```")[0]
    (tmp_path / "presidio_pii.py").write_text(program)
    pipeline = os.environ.get("MT_GATE_SPACY_PIPELINE", "en_core_web_sm")
    system = f"command:{sys.executable} presidio_pii.py {pipeline}"
    fixed = ("run", "--task", "ner", "--suite", "pii-default", "--exclude", OTHERS)
    answer = command(*fixed, "--sources", "60", "--system", system, "--out", "out")
    assert answer.code == 0, answer
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    known = next(one for one in result["relations"] if one["id"] == "ner/known-answer")
    assert 0 < known["violated"] < known["applicable"]
    assert result["checkpoint"]["label_map"]["email"] == ["EMAIL_ADDRESS"]
