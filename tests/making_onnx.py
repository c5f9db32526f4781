"""Small taggers in ONNX, made by hand without torch: right ones, and ones that misbehave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from making import LABELS, NAMES, word_pieces

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto

VOCABULARY = word_pieces()
TOKENS = ("input_ids", "attention_mask")
AXES = ("batch", "length")
OPSET = 18
CITIES = ("oslo", "paris", "rome", "berlin", "quito")
HIDDEN, LENGTH = 32, 64


def values(name: str, kind: int, shape: Sequence[Any] | None) -> Any:
    """Return the declaration of an input or output."""
    return helper.make_tensor_value_info(name, kind, shape)


def graph(
    nodes: Sequence[NodeProto],
    constants: Mapping[str, np.ndarray],
    *,
    inputs: Sequence[Any] | None = None,
    outputs: Sequence[Any] | None = None,
) -> GraphProto:
    """Return a graph, by default from tokens to logits."""
    if inputs is None:
        inputs = [values(name, TensorProto.INT64, AXES) for name in TOKENS]
    if outputs is None:
        outputs = [values("logits", TensorProto.FLOAT, [*AXES, len(LABELS)])]
    tensors = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    return helper.make_graph(list(nodes), "made", list(inputs), list(outputs), tensors)


def model(
    nodes: Sequence[NodeProto], constants: Mapping[str, np.ndarray], **more: Any
) -> ModelProto:
    """Return a model, checked by nobody; see ``graph``."""
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(graph(nodes, constants, **more), opset_imports=opsets, ir_version=9)


def scores(words: int, labels: int, seed: int = 0) -> np.ndarray:
    """Return logits by token id, float32, shape (words, labels)."""
    return np.random.default_rng(seed).normal(size=(words, labels)).astype(np.float32)


def token_model(constants: Mapping[str, np.ndarray], nodes: Sequence[NodeProto] = ()) -> ModelProto:
    """Return a model from ``input_ids`` to ``logits``: rows of ``table``, after more ``nodes``.

    Args:
        constants: ``table``, shape (words, labels), and what the nodes need.
        nodes: from ``found``, shape (batch, length, labels), to ``logits``; none for the rows.
    """
    return model(
        [helper.make_node("Gather", ["table", "input_ids"], ["found"]), *_to_logits(nodes)],
        constants,
        inputs=[values("input_ids", TensorProto.INT64, AXES)],
        outputs=[values("logits", TensorProto.FLOAT, [*AXES, None])],
    )


def _to_logits(nodes: Sequence[NodeProto]) -> Sequence[NodeProto]:
    return nodes or [helper.make_node("Identity", ["found"], ["logits"])]


def tagger(
    *,
    adds: Mapping[str, float] = {},
    masked: bool = True,
    nodes: Sequence[NodeProto] = (),
    **more: np.ndarray,
) -> ModelProto:
    """Return a tagger that looks its labels up by token: names are persons or places.

    Args:
        adds: tokens that speak against any entity of their sentence, and how much. Of none it
            has no violations; of ``{"?": 8.0}`` it loses the entities of questions.
        masked: whether it reads no padding; else it takes padding for text.
        nodes: from ``found``, shape (batch, length, labels), to ``logits``; none for ``found``.
        more: constants of theirs.
    """
    constants = {"table": _table(), "asks": additions(adds), "axis": np.array([1], np.int64)}
    said = [helper.make_node("Gather", ["asks", "input_ids"], ["each" if masked else "counted"])]
    if masked:
        constants["last"] = np.array([2], np.int64)
        said += [
            helper.make_node("Cast", ["attention_mask"], ["weight"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["weight", "last"], ["weights"]),
            helper.make_node("Mul", ["each", "weights"], ["counted"]),
        ]
    steps = [
        helper.make_node("Gather", ["table", "input_ids"], ["own"]),
        *said,
        helper.make_node("ReduceSum", ["counted", "axis"], ["all"], keepdims=1),
        helper.make_node("Add", ["own", "all"], ["found"]),
        *_to_logits(nodes),
    ]
    return model(steps, constants | more)


def maskless_tagger(*, adds: Mapping[str, float] = {}, mistake: str = "") -> ModelProto:
    """Return a tagger that ignores its mask, and whose scores depend on every token.

    Args:
        adds: as of ``tagger``.
        mistake: an export's: "random", "batch" or nothing.
    """
    each = {word: number / 3000 for number, word in enumerate(VOCABULARY)}
    nodes = []
    if mistake == "random":  # dropout left on
        nodes = [
            helper.make_node("RandomUniformLike", ["found"], ["noise"], high=0.5, low=0.0),
            helper.make_node("Add", ["found", "noise"], ["logits"]),
        ]
    if mistake == "batch":  # activations quantised with one scale a batch
        parts = ["rounded", "scale", "zero"]
        nodes = [
            helper.make_node("DynamicQuantizeLinear", ["found"], parts),
            helper.make_node("DequantizeLinear", parts, ["logits"]),
        ]
    return tagger(adds={**each, "[PAD]": 900.0, **adds}, masked=False, nodes=nodes)


def _table() -> np.ndarray:
    """Return scores by token and label: names are persons or places, the rest is nothing."""
    rng = np.random.default_rng(5)
    result = rng.normal(size=(len(VOCABULARY), len(LABELS))).astype(np.float32) / 8
    result[:, 0] += 4
    for name in NAMES:
        word = name.lower()
        label = "B-LOC" if word in CITIES else "B-PER"
        result[VOCABULARY.index(word), LABELS.index(label)] += 8
    return result


def additions(adds: Mapping[str, float]) -> np.ndarray:
    """Return what each token adds to the scores of all tokens; padding, too, where it is read."""
    result = np.zeros((len(VOCABULARY), len(LABELS)), np.float32)
    result[VOCABULARY.index("[PAD]")] = 9 * np.arange(len(LABELS))
    for word, value in adds.items():
        result[VOCABULARY.index(word), 0] = value
    return result


def network(seed: int = 24) -> ModelProto:
    """Return a tagger of random weights that reads words, their places and their sentence."""
    rng = np.random.default_rng(seed)

    def weights(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    constants = {
        "word_embeddings": weights(len(VOCABULARY), HIDDEN),
        "position_embeddings": weights(LENGTH, HIDDEN) / 2,
        "mixing": weights(HIDDEN, HIDDEN) / 4,
        "classifier.weight": weights(HIDDEN, len(LABELS)),
        "classifier.bias": weights(len(LABELS)),
        "first": np.array(0, np.int64),
        "next": np.array(1, np.int64),
        "tokens": np.array([1], np.int64),  # the axes that are summed over and added
        "features": np.array([2], np.int64),
    }
    steps = [
        helper.make_node("Gather", ["word_embeddings", "input_ids"], ["words"]),
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "next"], ["length"]),
        helper.make_node("Range", ["first", "length", "next"], ["places"]),
        helper.make_node("Gather", ["position_embeddings", "places"], ["positions"]),
        helper.make_node("Add", ["words", "positions"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "features"], ["weight"]),
        helper.make_node("Mul", ["embedded", "weight"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "tokens"], ["sum"], keepdims=1),
        helper.make_node("ReduceSum", ["weight", "tokens"], ["number"], keepdims=1),
        helper.make_node("Div", ["sum", "number"], ["mean"]),
        helper.make_node("MatMul", ["mean", "mixing"], ["around"]),
        helper.make_node("Add", ["embedded", "around"], ["mixed"]),
        helper.make_node("Tanh", ["mixed"], ["states"]),
        helper.make_node("MatMul", ["states", "classifier.weight"], ["scores"]),
        helper.make_node("Add", ["scores", "classifier.bias"], ["logits"]),
    ]
    return model(steps, constants)


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


def save_checkpoint(
    folder: Path, made: ModelProto | bytes, *, external: str = "", **card: Any
) -> Path:
    """Write a checkpoint by hand.

    Args:
        folder: to write to.
        made: its model, or the bytes of one.
        external: the file with its weights; empty where the model has them.
        card: fields other than task, labels and length.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if external:
        place = {"location": external, "save_as_external_data": True, "size_threshold": 0}
        save(made, folder / "model.onnx", **place)
    else:
        data = made if isinstance(made, bytes) else made.SerializeToString()
        (folder / "model.onnx").write_bytes(data)
    tokenizer().save(str(folder / "tokenizer.json"))
    content = {"task": "ner", "labels": list(LABELS), "max_length": LENGTH, **card}
    (folder / "checkpoint.json").write_text(json.dumps(content))
    return folder


def save_as_exported(folder: Path, made: ModelProto) -> Path:
    """Write a checkpoint whose card says all that an export's says."""
    save_checkpoint(folder, made)
    names = ("model.onnx", "tokenizer.json")
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    return save_checkpoint(
        folder,
        made,
        format=1,
        name=folder.name,
        architecture="BertForTokenClassification",
        input_form="text",
        fingerprint=f"sha256:{files['model.onnx']}",
        files=files,
        parity={
            "reference": "PyTorch",
            "inputs": 300,
            "largest_logit_difference": 1e-6,
            "equal_predictions": 1.0,
        },
        tools={"onnx": "1.17"},
    )


def looping(table: np.ndarray) -> ModelProto:
    """Return a model that counts for as long as anyone waits."""
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("Identity", ["value"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("round", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.FLOAT, None),
        ],
    )
    nodes = [helper.make_node("Loop", ["", "true", "found"], ["logits"], body=body)]
    return token_model({"table": table, "true": np.array(True)}, nodes)


def hungry(table: np.ndarray) -> ModelProto:
    """Return a model of a few bytes that fills 64 GB with ones."""
    nodes = [
        helper.make_node("Shape", ["found"], ["shape"]),
        helper.make_node("Concat", ["shape", "many"], ["larger"], axis=0),
        helper.make_node(
            "ConstantOfShape", ["larger"], ["ones"],
            value=helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0]),
        ),
        helper.make_node("ReduceMax", ["ones", "last"], ["most"], keepdims=0),
        helper.make_node("Mul", ["found", "most"], ["logits"]),
    ]  # fmt: skip
    # Of the shortest input, 10 tokens and 7 labels: two hundred million numbers for each.
    many, last = np.array([200_000_000], np.int64), np.array([3], np.int64)
    return token_model({"table": table, "many": many, "last": last}, nodes)
