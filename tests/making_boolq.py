"""Makers of small checkpoints and a suite for boolean questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from making import NAMES, save_bert, save_roberta, suite_head
from mt_gate.domain import Block, Group, Source
from mt_gate.suites.format import SuiteRelation, group_id, write_suite
from mt_gate.tasks import boolq

CLASSIFIER = "ForSequenceClassification"
INPUTS = [
    {"question": f"was {a} a friend of {b}", "passage": f"{a} was a friend of {c} in {d}. Was {b}?"}
    for a in NAMES
    for b in NAMES[:5]
    for c in NAMES[4:7]
    for d in NAMES[7:9]
][:300]
WORDS = ("<pad>", "<unk>", "was", "a", "friend", "of", "in", ".", *(n.lower() for n in NAMES))


def save_pair_bert(folder: Path, labels: Sequence[str] = ("no", "yes"), **config: Any) -> Path:
    """Save a BERT that classifies pairs of at most 64 tokens."""
    return save_bert(folder, tuple(labels), head=CLASSIFIER, **config)


def save_pair_roberta(folder: Path, labels: Sequence[str] = ("False", "True")) -> Path:
    """Save a RoBERTa that classifies pairs of at most 60 tokens."""
    return save_roberta(folder, tuple(labels), head=CLASSIFIER)


def save_t5(folder: Path, words: Sequence[str] = ("True", "False"), **config: Any) -> Path:
    """Save a T5 whose vocabulary has ``words``, each as one piece; at most 90 tokens."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import T5Config, T5ForConditionalGeneration

    folder.mkdir(parents=True)
    known = [*words, *NAMES, "was", "friend", "of", "in", "boolq", "question:", "passage:"]
    letters = [chr(code) for code in range(97, 123)]
    pieces = [*(f"▁{word}" for word in known), "▁", *letters, *map(str.upper, letters), ".", ":"]
    vocabulary = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [(piece, -1.0 - len(piece) / 100) for piece in dict.fromkeys(pieces)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 90}))
    torch.manual_seed(7)
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=len(vocabulary),
            d_model=32,
            d_kv=16,
            d_ff=64,
            num_layers=2,
            num_heads=2,
            decoder_start_token_id=0,
            initializer_factor=2.0,
            **config,
        )
    )
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def save_word_pair(folder: Path, **card: Any) -> Path:
    """Write a bag-of-words model by hand: ONNX, vocabulary and card, no Hugging Face."""
    from onnx import TensorProto, checker, helper, save

    from making_onnx import model, values

    folder.mkdir(parents=True)
    rng = np.random.default_rng(11)
    words = rng.normal(size=(len(WORDS), 6)).astype(np.float32)
    weights = rng.normal(size=(12, 2)).astype(np.float32)
    texts = ("question", "passage")
    nodes = []
    for text in texts:
        nodes += [
            helper.make_node("Gather", ["words", f"{text}_ids"], [f"{text}_vectors"]),
            helper.make_node("ReduceMean", [f"{text}_vectors", "axis"], [text], keepdims=0),
        ]
    nodes += [
        helper.make_node("Concat", [*texts], ["both"], axis=1),
        helper.make_node("MatMul", ["both", "weights"], ["logits"]),
    ]
    made = model(
        nodes,
        {"words": words, "weights": weights, "axis": np.array([1], np.int64)},
        inputs=[values(f"{text}_ids", TensorProto.INT64, ["batch", text]) for text in texts],
        outputs=[values("logits", TensorProto.FLOAT, ["batch", 2])],
    )
    checker.check_model(made)
    save(made, folder / "model.onnx")
    (folder / "vocabulary.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    content = {"task": "boolq", "labels": ["no", "yes"], "input_form": "word-pair", **card}
    (folder / "checkpoint.json").write_text(json.dumps(content))
    return folder


def make_boolq_suite(folder: Path, inputs: Sequence[dict[str, str]] | None = None) -> Path:
    """Write a suite with an edited question and an edited passage for each input."""
    sources, groups = [], []
    for number, value in enumerate(inputs or INPUTS[:60]):
        source = Source(id=f"made-{number:04d}", input=value, origin="made up")
        sources.append(source)
        longer = {**value, "question": value["question"].replace("friend", "true friend")}
        reworded = {**value, "passage": value["passage"].replace("was a", "had been a")}
        edits = {"boolq/synonym-adjective": longer, "boolq/voice-change": reworded}
        groups += [group(source, name, after) for name, after in edits.items()]
    relations = ("boolq/synonym-adjective", "boolq/voice-change")
    count = len(sources)
    heads = [SuiteRelation(id=name, groups=count, sources=count) for name in relations]
    write_suite(folder, suite_head(boolq.ID, heads, count), sources, groups)
    return folder


def group(source: Source, relation: str, after: dict[str, str]) -> Group:
    """Return a group, aligned by what the two joined texts have in common."""
    texts = boolq.TASK.text(source.input), boolq.TASK.text(after)
    blocks = SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks()
    return Group(
        id=group_id(relation, source.input, after),
        relation=relation,
        source=source.id,
        follow_up=after,
        alignment=tuple(Block(*block) for block in blocks if block.size),
    )
