"""Candidates of a small checkpoint: each answers, and is what its fault says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from safetensors.numpy import save_file

from fault_bench.faults import Fault, planned
from fault_bench.making import KINDS, Reference, make
from fault_bench.optimising import change_of, rounded_in_blocks
from fault_bench.shrinking import shrink
from making import SENTENCES
from mt_gate.base.errors import CannotJudge
from mt_gate.mutating import safetensors_weights
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


def saved(folder: Path, tensors: dict[str, np.ndarray], **config: int) -> Path:
    folder.mkdir()
    save_file(tensors, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize("fused", [False, True])
def test_values_are_told_by_their_role(tmp_path: Path, fused: bool) -> None:
    """LUKE has four matrices of queries; GPT-2 has all three in one, a neuron a column."""
    ones = np.ones((4, 4), np.float32)
    roles = ("key", "query", "value", "w2e_query", "e2w_query", "e2e_query")
    tensors = {f"encoder.layer.0.attention.self.{role}.weight": ones for role in roles}
    if fused:
        tensors = {"h.0.attn.c_attn.weight": np.ones((4, 12), np.float32)}
    whole = saved(tmp_path / "whole", tensors, num_attention_heads=2)
    (tmp_path / "less").mkdir()
    shrink(whole, fault("heads-dropped"), tmp_path / "less")
    after = safetensors_weights.load(tmp_path / "less")
    if fused:
        (weights,) = after.values()
        assert sorted(weights[:, 8:].T.any(axis=1)) == [False, False, True, True]
        assert weights[:, :8].all()
        return
    changed = {name for name, values in after.items() if not values.all()}
    assert changed == {"encoder.layer.0.attention.self.value.weight"}


def test_layers_that_no_name_tells_are_told(tmp_path: Path) -> None:
    tensors = {"block.0.weight": np.ones((2, 2), np.float32)}
    whole = saved(tmp_path / "whole", tensors, num_hidden_layers=2)
    (tmp_path / "less").mkdir()
    with pytest.raises(CannotJudge, match="do not tell their layers"):
        shrink(whole, fault("layers-dropped"), tmp_path / "less")


@pytest.mark.parametrize("turned", [0, 1])
def test_a_block_is_of_one_neuron_however_it_lies(tmp_path: Path, turned: int) -> None:
    values = np.random.default_rng(0).normal(size=(128, 64)).astype(np.float32)
    helper = onnx.helper
    node = helper.make_node("Gemm", ["x", "w"], ["y"], transB=turned)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", 1, ["n", 128])],
        [helper.make_tensor_value_info("y", 1, ["n", 64])],
        [onnx.numpy_helper.from_array(values.T.copy() if turned else values, "w")],
    )
    onnx.save(helper.make_model(graph), str(tmp_path / "model.onnx"))
    change_of(fault("low-bit-weights"), [])(tmp_path, {})
    model = onnx.load(str(tmp_path / "model.onnx"))
    (tensor,) = model.graph.initializer
    found = onnx.numpy_helper.to_array(tensor)
    np.testing.assert_array_equal(found.T if turned else found, rounded_in_blocks(values, 7))


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
