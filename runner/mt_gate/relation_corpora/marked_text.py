"""The text form of SemEval-2010 Task 8, and KBP37, which took it over.

    1<TAB>"The <e1>configuration</e1> of antenna <e2>elements</e2> ..."
    Component-Whole(e2,e1)
    Comment: ...

KBP37's sentences are tokens between spaces and have no comment. Head is e1, tail
is e2; the labels say the direction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mt_gate.relation_corpora.row import Mark, RelationRow, RowFault, row_of_text, row_of_tokens

TAGS = ("<e1>", "</e1>", "<e2>", "</e2>")
_TAG = re.compile("|".join(TAGS))
_SENTENCE = re.compile(r"\s*(\d+)\s+(.*\S)\s*")


class MarkedLines(NamedTuple):
    """The lines of one sentence: the line of the first, its number and text, and its label."""

    line: int
    number: str
    text: str
    label: str


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[MarkedLines | tuple[int, str]]:
    """Yield sentences with their labels, or line and fault where a line is neither."""
    pending: tuple[int, str, str] | None = None
    for at, line in lines:
        match = _SENTENCE.fullmatch(line)
        if pending is None and match and _TAG.search(line):
            pending = (at, match[1], match[2])
        elif pending is not None and line.strip():
            if match and _TAG.search(line):
                yield at, "a sentence where the relation of the previous sentence was expected"
                return
            yield MarkedLines(*pending, line.strip())
            pending = None
        elif line.strip() and not line.startswith("Comment"):
            yield at, "unknown line, expected a number, a tab and a marked sentence"
            return
    if pending is not None:
        yield pending[0], "a sentence without a relation, expected one in the next line"


def semeval_row(block: MarkedLines, prefix: str) -> RelationRow:
    """Return a row of SemEval, whose sentences are as written.

    Raises Unfit: the marks are missing, double or crossed.
    """
    text, marks = _unmarked(_unquoted(block.text))
    shift = len(text) - len(text.lstrip())
    head, tail = (Mark(a - shift, b - shift) for a, b in marks)
    return row_of_text(f"{prefix}-{block.number}", text.strip(), (head, tail), [block.label])


def kbp37_row(block: MarkedLines, prefix: str) -> RelationRow | None:
    """Return a row of KBP37; None where a mark holds no word, as in some of its rows.

    Raises Unfit: the marks are missing, double or crossed.
    """
    tokens: list[str] = []
    ends: dict[str, int] = {}
    for piece in re.sub(f"({_TAG.pattern})", r" \1 ", _unquoted(block.text)).split():
        if piece not in TAGS:
            tokens.append(piece)
        elif piece in ends:
            raise RowFault(f"two markers {piece}")
        else:
            ends[piece] = len(tokens)
    head, tail = (Mark(*span) for span in _spans(ends))
    if head.start == head.end or tail.start == tail.end:
        return None
    return row_of_tokens(f"{prefix}-{block.number}", tokens, (head, tail), [block.label])


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its marks, and the spans of e1 and e2."""
    plain, at = "", 0
    ends: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        plain += text[at : tag.start()]
        at = tag.end()
        if tag[0] in ends:
            raise RowFault(f"two markers {tag[0]}")
        ends[tag[0]] = len(plain)
    return plain + text[at:], _spans(ends)


def _spans(ends: dict[str, int]) -> list[tuple[int, int]]:
    missing = [tag for tag in TAGS if tag not in ends]
    if missing:
        raise RowFault(f"no marker {missing[0]}, expected {', '.join(TAGS)}")
    return [(ends["<e1>"], ends["</e1>"]), (ends["<e2>"], ends["</e2>"])]
