"""Makers of small checkpoints for relation extraction, in every input form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from making import NAMES, save_bert, save_roberta

LABELS = ("no_relation", "per:friend", "per:city(e1,e2)", "per:city(e2,e1)")
MARKERS = ("[E1]", "[/E1]", "[E2]", "[/E2]")
MARKED = {"head": "[E1] {text} [/E1]", "tail": "[E2] {text} [/E2]"}
TYPED = {
    "head": "<S:{type}> {text} </S:{type}>",
    "tail": "<O:{type}> {text} </O:{type}>",
    "types": {"PERSON": "PERSON", "CITY": "CITY"},
}
MASKED = {
    "head": "[subject-{type}]",
    "tail": "[object-{type}]",
    "types": {"PERSON": "person", "CITY": "city"},
}
PLAIN = {"template": "{head} and {tail}"}
CLASSIFIER = "ForSequenceClassification"
FORMS: Mapping[str, Mapping[str, Any]] = {
    "entity-markers": MARKED,
    "typed-markers": TYPED,
    "entity-mask": MASKED,
    "plain-text": PLAIN,
}
"""The forms of sequence classifiers, with their data."""


def inputs(most: int = 300) -> list[dict[str, Any]]:
    """Return sentences with a person and a friend or a city; the head may stand last."""
    result = []
    for a in NAMES:
        for b in NAMES[:6]:
            for c in NAMES[4:]:
                if len({a, b, c}) < 3:
                    continue
                text = f"{a} was a friend of {b} in {c}."
                person, friend, city = (
                    [text.index(name), text.index(name) + len(name), kind]
                    for name, kind in ((a, "PERSON"), (b, "PERSON"), (c, "CITY"))
                )
                pairs = [(person, city), (city, friend), (friend, person)]
                head, tail = pairs[len(result) % 3]
                result.append({"text": text, "head": head, "tail": tail})
    return result[:most]


INPUTS = inputs()


def markers_of(data: Mapping[str, Any]) -> list[str]:
    """Return the marker tokens of a form's templates, each type's filled in."""
    names = list(data.get("types", {}).values()) or [""]
    words = [word for key in ("head", "tail") for word in data.get(key, "").split()]
    filled = [word.replace("{type}", name) for word in words for name in names]
    return [word for word in dict.fromkeys(filled) if word != "{text}"]


def make_marker_checkpoint(folder: Path, labels: Sequence[str] = LABELS, *, seed: int = 3) -> Path:
    """Save a BERT whose vocabulary alone shows that its form is ``entity-markers``."""
    return save_relation_bert(folder, labels, with_form=False, seed=seed)


def make_exported(
    folder: Path, labels: Sequence[str] = LABELS, *, seed: int = 3, **form: Any
) -> Path:
    """Write such a BERT as ONNX to ``folder``; ``form`` as ``save_relation_bert`` takes it."""
    import tempfile

    from mt_gate.exporting.export import export

    with tempfile.TemporaryDirectory() as temporary:
        saved = save_relation_bert(Path(temporary) / folder.name, labels, seed=seed, **form)
        export(saved, "re", folder, "fp32", INPUTS[:30])
    return folder


def save_relation_bert(
    folder: Path,
    labels: Sequence[str] = LABELS,
    *,
    form: str = "entity-markers",
    data: Mapping[str, Any] | None = None,
    with_form: bool = True,
    seed: int = 3,
    length: int = 64,
) -> Path:
    """Save a BERT of random weights with the markers of its form in its vocabulary.

    ``data`` are by default those of ``FORMS``; ``with_form`` writes ``input_form.json``.
    """
    data = FORMS[form] if data is None else data
    save_bert(folder, tuple(labels), head=CLASSIFIER, seed=seed, length=length)
    _add_tokens(folder, f"Bert{CLASSIFIER}", markers_of(data))
    if with_form:
        write_form(folder, input_form=form, **data)
    return folder


def save_relation_roberta(folder: Path, labels: Sequence[str] = LABELS) -> Path:
    """Save a RoBERTa with markers: byte-level tokens that carry their blank."""
    save_roberta(folder, tuple(labels), head=CLASSIFIER)
    _add_tokens(folder, f"Roberta{CLASSIFIER}", MARKERS)
    return folder


def save_start_states(
    folder: Path,
    labels: Sequence[str] = LABELS,
    data: Mapping[str, Any] = MARKED,
    *,
    length: int = 64,
) -> Path:
    """Save a BERT encoder with a classifier of the states at the two start markers."""
    from safetensors.numpy import save_file

    save_bert(folder, tuple(labels), head="Model", length=length)
    _add_tokens(folder, "BertModel", markers_of(data))
    rng = np.random.default_rng(5)
    weight = rng.normal(size=(len(labels), 64)).astype(np.float32)
    bias = rng.normal(size=len(labels)).astype(np.float32)
    save_file({"weight": weight, "bias": bias}, str(folder / "classifier.safetensors"))
    write_form(folder, input_form="entity-starts", **data)
    return folder


def save_luke(folder: Path, labels: Sequence[str] = LABELS, *, length: int = 60) -> Path:
    """Save a LUKE for entity pairs with its tokenizer, which transformers has in Python alone."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import LukeConfig, LukeForEntityPairClassification, LukeTokenizer

    folder.mkdir(parents=True)
    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    texts = [item["text"] for item in INPUTS]
    bpe.train_from_iterator(texts, vocab_size=400, special_tokens=special)
    bpe.save_model(str(folder))
    entities = {"[PAD]": 0, "[UNK]": 1, "[MASK]": 2, "[MASK2]": 3}
    (folder / "entity_vocab.json").write_text(json.dumps(entities))
    tokenizer = LukeTokenizer.from_pretrained(
        folder, task="entity_pair_classification", model_max_length=length
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(9)
    model = LukeForEntityPairClassification(
        LukeConfig(
            vocab_size=len(tokenizer),
            entity_vocab_size=len(entities),
            hidden_size=32,
            entity_emb_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=length + 6,
            type_vocab_size=1,
            initializer_range=0.5,
            id2label=dict(enumerate(labels)),
            label2id={label: index for index, label in enumerate(labels)},
        )
    )
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def write_form(folder: Path, **form: Any) -> None:
    """Write ``input_form.json``."""
    (folder / "input_form.json").write_text(json.dumps(form))


def _add_tokens(folder: Path, architecture: str, added: Sequence[str]) -> None:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.add_special_tokens({"additional_special_tokens": list(added)})
    tokenizer.save_pretrained(folder)
    model = getattr(transformers, architecture).from_pretrained(folder)
    torch.manual_seed(7)
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    model.save_pretrained(folder, safe_serialization=True)
