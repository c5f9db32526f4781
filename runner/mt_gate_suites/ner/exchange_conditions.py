"""Where an exchange may be made: conditions on the words around it, read from its row.

A condition is a word, or a word with what it asks for (``next=by|in``), or with what
it rules out (``object!=time``). Values are lower-case words, ``@list`` for a section of the
same file, and kinds of words in capitals: ``NAME``, ``PERSON``, ``PLACE``, ``BODY``, ``NUMBER``.

    passive     a passive participle
    active      any other form of a verb
    form        the tag, or the role in the sentence, of its first word
    object      its direct object; alone: it has one
    subject     its subject, or the noun that a participle follows
    head        the noun before which an adjective or noun stands, or that it says something of
    next, last  the word after, the word before
    after       the word behind the next one
    prep        a preposition that hangs on it
    agent       by whom
    place       the name of a place hangs on it by a preposition
    infinitive  an infinitive hangs on it
    clause      a clause with "that" hangs on it
    plural      a noun in the plural
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from spacy.tokens import Span, Token

from mt_gate_suites.lexicons.reading import word_set

_FORM = re.compile(r"([a-z]+)(?:(!?=)(\S*))?")
_KINDS: dict[str, frozenset[str]] = {
    "PERSON": frozenset({"PERSON"}),
    "PLACE": frozenset({"GPE", "LOC", "FAC"}),
    "BODY": frozenset({"ORG"}),
}


class Condition(NamedTuple):
    """What must hold (or must not) of the words at one place; no values: that there are any."""

    place: str
    wanted: bool
    values: frozenset[str]


def conditions(cell: str) -> tuple[Condition, ...]:
    """Read the conditions of a row.

    Raises:
        ValueError: one is not of the form above.
    """
    found = []
    for part in cell.split(" ") if cell else ():
        match = _FORM.fullmatch(part)
        if match is None or match[1] not in _PLACES:
            raise ValueError(f"{part!r}: no condition of an exchange")
        found.append(Condition(match[1], match[2] != "!=", frozenset(_values(match[3] or ""))))
    return tuple(found)


def hold(where: tuple[Condition, ...], span: Span) -> bool:
    """Whether all conditions hold of the words of an exchange."""
    return all(_holds(condition, span) for condition in where)


def _values(cell: str) -> Iterator[str]:
    for value in cell.split("|") if cell else ():
        if value.startswith("@"):
            yield from word_set("ner/exchanges", value[1:])
        else:
            yield value


def _holds(condition: Condition, span: Span) -> bool:
    found = list(_PLACES[condition.place](span))
    if not condition.values:
        return bool(found) == condition.wanted
    return any(_is_one_of(token, condition.values) for token in found) == condition.wanted


def _is_one_of(token: Token, values: frozenset[str]) -> bool:
    if not values.isdisjoint({token.lower_, token.lemma_, token.tag_, token.dep_}):
        return True
    if "NUMBER" in values and token.like_num:
        return True
    if not token.text[:1].isupper():
        return False
    kinds = [kind for kind, types in _KINDS.items() if token.ent_type_ in types]
    return "NAME" in values or not values.isdisjoint(kinds)


def _children(span: Span, *roles: str) -> Iterator[Token]:
    return (child for child in _verb(span).children if child.dep_ in roles)


def _verb(span: Span) -> Token:
    """The verb of the words: of ``was held`` the participle, which has the arguments."""
    for token in span[1:]:
        if token.tag_ in {"VBN", "VBG", "VB"} and span[0].head == token:
            return token
    return span[0]


def _is_passive(span: Span) -> bool:
    verb = _verb(span)
    if verb.tag_ != "VBN":
        return False
    helped = any(child.dep_ in {"aux", "auxpass"} for child in verb.children)
    if helped:
        return any(child.dep_ == "auxpass" for child in verb.children)
    return verb.dep_ in {"acl", "relcl", "ROOT", "advcl", "conj"} and not any(
        child.dep_ in {"nsubj", "dobj"} for child in verb.children
    )


def _passive(span: Span) -> Iterator[Token]:
    return iter([span[0]] if _is_passive(span) else [])


def _active(span: Span) -> Iterator[Token]:
    return iter([] if _is_passive(span) else [span[0]])


def _first(span: Span) -> Iterator[Token]:
    return iter([span[0]])


def _object(span: Span) -> Iterator[Token]:
    return _children(span, "dobj", "attr")


def _subject(span: Span) -> Iterator[Token]:
    verb = _verb(span)
    if verb.dep_ in {"acl", "relcl"}:
        yield verb.head
    yield from _children(span, "nsubj", "nsubjpass")


def _head(span: Span) -> Iterator[Token]:
    last = span[-1]
    if last.dep_ in {"amod", "compound", "nmod"}:
        yield last.head
    elif last.dep_ == "acomp":
        yield from (c for c in last.head.children if c.dep_ in {"nsubj", "nsubjpass"})


def _next(span: Span) -> Iterator[Token]:
    return iter(span.doc[span.end : span.end + 1])


def _after(span: Span) -> Iterator[Token]:
    return iter(span.doc[span.end + 1 : span.end + 2])


def _last(span: Span) -> Iterator[Token]:
    return iter(span.doc[max(0, span.start - 1) : span.start])


def _prep(span: Span) -> Iterator[Token]:
    return _children(span, "prep", "agent", "dative")


def _agent(span: Span) -> Iterator[Token]:
    return (t for agent in _children(span, "agent") for t in agent.children if t.dep_ == "pobj")


def _place(span: Span) -> Iterator[Token]:
    for preposition in _children(span, "prep"):
        for token in preposition.children:
            if token.dep_ == "pobj" and token.ent_type_ in _KINDS["PLACE"]:
                yield token


def _infinitive(span: Span) -> Iterator[Token]:
    for child in _children(span, "xcomp", "ccomp", "advcl"):
        yield from (to for to in child.children if to.tag_ == "TO")


def _clause(span: Span) -> Iterator[Token]:
    for child in _children(span, "ccomp"):
        yield from (mark for mark in child.children if mark.dep_ == "mark")


def _plural(span: Span) -> Iterator[Token]:
    found = [*_head(span), span[-1]]
    return (token for token in found if token.tag_ in {"NNS", "NNPS"})


_PLACES: dict[str, Callable[[Span], Iterator[Token]]] = {
    "passive": _passive,
    "active": _active,
    "form": _first,
    "object": _object,
    "subject": _subject,
    "head": _head,
    "next": _next,
    "last": _last,
    "after": _after,
    "prep": _prep,
    "agent": _agent,
    "place": _place,
    "infinitive": _infinitive,
    "clause": _clause,
    "plural": _plural,
}
