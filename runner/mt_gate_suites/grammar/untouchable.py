"""Find words that must not be replaced: names, numbers, negations, quotations.

A replacement that adds or removes a name, a number or a negation changes the
statement about the entities. A replacement within a title or a fixed term makes
the text unnatural.
"""

from __future__ import annotations

import re

from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.numbers import ORDINALS
from mt_gate_suites.lexicons.reading import word_set

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)['‘][^'’]*['’](?!\w)|\([^)]*\)|\[[^\]]*\]")
_NEGATIONS = word_set("untouchable", "negations")
_COUNTING = word_set("untouchable", "counting").union(ORDINALS[1:11])
_NAMELIKE = frozenset({"PROPN", "NUM", "SYM", "X", "INTJ"})


def quoted_spans(doc: Doc) -> list[tuple[int, int]]:
    """Return the character spans within quotation marks or brackets."""
    return [match.span() for match in _QUOTED.finditer(doc.text)]


def is_quoted(token: Token, spans: list[tuple[int, int]]) -> bool:
    """Whether a token is within quotation marks or brackets."""
    return any(start <= token.idx < end for start, end in spans)


def is_namelike(token: Token) -> bool:
    """Whether a token is, or may be, part of a name or a number."""
    inside = token.i > 0 and token.text[:1].isupper()
    return (
        bool(token.ent_type_)
        or token.pos_ in _NAMELIKE
        or token.like_num
        or inside
        or any(character.isdigit() for character in token.text)
    )


def is_glued(token: Token) -> bool:
    """Whether a hyphen, slash or apostrophe joins the token to its neighbour."""
    doc = token.doc
    before = doc.text[token.idx - 1 : token.idx]
    after = doc.text[token.idx + len(token) : token.idx + len(token) + 1]
    return bool(before.strip('"“( ')) or bool(after.strip('.,;:?!)"” '))


def is_negated(token: Token) -> bool:
    """Whether a token negates, or is negated by a neighbour or a dependent."""
    near = token.doc[max(0, token.i - 2) : token.i + 3]
    return any(t.lower_ in _NEGATIONS for t in (*near, *token.children))


def counts(token: Token) -> bool:
    """Whether a token counts or points, such as a quantifier, an ordinal or ``another``."""
    return is_counting(token.lower_)


def is_counting(word: str) -> bool:
    """Whether a lower-case word counts or points, such as a quantifier or an ordinal."""
    return word in _COUNTING


def touches_name(token: Token) -> bool:
    """Whether a name is right next to the token: the film Carrie, a Boston man."""
    doc = token.doc
    left = doc[token.i - 1] if token.i else None
    right = doc[token.i + 1] if token.i + 1 < len(doc) else None
    return any(near is not None and is_namelike(near) and near.i > 0 for near in (left, right))
