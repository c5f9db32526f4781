"""Parse one row of each published format of relation extraction corpora.

- own: mt-gate's JSON lines, with ``head`` and ``tail`` as ``{start, end, type}``, and ``relation``.
  With ``tokens``, ``start`` and ``end`` (exclusive) count tokens, and an additional ``text`` is the
  original sentence. With ``text`` alone, they count characters, and may be called ``start_char``
  and ``end_char``. Optional are ``id``, ``type``, and the entity id of an argument (``id`` or
  ``qid``). ``relation`` may be a list. ``entities`` of a ``text`` are further typed mentions, as
  ``[start, end, type]`` in characters, for names whose type a parser gets wrong.
- TACRED: ``id``, ``token``, ``subj_start``, ``subj_end`` (inclusive), ``subj_type``, ``obj_...``,
  ``relation``.
- FewRel: an argument has several mentions, as lists of token indices; the first one is used.
- OpenNRE: NYT10 has ``text``, Wiki20 and Wiki80 have ``token``; positions are half-open.
- SemEval-2010 Task 8, and KBP37, which has the same form::

      1<TAB>"The <e1>configuration</e1> of antenna <e2>elements</e2> ..."
      Component-Whole(e2,e1)
      Comment: ...

  KBP37's sentences are tokens separated by spaces and have no comment. Head is e1, tail is e2; the
  labels include the direction.

All raise RowFault: the row has another form, or spans that do not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from mt_gate.base.errors import quoted
from mt_gate.relation_corpora.row import (
    Mark,
    RelationRow,
    RowFault,
    fields,
    known_type,
    row_of_spaced_text,
    row_of_text,
    row_of_tokens,
    whole,
    word_of,
    words_of,
)
from mt_gate.tasks.relation_extraction import Argument


def own_row(value: Any, name: str, labels: str = "relation") -> RelationRow:
    """Return a row of mt-gate's own format; ``name`` is its id if it has none."""
    head, tail = fields(value, "head", "tail")
    name = str(value.get("id") or name)
    stated = value.get(labels)
    if isinstance(stated, list):
        relations = words_of(stated, labels)
    else:
        relations = [word_of(stated, labels)] if stated is not None else []
    written = word_of(value.get("text"), "text")
    if value.get("tokens") is not None:
        if value.get("entities"):
            raise RowFault("it has entities and tokens, but entities need text")
        marks = _own_mark(head, "head", ""), _own_mark(tail, "tail", "")
        return row_of_tokens(name, words_of(value["tokens"]), marks, relations, written)
    if not written:
        raise RowFault("it has neither tokens nor text")
    unit = "_char" if isinstance(head, dict) and "start_char" in head else ""
    places = _own_mark(head, "head", unit), _own_mark(tail, "tail", unit)
    row = row_of_text(name, written, places, relations)
    return row._replace(entities=tuple(_own_entities(value.get("entities"), written)))


def _own_entities(value: Any, text: str) -> Iterator[Argument]:
    if not isinstance(value, list | None):
        raise RowFault(f"entities is {quoted(value, 40)}, expected a list of [start, end, type]")
    for item in value or ():
        if not isinstance(item, list) or len(item) != 3:
            raise RowFault(f"an entity is {quoted(item, 40)}, expected [start, end, type]")
        start, end = (whole(place, "start or end of an entity") for place in item[:2])
        kind = known_type(word_of(item[2], "type of an entity"), "an entity")
        if not 0 <= start < end <= len(text) or not kind:
            raise RowFault(f"an entity is {quoted(item, 40)}, expected a span and a type")
        yield Argument(start, end, kind)


def _own_mark(value: Any, what: str, unit: str) -> Mark:
    start, end = fields(value, f"start{unit}", f"end{unit}")
    entity = value.get("id") if value.get("id") is not None else value.get("qid")
    return Mark(
        whole(start, f"start of {what}"),
        whole(end, f"end of {what}"),
        word_of(value.get("type"), f"type of {what}"),
        "" if entity is None else str(entity),
    )


def tacred_row(value: Any) -> RelationRow:
    """Return a row of TACRED."""
    name, tokens, relation = fields(value, "id", "token", "relation")
    marks = []
    for which in ("subj", "obj"):
        start, end, kind = fields(value, f"{which}_start", f"{which}_end", f"{which}_type")
        last = whole(end, f"{which}_end")
        start = whole(start, f"{which}_start")
        marks.append(Mark(start, last + 1, word_of(kind, f"{which}_type")))
    words, labels = words_of(tokens, "token"), [word_of(relation, "relation")]
    return row_of_tokens(str(name), words, (marks[0], marks[1]), labels)


def fewrel_row(value: Any, relation: str, name: str) -> RelationRow:
    """Return a row of FewRel."""
    tokens, head, tail = fields(value, "tokens", "h", "t")
    marks = _fewrel_mark(head, "h"), _fewrel_mark(tail, "t")
    return row_of_tokens(name, words_of(tokens), marks, [relation])


def _fewrel_mark(value: Any, what: str) -> Mark:
    form = f"{what} is {quoted(value)}, expected [name, id, [[token, ...], ...]]"
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], list):
        raise RowFault(form)
    first = value[2][0] if value[2] else None
    if not isinstance(first, list) or not first or any(type(at) is not int for at in first):
        raise RowFault(form)
    if first != list(range(first[0], first[0] + len(first))):
        raise RowFault(f"{what} has tokens {first}, expected consecutive ones")
    return Mark(first[0], first[-1] + 1, "", word_of(value[1], f"id of {what}"))


def opennre_row(value: Any, name: str) -> RelationRow:
    """Return a row of OpenNRE."""
    head, tail, relation = fields(value, "h", "t", "relation")
    marks = _opennre_mark(head, "h"), _opennre_mark(tail, "t")
    labels = [word_of(relation, "relation")]
    if value.get("token") is not None:
        return row_of_tokens(name, words_of(value["token"], "token"), marks, labels)
    if isinstance(value.get("text"), str):
        return row_of_spaced_text(name, value["text"], marks, labels)
    raise RowFault("it has neither token nor text")


def _opennre_mark(value: Any, what: str) -> Mark:
    (position,) = fields(value, "pos")
    if not isinstance(position, list) or len(position) != 2:
        raise RowFault(f"pos of {what} is {quoted(position, 40)}, expected [start, end]")
    start, end = (whole(at, f"pos of {what}") for at in position)
    entity = word_of(value.get("id"), f"id of {what}") or word_of(value.get("name"), "name")
    return Mark(start, end, word_of(value.get("type"), f"type of {what}"), entity)


TAGS = ("<e1>", "</e1>", "<e2>", "</e2>")
_TAG = re.compile("|".join(TAGS))
_SENTENCE = re.compile(r"\s*(\d+)\s+(.*\S)\s*")


class MarkedLines(NamedTuple):
    """The lines of one sentence: its line number, its number in the corpus, text and label."""

    line: int
    number: str
    text: str
    label: str


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[MarkedLines | tuple[int, str]]:
    """Yield sentences with their labels; stop with (line number, fault) at an invalid line."""
    pending: tuple[int, str, str] | None = None
    for at, line in lines:
        match = _SENTENCE.fullmatch(line)
        if pending is None and match and _TAG.search(line):
            pending = (at, match[1], match[2])
        elif pending is not None and line.strip():
            if match and _TAG.search(line):
                yield at, "this is a sentence, but the relation of the previous one is missing"
                return
            yield MarkedLines(*pending, line.strip())
            pending = None
        elif line.strip() and not line.startswith("Comment"):
            yield at, "unknown form, expected a number, a tab and a marked sentence"
            return
    if pending is not None:
        yield pending[0], "the sentence has no relation, expected one in the next line"


def semeval_row(block: MarkedLines, prefix: str) -> RelationRow:
    """Return a row of SemEval, whose sentences are original text."""
    text, marks = _unmarked(_unquoted(block.text))
    shift = len(text) - len(text.lstrip())
    head, tail = (Mark(a - shift, b - shift) for a, b in marks)
    return row_of_text(f"{prefix}-{block.number}", text.strip(), (head, tail), [block.label])


def kbp37_row(block: MarkedLines, prefix: str) -> RelationRow | None:
    """Return a row of KBP37; None if an argument has no words, as in some rows."""
    tokens: list[str] = []
    ends: dict[str, int] = {}
    for piece in re.sub(f"({_TAG.pattern})", r" \1 ", _unquoted(block.text)).split():
        if piece not in TAGS:
            tokens.append(piece)
        elif piece in ends:
            raise RowFault(f"the marker {piece} occurs twice")
        else:
            ends[piece] = len(tokens)
    head, tail = (Mark(*span) for span in _spans(ends))
    if head.start == head.end or tail.start == tail.end:
        return None
    return row_of_tokens(f"{prefix}-{block.number}", tokens, (head, tail), [block.label])


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its markers, and the spans of e1 and e2."""
    plain, at = "", 0
    ends: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        plain += text[at : tag.start()]
        at = tag.end()
        if tag[0] in ends:
            raise RowFault(f"the marker {tag[0]} occurs twice")
        ends[tag[0]] = len(plain)
    return plain + text[at:], _spans(ends)


def _spans(ends: dict[str, int]) -> list[tuple[int, int]]:
    missing = [tag for tag in TAGS if tag not in ends]
    if missing:
        raise RowFault(f"the marker {missing[0]} is missing, expected {', '.join(TAGS)}")
    return [(ends["<e1>"], ends["</e1>"]), (ends["<e2>"], ends["</e2>"])]
