"""Small text classifiers: random ones as Hugging Face saves them, and one made of word weights."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from making import NAMES, save_bert
from making_stated import Pair

CLASSIFIER = "ForSequenceClassification"
TEXTS = [f"{a} was a friend of {b} in {c}." for a in NAMES[:4] for b in NAMES[4:7] for c in NAMES]
PAIRS: list[Pair] = [({"text": text}, {"text": f"{text[:-1]}, was a friend."}) for text in TEXTS]
"""A text, and one with words added."""
TWO: list[Pair] = [
    ({"text": one, "second": other}, {"text": other, "second": one})
    for one, other in zip(TEXTS, [*TEXTS[7:], *TEXTS[:7]], strict=True)
]
"""Two texts, and in the other order."""


def save_classifier(folder: Path, labels: Sequence[str], **config: Any) -> Path:
    """Save a BERT for sequence classification with random weights; at most 64 tokens."""
    return save_bert(folder, tuple(labels), head=CLASSIFIER, **config)


def save_bag(
    folder: Path,
    labels: Sequence[str],
    weights: Mapping[str, Sequence[float]],
    card: Mapping[str, Any] = {},
) -> Path:
    """Write a plain ONNX model whose logits are the sums of its words' weights.

    Args:
        folder: for model, tokenizer and card; no Hugging Face and no torch.
        labels: in the order of the weights.
        weights: of each word that counts, one a label.
        card: what else ``checkpoint.json`` says.
    """
    from onnx import TensorProto, checker, helper, save
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    from making_onnx import model, values

    folder.mkdir(parents=True)
    words = ["[UNK]", "[SEP]", *weights]
    table = np.zeros((len(words), len(labels)), np.float32)
    for at, word in enumerate(words):
        table[at] = weights.get(word, 0)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["found"]),
        helper.make_node("ReduceSum", ["found", "axis"], ["logits"], keepdims=0),
    ]
    made = model(
        nodes,
        {"table": table, "axis": np.array([1], np.int64)},
        inputs=[values("input_ids", TensorProto.INT64, ["batch", "length"])],
        outputs=[values("logits", TensorProto.FLOAT, ["batch", len(labels)])],
    )
    checker.check_model(made)
    save(made, folder / "model.onnx")
    tokenizer = Tokenizer(
        models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B [SEP]", special_tokens=[("[SEP]", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "checkpoint.json").write_text(
        json.dumps({"task": "text", "labels": [*labels], "max_length": 30} | dict(card))
    )
    return folder


def command(folder: Path, *, scores: bool = True) -> str:
    """Write a program that flags "bad" as toxic; return the command that starts it."""
    program = folder / "moderate.py"
    folder.mkdir(parents=True, exist_ok=True)
    program.write_text(
        "import json, sys\n"
        "print(json.dumps({'system': {'name': 'moderator', 'fingerprint': 'v1'}}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    bad = 'bad' in asked['text'].split() + asked.get('second', '').split()\n"
        "    answer = {'id': asked['id'], 'labels': ['toxic'] if bad else []}\n"
        f"    if {scores}:\n"
        "        answer['scores'] = {'toxic': 0.7 if bad else 0.1}\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    return f"command:{sys.executable} {program}"
