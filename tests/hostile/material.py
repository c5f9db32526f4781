"""Good things for a stranger to start from, made by hand: no torch, no transformers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from onnx import TensorProto, helper

from hostile.running import Ground, gate
from making import LABELS, SENTENCES, make_suite
from making_boolq import INPUTS, make_boolq_suite, save_word_pair
from making_onnx import VOCABULARY, model, save_checkpoint, tagger, tokenizer, values

if TYPE_CHECKING:
    from onnx import ModelProto

    from hostile.running import Runner

TEXTS = [
    text.replace("a friend", "a friend of a friend") if number % 2 else text
    for number, text in enumerate(SENTENCES[:60])
]
"""Of two lengths, so that a batch of them all would have to be padded."""


def make_good(folder: Path, runner: Runner) -> Path:
    make_suite(folder / "suite", TEXTS)
    make_boolq_suite(folder / "boolq-suite", INPUTS[:20])
    save_checkpoint(folder / "checkpoint", tagger())
    save_checkpoint(folder / "worse", tagger(adds={"?": 8.0}))
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


def classifier(labels: int) -> ModelProto:
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


def save_hugging_face(folder: Path) -> Path:
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
