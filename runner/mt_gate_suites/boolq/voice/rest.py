"""What a sentence says behind a clause that changes its voice, read off the words.

A parser is often wrong about the far end of a long sentence. So whatever could
lean on the old order of the phrases is looked for word by word: a second verb
that shares the subject, a relative clause whose noun moves away, a contrast
(``for federal elections, but not for local ones``).
"""

from __future__ import annotations

from spacy.tokens import Span, Token

from mt_gate_suites.lexicons.reading import word_set

_VERBAL = frozenset({"VB", "VBN", "VBD", "VBZ", "VBP", "VBG", "MD"})
_CONTRASTS = word_set("boolq/voice", "contrasts")
_PLACES = frozenset({"in", "on", "at", "within", "across", "under", "between"})
_NUMBERS = word_set("boolq/voice", "pronouns-of-number")
_RELATIVE = frozenset({"WDT", "WP", "WP$", "WRB"})


def leans_back(rest: Span) -> bool:
    """Whether what follows a clause may lean on a phrase that changes its place.

    A clause that nothing follows, not even a full stop, has no surely known end.
    """
    return (
        len(rest) == 0
        or has_second_verb(rest)
        or has_late_relative(rest)
        or any(t.lower_ in _CONTRASTS or _counts(t) for t in rest)
    )


def _counts(token: Token) -> bool:
    """Whether a word of number stands for a noun before it: and many are sold."""
    return token.lower_ in _NUMBERS and token.dep_ in {"nsubj", "nsubjpass"}


def opens_with_place(rest: Span) -> bool:
    """Whether a place follows, which may be that of the phrase before: air bases in Spain."""
    after = rest[0]
    dated = any(c.ent_type_ == "DATE" for c in after.children)
    return after.lower_ in _PLACES and not dated


def has_second_verb(rest: Span) -> bool:
    """Whether a verb without subject is joined: first described by A, and was described again."""
    return any(t.tag_ == "CC" and _opens_with_verb(rest, t) for t in rest)


def _opens_with_verb(rest: Span, joint: Token) -> bool:
    for token in rest.doc[joint.i + 1 : rest.end]:
        if token.tag_ in _VERBAL:
            return True
        if token.tag_ not in {"RB", "RBR", "RBS", ","}:
            return False
    return False


def has_late_relative(rest: Span) -> bool:
    """Whether a relative clause follows a comma, or opens the rest: to the line-up, which was."""
    for token in rest:
        after_comma = token.i > rest.start and rest.doc[token.i - 1].text in {",", ";"}
        if token.tag_ in _RELATIVE or (token.lower_ == "that" and after_comma):
            if token.lower_ in {"when", "while", "how", "why"} and not after_comma:
                continue
            if after_comma or token.i == rest.start or _is_fronted(token):
                return True
    return False


def _is_fronted(token: Token) -> bool:
    """Whether a relative pronoun has its preposition before it: in which, of whom."""
    return token.dep_ == "pobj" and token.i == token.head.i + 1
