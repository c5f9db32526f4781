"""The input form of a checkpoint for task re: as ``input_form.json`` says, or told from its files.

What an architecture takes does not tell how arguments were shown to it, so the
file stands beside ``config.json`` wherever no known markers are in the vocabulary.
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
from mt_gate.base.jsonio import decode_json, read_bytes
from mt_gate.exporting.heads import ModelHead
from mt_gate.exporting.weights import check_header
from mt_gate.sut.card import TOKENIZER
from mt_gate.sut.input_form import RULES, InputForm, check_form
from mt_gate.tasks.relation_extraction import MARKERS, MASK, PAIR, PLAIN, STARTS, TYPED

INPUT_FORM, CLASSIFIER, ENTITIES = "input_form.json", "classifier.safetensors", "entity_vocab.json"
_MOST, _MOST_TOKENIZER, _MOST_ENTITIES = 1 << 20, 64 << 20, 128 << 20
_AGAIN = "fix it or save the tokenizer again"
_TAKEN = {MARKERS: (MARKERS, TYPED, MASK, PLAIN), STARTS: (STARTS,), PAIR: (PAIR,)}
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


def form_of(path: Path, head: ModelHead) -> InputForm:
    """Return the form of a Hugging Face folder, checked but for its tokens.

    Raises:
        CannotJudge: the file is unfit, or there is none and nothing tells the form.
    """
    where = path / INPUT_FORM
    form = _stated(path, head) if os.path.lexists(where) else _form_of_vocabulary(path, head)
    if form.input_form == PAIR:
        form = _with_entities(path, form)
    check_form(form, str(where))
    if form.input_form == STARTS:
        _check_classifier(path)
    return form


def _check_classifier(path: Path) -> None:
    if not (path / CLASSIFIER).is_file():
        raise CannotJudge(
            f"{path}: no {CLASSIFIER}; form {STARTS} expects it next to the encoder, with 'weight' "
            "of shape (labels, 2 x hidden) and 'bias'; save the classifier there"
        )
    check_header(path / CLASSIFIER, path)


def _stated(path: Path, head: ModelHead) -> InputForm:
    where = path / INPUT_FORM
    cause = f"expected something like {_EXAMPLE}"
    form = decode_json(
        read_bytes(where, limit=_MOST, cause=cause, inside=path),
        InputForm,
        path=where,
        cause=cause,
    )
    taken = _TAKEN[head.form]
    if not form.input_form and len(taken) == 1:
        return msgspec.structs.replace(form, input_form=taken[0])
    if form.input_form not in taken:
        raise CannotJudge(
            f"{where}: input_form {form.input_form!r}; an architecture ...{head.ending} takes one "
            f"of: {', '.join(taken)}; fix the file"
        )
    return form


def _form_of_vocabulary(path: Path, head: ModelHead) -> InputForm:
    if head.form == PAIR:
        return InputForm(input_form=PAIR)
    known = _vocabulary(path) if head.form == MARKERS else lambda _: False
    found = [both for both in _KNOWN if all(known(marker) for one in both for marker in one)]
    if len(found) == 1:
        (one, other) = (f"{start} {{text}} {end}" for start, end in found[0])
        return InputForm(input_form=MARKERS, head=one, tail=other)
    example = _EXAMPLE.replace(MARKERS, head.form)
    several = f"markers of {len(found)} kinds in its vocabulary" if found else "no known markers"
    raise CannotJudge(
        f"{path}: {several if head.form == MARKERS else 'only an encoder'}, and no {INPUT_FORM}; "
        f"expected that file next to config.json, saying how head and tail are shown, such as "
        f"{example}"
    )


def _with_entities(path: Path, form: InputForm) -> InputForm:
    """Return the form of a LUKE with what its own files say, where it leaves that open."""
    one, other = RULES[PAIR].example
    entities, length = form.entities, form.mention_length
    if not entities:
        entities = _masks(path)
        stated = _json(path, "tokenizer_config.json", _MOST).get("max_mention_length")
        length = stated if isinstance(stated, int) else length
    return msgspec.structs.replace(
        form,
        head=form.head or one,
        tail=form.tail or other,
        entities=entities,
        mention_length=length,
    )


class _Entities(msgspec.Struct):
    mask: Any = msgspec.field(name="[MASK]", default=None)
    mask2: Any = msgspec.field(name="[MASK2]", default=None)


def _masks(path: Path) -> tuple[int, int]:
    """Return the ids of the two entities that a LUKE asks about."""
    where = path / ENTITIES
    cause = (
        "expected ids of [MASK] and [MASK2] in the file of the checkpoint's tokenizer, or "
        f'"entities": [ID, ID] in {INPUT_FORM}'
    )
    data = read_bytes(where, limit=_MOST_ENTITIES, cause=cause, inside=path)
    found = decode_json(data, _Entities, path=where, cause=cause)
    if not (isinstance(found.mask, int) and isinstance(found.mask2, int)):
        raise CannotJudge(f"{where}: without these ids; {cause}")
    return found.mask, found.mask2


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
    table = _json(path, "tokenizer_config.json", _MOST).get("added_tokens_decoder")
    entries = table.values() if isinstance(table, dict) else ()
    tokens = {*_json(path, "added_tokens.json", _MOST)}
    tokens |= {str(entry.get("content")) for entry in entries if isinstance(entry, dict)}
    where, vocabulary = path / TOKENIZER, b""
    if where.is_file():
        data = read_bytes(where, limit=_MOST_TOKENIZER, cause=_AGAIN, inside=path)
        tokenizer = decode_json(data, _Tokenizer, path=where, cause=_AGAIN)
        tokens |= {token.content for token in tokenizer.added_tokens}
        vocabulary = bytes(tokenizer.model.vocab)
    return lambda token: token in tokens or _names(vocabulary, token)


def _names(vocabulary: bytes, token: str) -> bool:
    """Whether a vocabulary in JSON, a table or a list of pairs, has a token."""
    return re.search(re.escape(json.dumps(token).encode()) + rb"\s*[:,]", vocabulary) is not None


def _json(path: Path, name: str, limit: int) -> dict[str, Any]:
    """Return the object in a file of the folder; empty where there is no such file."""
    where = path / name
    if not os.path.lexists(where):
        return {}
    return decode_json(
        read_bytes(where, limit=limit, cause=_AGAIN, inside=path),
        dict[str, Any],
        path=where,
        cause=_AGAIN,
    )
