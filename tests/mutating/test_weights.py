"""The same neurons are found, and changed alike, in a folder and in its export."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fault_bench.exported import write_exported
from fault_bench.onnx_weights import OnnxWeights
from making import LABELS, SENTENCES, save_bert, save_roberta
from speeds import first_daily

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

import onnx
import torch
import transformers
from safetensors import safe_open
from torch import nn
from transformers import BertConfig, BertForTokenClassification

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.exporting import precision
from mt_gate.exporting.export import export
from mt_gate.exporting.models import write_onnx
from mt_gate.exporting.precision import set_precision
from mt_gate.mutating import safetensors_weights
from mt_gate.mutating.mutate import mutate
from mt_gate.mutating.operators import Layer, Mutation, Operator, Tensors, mutate_layers
from mt_gate.sut.folder import CheckpointFolder, Model, read_model
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import TOKENS
from mt_gate.sut.session import Session

INPUTS = [{"text": text} for text in SENTENCES]


def neurons(layers: list[Layer], tensors: Tensors) -> list[tuple[np.ndarray, ...]]:
    return [
        (
            np.concatenate([part.of(tensors) for part in layer.weights], axis=1),
            *[part.of(tensors) for part in layer.biases],
        )
        for layer in layers
    ]


def assert_alike(actual: list[tuple], wanted: list[tuple]) -> None:
    assert len(actual) == len(wanted)
    for one, other in zip(actual, wanted, strict=True):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)


def of_folder(folder: Path) -> list[tuple]:
    tensors = safetensors_weights.load(folder)
    layers = safetensors_weights.find_layers(tensors)
    return neurons(layers, safetensors_weights.floats(tensors, layers))


def of_export(path: Path) -> list[tuple]:
    weights = OnnxWeights(path)
    return neurons(weights.layers, weights.tensors)


def save_module(module: nn.Module, example: dict, folder: Path) -> Path:
    """Save a module's weights as safetensors and, exported, as ONNX."""
    from safetensors.torch import save_file

    folder.mkdir()
    save_file(module.state_dict(), folder / "model.safetensors")
    program = torch.onnx.export(
        module.eval(), (), kwargs=example, dynamo=True, opset_version=18, verbose=False
    )
    program.save(folder / "model.onnx")
    return folder


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.lstm = nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(12, 3)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        return self.out(self.lstm(self.words(input_ids))[0])


class Fused(nn.Module):
    """Query, key and value in one product, as in many newer models."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.Wqkv = nn.Linear(8, 24)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        query, key, value = self.Wqkv(self.words(input_ids)).chunk(3, dim=-1)
        return torch.softmax(query @ key.transpose(-1, -2) / 8**0.5, dim=-1) @ value


class NoAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.out = nn.Linear(8, 3)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.out(self.words(input_ids)), dim=-1)


IDS = {"input_ids": torch.ones((2, 7), dtype=torch.int64)}


def test_an_encoders_neurons_are_read_from_its_export(hugging_face: Path, exported: Path) -> None:
    actual = of_export(exported / "model.onnx")
    assert len(actual) == 6
    assert_alike(actual, of_folder(hugging_face))


def test_neurons_of_byte_level_encoders_are_read_from_their_export(tmp_path: Path) -> None:
    folder = save_roberta(tmp_path / "roberta", LABELS)
    export(folder, "ner", tmp_path / "out", "fp32", INPUTS)
    assert_alike(of_export(tmp_path / "out" / "model.onnx"), of_folder(folder))


@pytest.mark.parametrize(("module", "layers"), [(Recurrent, 16), (Fused, 3)])
def test_gates_and_fused_attention(module: type[nn.Module], layers: int, tmp_path: Path) -> None:
    folder = save_module(module(), IDS, tmp_path / "made")
    actual = of_export(folder / "model.onnx")
    assert len(actual) == layers
    assert_alike(actual, of_folder(folder))


@pytest.mark.parametrize("architecture", first_daily(["Bert", "Electra", "Albert", "MPNet"]))
def test_half_precision_hides_no_neurons(architecture: str, tmp_path: Path) -> None:
    """Its operators have the weights of all three in one tensor, or their biases alone."""
    config = getattr(transformers, f"{architecture}Config")(
        vocab_size=60, hidden_size=96, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=48, embedding_size=16,
    )  # fmt: skip
    model = getattr(transformers, f"{architecture}ForTokenClassification")(config).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.normal_(std=0.2)
    paths = [tmp_path / "plain.onnx", tmp_path / "half.onnx"]
    for path in paths:
        write_onnx(model, config, path)
    set_precision(paths[0], "fp32")
    set_precision(paths[1], "fp16")
    plain, half = map(of_export, paths)
    assert len(plain) == (3 if architecture == "Albert" else 6)
    rounded = [tuple(array.astype(np.float16).astype(np.float32) for array in one) for one in plain]
    assert_alike(half, rounded)
    wanted = Mutation(operator=Operator.NEURON_BLOCK, ratio=0.25, seed=1)
    feeds = {
        "input_ids": np.arange(5, 25, dtype=np.int64).reshape(2, 10),
        "attention_mask": np.ones((2, 10), np.int64),
        "token_type_ids": np.zeros((2, 10), np.int64),
    }
    answers = []
    for path in paths:
        before = OnnxWeights(path)
        before.save(mutate_layers(before.layers, before.tensors, wanted), path)
        answers.append(Session(Model(path, path.read_bytes(), {}), "cpu", TOKENS).logits(feeds))
    np.testing.assert_allclose(*answers, atol=0.05 * np.abs(answers[0]).max())


@pytest.mark.parametrize("operator", Operator)
def test_a_mutant_answers_as_its_mutated_export_does(
    operator: Operator, hugging_face: Path, exported: Path, tmp_path: Path
) -> None:
    wanted = Mutation(operator=operator, ratio=0.3, seed=11, sd=0.5)
    assert mutate(hugging_face, wanted, tmp_path / "folder") == 6
    (tmp_path / "export").mkdir()
    write_exported(exported, wanted, tmp_path / "export")
    ids = np.arange(5, 25, dtype=np.int64).reshape(2, 10)
    feeds = dict.fromkeys(("input_ids",), ids) | {
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    model = BertForTokenClassification.from_pretrained(tmp_path / "folder").eval()
    with torch.no_grad():
        said = model(**{name: torch.from_numpy(value) for name, value in feeds.items()}).logits
    actual = Session(
        read_model(CheckpointFolder(tmp_path / "export"), "model.onnx"), "cpu", TOKENS
    ).logits(feeds)
    np.testing.assert_allclose(actual, said.numpy(), atol=1e-4)
    before = Session(read_model(CheckpointFolder(exported), "model.onnx"), "cpu", TOKENS).logits(
        feeds
    )
    assert np.abs(actual - before).max() > 1e-3


@pytest.fixture(scope="module")
def wider(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export whose query, key and value are large enough to be stored in 8 bits."""
    folder = tmp_path_factory.mktemp("wider")
    save_bert(folder / "bert", LABELS)
    known = BertConfig.from_pretrained(folder / "bert").to_dict()
    config = BertConfig(**{**known, "hidden_size": 64, "intermediate_size": 128})
    BertForTokenClassification(config).save_pretrained(folder / "bert")
    export(folder / "bert", "ner", folder / "export", "fp32", INPUTS)
    return folder / "export"


@pytest.mark.parametrize("convert", [precision.int8_weights, precision.half])
def test_smaller_exports_change_in_the_chosen_neurons_alone(
    convert: Callable, wider: Path, tmp_path: Path
) -> None:
    small = Path(shutil.copytree(wider, tmp_path / "small"))
    onnx.save(convert(onnx.load(wider / "model.onnx")), small / "model.onnx")
    (small / "checkpoint.json").write_text(json.dumps({"task": "ner", "labels": LABELS}))
    wanted = Mutation(operator=Operator.NEURON_BLOCK, ratio=0.1, seed=1)
    (tmp_path / "mutant").mkdir()
    write_exported(small, wanted, tmp_path / "mutant")
    assert OnnxSystem(tmp_path / "mutant", "ner", "cpu").head.fingerprint
    before = of_export(small / "model.onnx")
    after = of_export(tmp_path / "mutant" / "model.onnx")
    assert len(before) == 6
    for (old, old_bias), (new, new_bias) in zip(before, after, strict=True):
        changed = np.any(old != new, axis=1)
        assert changed.sum() == round(0.1 * len(old))
        assert not new[changed].any()
        assert not new_bias[changed].any()
        np.testing.assert_array_equal(old_bias[~changed], new_bias[~changed])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_folder_keeps_its_type_and_its_other_tensors(
    dtype: torch.dtype, hugging_face: Path, tmp_path: Path
) -> None:
    model = BertForTokenClassification.from_pretrained(hugging_face, dtype=dtype)
    model.save_pretrained(tmp_path / "half")
    (tmp_path / "half" / "pytorch_model.bin").write_bytes(b"not the mutant's")
    wanted = Mutation(operator=Operator.WEIGHT_SHUFFLE, ratio=0.5, seed=1)
    mutate(tmp_path / "half", wanted, tmp_path / "mutant")
    assert not (tmp_path / "mutant" / "pytorch_model.bin").exists()
    files = [tmp_path / name / "model.safetensors" for name in ("half", "mutant")]
    with safe_open(str(files[0]), "pt") as before, safe_open(str(files[1]), "pt") as after:
        assert before.metadata() == after.metadata()
        assert set(before.keys()) == set(after.keys())
        for name in before.keys():  # noqa: SIM118
            old, new = before.get_tensor(name), after.get_tensor(name)
            assert new.dtype == dtype
            chosen = name.endswith(("query.weight", "key.weight", "value.weight"))
            assert torch.equal(old, new) != chosen


def test_a_model_without_attention_is_refused(tmp_path: Path) -> None:
    folder = save_module(NoAttention(), IDS, tmp_path / "made")
    weights = OnnxWeights(folder / "model.onnx")
    wanted = Mutation(operator=Operator.NEURON_BLOCK, ratio=0.5, seed=1)
    with pytest.raises(CannotJudge, match="need the query, key and value weights"):
        mutate_layers(weights.layers, weights.tensors, wanted)


def test_broken_weights_are_refused(hugging_face: Path, tmp_path: Path) -> None:
    wanted = Mutation(operator=Operator.NEURON_BLOCK, ratio=0.5, seed=1)
    broken = Path(shutil.copytree(hugging_face, tmp_path / "broken"))
    data = (broken / "model.safetensors").read_bytes()
    (broken / "model.safetensors").write_bytes(data[: len(data) // 3])
    with pytest.raises(CannotJudge, match="cannot be read"):
        mutate(broken, wanted, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_exported_checkpoint_is_refused(exported: Path, tmp_path: Path) -> None:
    wanted = Mutation(operator=Operator.NEURON_BLOCK, ratio=0.5, seed=1)
    with pytest.raises(UsageError, match="Mutate the Hugging Face folder"):
        mutate(exported, wanted, tmp_path / "out")
