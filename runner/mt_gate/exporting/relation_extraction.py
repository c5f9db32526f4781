"""Checkpoints for relation extraction, as Hugging Face saves them.

What an architecture takes does not tell how arguments were shown to it, so ``input_form.json``
lies next to ``config.json`` wherever no known markers are in the vocabulary.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.folder_files import (
    ENTITIES,
    INPUT_FORM,
    TOKENIZER_CONFIG,
    read_header,
    read_json,
)
from mt_gate.exporting.heads import UNNAMED, Answers, Config, ModelHead, TaskExport, label_names
from mt_gate.sut.card import TOKENIZER
from mt_gate.sut.input_form import RULES, InputForm, check_form
from mt_gate.sut.relation_text import check_labels
from mt_gate.tasks.relation_extraction import MARKERS, MASK, PAIR, PLAIN, STARTS, TYPED

CLASSIFIER = "classifier.safetensors"
_MOST, _MOST_TOKENIZER, _MOST_ENTITIES = 1 << 20, 64 << 20, 128 << 20
_AGAIN = "Fix it, or save the tokenizer again."
_FITTING = {MARKERS: (MARKERS, TYPED, MASK, PLAIN), STARTS: (STARTS,), PAIR: (PAIR,)}
"""The forms that an architecture takes, by the form of its head."""
_EXAMPLE = (
    '{"input_form": "entity-markers", "head": "[E1] {text} [/E1]", "tail": "[E2] {text} [/E2]"}'
)
_KNOWN = (
    (("[E1]", "[/E1]"), ("[E2]", "[/E2]")),
    (("[E11]", "[E12]"), ("[E21]", "[E22]")),
    (("[E1_START]", "[E1_END]"), ("[E2_START]", "[E2_END]")),
    (("<e1>", "</e1>"), ("<e2>", "</e2>")),
    (("<E1>", "</E1>"), ("<E2>", "</E2>")),
    (("[SUBJ]", "[/SUBJ]"), ("[OBJ]", "[/OBJ]")),
    (("<SUBJ>", "</SUBJ>"), ("<OBJ>", "</OBJ>")),
    (("<head>", "</head>"), ("<tail>", "</tail>")),
    (("[HEAD]", "[/HEAD]"), ("[TAIL]", "[/TAIL]")),
)
"""Markers that say themselves what they are: of the head and of the tail."""


def _read_labels(path: Path, config: Config, *_: object) -> tuple[tuple[str, ...], Answers]:
    labels = label_names(path, config.get("id2label", UNNAMED))
    check_labels(labels, str(path))
    return labels, {}


def _read_form(path: Path, _: Config, head: ModelHead) -> InputForm:
    stated = os.path.lexists(path / INPUT_FORM)
    form = _read_stated_form(path, head) if stated else _form_of_vocabulary(path, head)
    if form.input_form == PAIR:
        form = _with_entities(path, form)
    check_form(form, str(path / INPUT_FORM))
    if form.input_form == STARTS:
        if not (path / CLASSIFIER).is_file():
            raise CannotJudge(
                f"{path} has no {CLASSIFIER}, which form {STARTS} needs next to the encoder, with "
                "'weight' of shape (labels, 2 x hidden) and 'bias'. Save the classifier there."
            )
        read_header(path / CLASSIFIER, path)
    return form


def _read_stated_form(path: Path, head: ModelHead) -> InputForm:
    form = read_json(path, INPUT_FORM, InputForm, _MOST, f"Expected for example {_EXAMPLE}")
    fitting = _FITTING[head.form]
    if not form.input_form and len(fitting) == 1:
        return msgspec.structs.replace(form, input_form=fitting[0])
    if form.input_form not in fitting:
        raise CannotJudge(
            f"{path / INPUT_FORM}: input_form {form.input_form!r} does not fit an architecture "
            f"...{head.ending}. Use one of: {', '.join(fitting)}."
        )
    return form


def _form_of_vocabulary(path: Path, head: ModelHead) -> InputForm:
    if head.form == PAIR:
        return InputForm(input_form=PAIR)
    known = _vocabulary(path) if head.form == MARKERS else lambda _: False
    pairs = [both for both in _KNOWN if all(known(marker) for one in both for marker in one)]
    if len(pairs) == 1:
        (one, other) = (f"{start} {{text}} {end}" for start, end in pairs[0])
        return InputForm(input_form=MARKERS, head=one, tail=other)
    example = _EXAMPLE.replace(MARKERS, head.form)
    several = f"markers of {len(pairs)} kinds in its vocabulary" if pairs else "no known markers"
    raise CannotJudge(
        f"{path} has {several if head.form == MARKERS else 'only an encoder'}, and no "
        f"{INPUT_FORM}. Write that file next to config.json. It states how head and tail are "
        f"shown, for example {example}"
    )


class _Entities(msgspec.Struct):
    mask: Any = msgspec.field(name="[MASK]", default=None)
    mask2: Any = msgspec.field(name="[MASK2]", default=None)


def _with_entities(path: Path, form: InputForm) -> InputForm:
    one, other = RULES[PAIR].example
    form = msgspec.structs.replace(form, head=form.head or one, tail=form.tail or other)
    if form.entities:
        return form
    cause = (
        "Expected ids of [MASK] and [MASK2] in the file of the checkpoint's tokenizer, or "
        f'"entities": [ID, ID] in {INPUT_FORM}'
    )
    entities = read_json(path, ENTITIES, _Entities, _MOST_ENTITIES, cause)
    if not (isinstance(entities.mask, int) and isinstance(entities.mask2, int)):
        raise CannotJudge(f"{path / ENTITIES} does not have these ids. {cause}")
    length = _read_table(path, TOKENIZER_CONFIG).get("max_mention_length")
    return msgspec.structs.replace(
        form,
        entities=(entities.mask, entities.mask2),
        mention_length=length if isinstance(length, int) else form.mention_length,
    )


class _Added(msgspec.Struct):
    content: str


class _Model(msgspec.Struct):
    vocab: msgspec.Raw = msgspec.Raw(b"")


class _Tokenizer(msgspec.Struct):
    added_tokens: list[_Added] = []
    model: _Model = msgspec.field(default_factory=_Model)


def _vocabulary(path: Path) -> Callable[[str], bool]:
    """Return what says whether a text is a token, by all files that transformers reads tokens from.

    The tokenizer is only read here: to load it is to run a library on it.
    """
    table = _read_table(path, TOKENIZER_CONFIG).get("added_tokens_decoder")
    entries = table.values() if isinstance(table, dict) else ()
    tokens = {*_read_table(path, "added_tokens.json")}
    tokens |= {str(entry.get("content")) for entry in entries if isinstance(entry, dict)}
    vocabulary = b""
    if (path / TOKENIZER).is_file():
        tokenizer = read_json(path, TOKENIZER, _Tokenizer, _MOST_TOKENIZER, _AGAIN)
        tokens |= {token.content for token in tokenizer.added_tokens}
        vocabulary = bytes(tokenizer.model.vocab)  # a table, or a list of pairs

    def is_token(text: str) -> bool:
        key = re.escape(json.dumps(text).encode()) + rb"\s*[:,]"
        return text in tokens or re.search(key, vocabulary) is not None

    return is_token


def _read_table(path: Path, name: str) -> dict[str, Any]:
    if not os.path.lexists(path / name):
        return {}
    return read_json(path, name, dict[str, Any], _MOST, _AGAIN)


EXPORT = TaskExport(
    heads=(
        ModelHead("LukeForEntityPairClassification", PAIR, "LukeForEntityPairClassification"),
        ModelHead("ForSequenceClassification", MARKERS, "AutoModelForSequenceClassification"),
        # An encoder alone, with a classifier of its start states in a file of its own.
        ModelHead("Model", STARTS, "AutoModel"),
    ),
    labels=_read_labels,
    reading=_read_form,
)
