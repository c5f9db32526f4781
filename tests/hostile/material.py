"""Good things for a stranger to start from, made by hand: no torch, no transformers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from hostile.running import Ground, gate
from making import LABELS, SENTENCES, make_suite, word_pieces
from making_boolq import INPUTS, make_boolq_suite, save_word_pair

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

    from hostile.running import Runner

MADE = ("checkpoint", "worse", "suite", "boolq-suite", "word-pair", "hugging-face")
"""And ``result``, ``worse-result``: folders; ``baseline.json`` with its answers."""
VOCABULARY = word_pieces()
TOKENS = ("input_ids", "attention_mask")
TEXTS = [
    text.replace("a friend", "a friend of a friend") if number % 2 else text
    for number, text in enumerate(SENTENCES[:60])
]
"""Of two lengths, so that a batch of them all would have to be padded."""


def make_good(folder: Path, runner: Runner) -> Path:
    """Make all of them."""
    make_suite(folder / "suite", TEXTS)
    make_boolq_suite(folder / "boolq-suite", INPUTS[:20])
    save_checkpoint(folder / "checkpoint", tagger())
    save_checkpoint(folder / "worse", tagger(question=8.0))
    save_word_pair(folder / "word-pair")
    save_hugging_face(folder / "hugging-face")
    for name, result in (("checkpoint", "result"), ("worse", "worse-result")):
        place = folder / f"running-{name}"
        place.mkdir()
        ground = Ground(place, folder, runner)
        shutil.copytree(folder / name, place / "checkpoint")
        done = runner.run(gate(ground), ground)
        assert done.code == 0, done
        shutil.move(place / "out", folder / result)
        shutil.rmtree(place)
    place = folder / "recording"
    place.mkdir()
    ground = Ground(place, folder, runner)
    record = ["baseline", "record", str(folder / "result"), "--name", "baseline", "--dir", "."]
    done = runner.run(record, ground)
    assert done.code == 0, done
    for name in ("baseline.json", "baseline.answers.gz"):
        shutil.move(place / name, folder / name)
    return folder


def tagger(
    *, question: float = 0.0, nodes: Sequence[NodeProto] = (), **more: np.ndarray
) -> ModelProto:
    """Return a tagger that looks its labels up by token.

    Args:
        question: how much a question mark speaks against any entity; 0 is a checkpoint without
            violations, much of it one that loses the entities of questions.
        nodes: from ``found`` to ``logits``, in the place of nothing.
        more: constants of theirs.
    """
    constants = {"table": table(), "asks": asks(question), "axis": np.array([1], np.int64), **more}
    steps = [
        helper.make_node("Gather", ["table", "input_ids"], ["own"]),
        helper.make_node("Gather", ["asks", "input_ids"], ["each"]),
        helper.make_node("Cast", ["attention_mask"], ["weight"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["weight", "last"], ["weights"]),
        helper.make_node("Mul", ["each", "weights"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "axis"], ["all"], keepdims=1),
        helper.make_node("Add", ["own", "all"], ["found"]),
        *(nodes or [helper.make_node("Identity", ["found"], ["logits"])]),
    ]
    constants["last"] = np.array([2], np.int64)
    return model(steps, constants)


def table() -> np.ndarray:
    """Return scores by token and label: names are persons or places, the rest is nothing."""
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(len(VOCABULARY), len(LABELS))).astype(np.float32) / 8
    scores[:, 0] += 4
    for word, label in {
        "anna": 1,
        "boris": 1,
        "clara": 1,
        "david": 1,
        "erik": 1,
        "oslo": 5,
        "paris": 5,
        "rome": 5,
        "berlin": 5,
        "quito": 5,
    }.items():
        scores[VOCABULARY.index(word), label] += 8
    return scores


def asks(question: float) -> np.ndarray:
    """Return what each token adds to the scores of all tokens; padding, too, where it is read."""
    scores = np.zeros((len(VOCABULARY), len(LABELS)), np.float32)
    scores[VOCABULARY.index("[PAD]")] = 9 * np.arange(len(LABELS))
    scores[VOCABULARY.index("?"), 0] = question
    return scores


def values(name: str, kind: int, shape: Sequence[Any]) -> Any:
    """Return the declaration of an input or output."""
    return helper.make_tensor_value_info(name, kind, shape)


def graph(
    nodes: Sequence[NodeProto],
    constants: dict[str, np.ndarray],
    *,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
) -> GraphProto:
    """Return a graph, by default from tokens to logits."""
    axes = ["batch", "length"]
    inputs = (
        [values(name, TensorProto.INT64, axes) for name in TOKENS] if inputs is None else inputs
    )
    if outputs is None:
        outputs = [values("logits", TensorProto.FLOAT, [*axes, len(LABELS)])]
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    return helper.make_graph(list(nodes), "made", list(inputs), list(outputs), tensors)


def model(nodes: Sequence[NodeProto], constants: dict[str, np.ndarray], **more: Any) -> ModelProto:
    """Return a model, checked by nobody; see ``graph``."""
    opsets = [helper.make_opsetid("", 18)]
    return helper.make_model(graph(nodes, constants, **more), opset_imports=opsets, ir_version=9)


def classifier(labels: int) -> ModelProto:
    """Return a model that gives a sentence the mean scores of its tokens."""
    scores = np.random.default_rng(5).normal(size=(len(VOCABULARY), labels)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["scores", "input_ids"], ["own"]),
        helper.make_node("ReduceMean", ["own", "axis"], ["logits"], keepdims=0),
    ]
    return model(
        nodes,
        {"scores": scores, "axis": np.array([1], np.int64)},
        outputs=[values("logits", TensorProto.FLOAT, ["batch", labels])],
    )


def tokenizer() -> Tokenizer:
    """Return a tokenizer of pieces, lower case, with [CLS] and [SEP]."""
    made = Tokenizer(
        models.WordPiece({word: i for i, word in enumerate(VOCABULARY)}, unk_token="[UNK]")
    )
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", VOCABULARY.index("[CLS]")), ("[SEP]", VOCABULARY.index("[SEP]"))],
    )
    return made


def save_checkpoint(folder: Path, made: ModelProto | bytes, **card: Any) -> Path:
    """Write a checkpoint by hand; ``card`` are fields beside task and labels."""
    folder.mkdir(parents=True, exist_ok=True)
    data = made if isinstance(made, bytes) else made.SerializeToString()
    (folder / "model.onnx").write_bytes(data)
    tokenizer().save(str(folder / "tokenizer.json"))
    content = {"task": "ner", "labels": list(LABELS), "max_length": 64, **card}
    (folder / "checkpoint.json").write_text(json.dumps(content))
    return folder


def save_hugging_face(folder: Path) -> Path:
    """Write a folder as Hugging Face saves a small BERT: what is read before torch is there."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    config = {
        "architectures": ["BertForTokenClassification"],
        "model_type": "bert",
        "vocab_size": len(VOCABULARY),
        "hidden_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 1,
        "intermediate_size": 8,
        "max_position_embeddings": 64,
        "id2label": {str(number): label for number, label in enumerate(LABELS)},
        "label2id": {label: number for number, label in enumerate(LABELS)},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64}))
    rng = np.random.default_rng(3)
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in _BERT.items()}
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


_LAYER = "bert.encoder.layer.0."
_BERT = {
    "bert.embeddings.word_embeddings.weight": (len(VOCABULARY), 8),
    "bert.embeddings.position_embeddings.weight": (64, 8),
    "bert.embeddings.token_type_embeddings.weight": (2, 8),
    **{f"bert.embeddings.LayerNorm.{name}": (8,) for name in ("weight", "bias")},
    **{
        f"{_LAYER}{place}.{name}": (8, 8)[: 2 - (name == "bias")]
        for place in (
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
        )
        for name in ("weight", "bias")
    },
    **{
        f"{_LAYER}{place}.LayerNorm.{name}": (8,)
        for place in ("attention.output", "output")
        for name in ("weight", "bias")
    },
    "classifier.weight": (len(LABELS), 8),
    "classifier.bias": (len(LABELS),),
}
