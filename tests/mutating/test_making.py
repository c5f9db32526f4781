"""Candidates of a small checkpoint: each answers, and is what its fault says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from making import SENTENCES
from mt_gate.base.errors import CannotJudge
from mt_gate.mutating import safetensors_weights
from mt_gate.mutating.faults import Fault, planned
from mt_gate.mutating.making import KINDS, Reference, make
from mt_gate.mutating.optimising import rounded_in_blocks
from mt_gate.sut.card import read_card
from mt_gate.sut.onnx import OnnxSystem

INPUTS = [{"text": text} for text in SENTENCES[:20]]
SHRUNK = ("layers-dropped", "heads-dropped")


def fault(kind: str) -> Fault:
    return planned("ner", [kind])[0]


def answers(folder: Path) -> list[object]:
    found = OnnxSystem(folder, "ner", "cpu").predict(INPUTS)
    return [p.output for batch in found for _, p in batch]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in SHRUNK])
def test_what_is_made_of_an_export_answers(exported: Path, tmp_path: Path, kind: str) -> None:
    make(fault(kind), Reference(exported, None, INPUTS), tmp_path)
    found, original = read_card(tmp_path), read_card(exported)
    assert len(answers(tmp_path)) == len(INPUTS)
    assert found.fingerprint not in ("", original.fingerprint)
    about = json.loads((tmp_path / "checkpoint.json").read_text())["mutation"]
    assert about["of"]
    assert about.get("kind", about.get("operator")) == kind
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in exported.iterdir()
    )


def test_the_same_fault_is_made_again(exported: Path, tmp_path: Path) -> None:
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        make(fault("sister-tokenizer"), Reference(exported, None, INPUTS), tmp_path / place)
    one, two = (read_card(tmp_path / place).fingerprint for place in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("kind", SHRUNK)
def test_an_export_cannot_lose_layers(exported: Path, tmp_path: Path, kind: str) -> None:
    with pytest.raises(CannotJudge, match="only a Hugging Face checkpoint"):
        make(fault(kind), Reference(exported, None, INPUTS), tmp_path)


def test_the_last_layer_is_left_out(exported: Path, hugging_face: Path, tmp_path: Path) -> None:
    make(fault("layers-dropped"), Reference(exported, hugging_face, INPUTS), tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["num_hidden_layers"] == 1
    names = safetensors_weights.load(tmp_path)
    assert any(".layer.0." in name for name in names)
    assert not any(".layer.1." in name for name in names)


def test_all_layers_cannot_be_left_out(exported: Path, hugging_face: Path, tmp_path: Path) -> None:
    _, two = planned("ner", ["layers-dropped"])
    with pytest.raises(CannotJudge, match="it has 2 layers, of which 2 cannot be left out"):
        make(two, Reference(exported, hugging_face, INPUTS), tmp_path)


def test_a_head_is_silent(exported: Path, hugging_face: Path, tmp_path: Path) -> None:
    make(fault("heads-dropped"), Reference(exported, hugging_face, INPUTS), tmp_path)
    before, after = (safetensors_weights.load(folder) for folder in (hugging_face, tmp_path))
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert changed
    assert all(".value." in name for name in changed)
    for name in changed:
        rows = after[name].reshape(2, -1)  # two heads
        assert sorted(not row.any() for row in rows) == [False, True], name


def test_an_export_of_8_bits_is_not_quantised_again(exported: Path, tmp_path: Path) -> None:
    small, again = tmp_path / "small", tmp_path / "again"
    for folder in (small, again):
        folder.mkdir()
    make(fault("int8-weights"), Reference(exported, None, INPUTS), small)
    with pytest.raises(CannotJudge, match="its weights are int8 already"):
        make(fault("fp16"), Reference(small, None, INPUTS), again)


@pytest.mark.parametrize("steps", [1, 3, 7])
def test_weights_are_whole_steps_of_their_block(steps: int) -> None:
    values = np.random.default_rng(0).normal(size=(70, 5)).astype(np.float32)
    rounded = rounded_in_blocks(values, steps)
    for start in (0, 32, 64):
        block = values[start : start + 32]
        scale = np.abs(block).max(axis=0) / steps
        found = rounded[start : start + 32] / scale
        assert np.allclose(found, np.rint(found), atol=1e-5)
        assert np.abs(found).max() <= steps + 1e-5
        assert (np.abs(rounded[start : start + 32] - block) <= scale / 2 + 1e-6).all()
    assert not rounded_in_blocks(np.zeros((40, 2), np.float32), steps).any()
