"""Replace words and phrases by a table, without a language model.

A row of ``lexicons/data/ner/exchanges.txt`` names what is replaced, by what, and where::

    verb       portray       play            passive next=by
    adjective  wealthy       rich            head=family|man
    noun       motion picture  feature film
    fixed      because of    owing to

A row has the lemma of a verb, and the words after the verb as written. The last word of a noun is
in the singular; ``fixed`` and ``adjective`` are as written. The replacement of a verb or a noun
gets the form of the old word. A row applies in one direction, and only if all conditions are true.

A condition is a name below, alone, with required values (``next=by|in``), or with forbidden values
(``object!=time``). Values are lower-case words, ``@list`` for a section of the same file, and kinds
of words in capitals: ``NAME``, ``PERSON``, ``PLACE``, ``BODY``, ``NUMBER``.

    passive     a passive participle
    active      any other form of a verb
    form        the tag, or the role in the sentence, of its first word
    object      its direct object; alone: it has one
    subject     its subject, or the noun that a participle follows
    head        the noun that an adjective or noun precedes, or that it describes
    next, last  the word after, the word before
    after       the second word after
    prep        a preposition that depends on it
    agent       the noun after a passive's "by"
    place       the name of a place depends on it by a preposition
    infinitive  an infinitive depends on it
    clause      a clause with "that" depends on it
    plural      a noun in the plural
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from mt_gate.language.forms import inflected
from mt_gate.language.tools import Slot
from mt_gate.lexicons.reading import Row
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.grammar.rewrite import Rewrite, article_before, replaced
from mt_gate_suites.lexicons.reading import rows, word_set
from mt_gate_suites.ner.nearness import is_near_a_name

_FREE = word_set("ner/exchanges", "said-twice")
_STEM = 6
"""First letters that make two words count as the same: included and including."""
_CONDITION = re.compile(r"([a-z]+)(?:(!?=)(\S*))?")
_KINDS = {"PERSON": "PERSON", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE", "ORG": "BODY"}


class Condition(NamedTuple):
    """Whether a place must (``wanted``) or must not have one of ``values`` (empty: any word)."""

    place: str
    wanted: bool
    values: frozenset[str]

    def is_true(self, span: Span) -> bool:
        """Whether the condition is true for the words of an exchange."""
        spans = list(_PLACES[self.place](span))
        if not self.values:
            return bool(spans) == self.wanted
        kinds = (self.values & _names_of(token) for token in spans)
        return any(kinds) == self.wanted


class Exchange(NamedTuple):
    """A row of the table."""

    kind: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    where: tuple[Condition, ...]


Near = Callable[[Span], bool]
"""Whether the relation may edit words at this place."""
Table = Mapping[str, Sequence[Exchange]]
"""Exchanges by the word to search for: the last word of a noun, the first word of others."""


def words(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Replace verbs and adjectives by the table; return a list for each parsed sentence."""
    return exchange(docs, nlp, rows("ner/exchanges", "words", 4), is_near_a_name)


def phrases(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Replace phrases by the table; return a list for each parsed sentence."""
    return exchange(docs, nlp, rows("ner/exchanges", "phrases", 4), is_near_a_name)


def exchange(
    docs: Sequence[Doc], nlp: Language, entries: tuple[Row, ...], near: Near = lambda _: True
) -> list[list[Rewrite]]:
    """Replace words by the rows of a table; return a list for each parsed sentence.

    Tasks without names do not pass ``near``. Their tables must omit rows that are sound only
    near names ("stay", "remain").
    """
    exchanges = [
        (doc, *one) for doc in docs for one in _exchanges_in(doc, read_table(entries), near)
    ]
    parsed = nlp.pipe(rewrite.text for _, _, rewrite in exchanges)
    made: dict[int, list[Rewrite]] = {id(doc): [] for doc in docs}
    for (doc, slot, rewrite), new in zip(exchanges, parsed, strict=True):
        if parses_alike(doc, new, slot):
            made[id(doc)].append(rewrite)
    return [made[id(doc)] for doc in docs]


@cache
def read_table(entries: tuple[Row, ...]) -> Table:
    """Return the exchanges of a table's rows.

    Raises:
        ValueError: a condition is not as the module's docstring describes.
    """
    table: dict[str, list[Exchange]] = defaultdict(list)
    for kind, old, new, where in entries:
        words = tuple(old.split(" "))
        key = words[-1] if kind == "noun" else words[0]
        conditions = tuple(map(_read_condition, where.split()))
        table[key].append(Exchange(kind, words, tuple(new.split(" ")), conditions))
    return table


def _read_condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None or match[1] not in _PLACES:
        raise ValueError(f"{text!r}: no condition of a swap")
    values: set[str] = set()
    for value in (match[3] or "").split("|"):
        values |= word_set("ner/exchanges", value[1:]) if value[:1] == "@" else {value} - {""}
    return Condition(match[1], match[2] != "!=", frozenset(values))


def _exchanges_in(doc: Doc, table: Table, near: Near) -> Iterator[tuple[Slot, Rewrite]]:
    """Yield each part of a sentence that may be exchanged, and the sentence after the exchange."""
    quoted = untouchable.quoted_spans(doc)
    for token in doc:
        for key in {token.lower_, token.lemma_}:
            for entry in table.get(key, ()):
                span = _span(token, entry)
                if span is None or not _is_free(span, quoted):
                    continue
                if not near(span) or not all(one.is_true(span) for one in entry.where):
                    continue
                new = _inflect(span, entry)
                if new and not _says_twice(span, new):
                    slot = Slot(doc.text, span.start_char, span.end_char)
                    rewrite = replaced(slot, new)
                    if rewrite:
                        yield slot, rewrite


def parses_alike(doc: Doc, new: Doc, slot: Slot) -> bool:
    """Whether the parser sees the same names, and the same tags outside what was replaced."""
    end, grown, article = slot.end, len(new.text) - len(doc.text), article_before(slot)
    first = slot.start - len(article) - 1 if article else slot.start
    before = [(t.tag_, t.idx + grown * (t.idx >= end)) for t in doc if not first <= t.idx < end]
    after = [(t.tag_, t.idx) for t in new if not first <= t.idx < end + grown]
    # Compare spans, not labels, because unstable labels are what the relation tests.
    return before == after and [e.text for e in doc.ents] == [e.text for e in new.ents]


def _span(token: Token, entry: Exchange) -> Span | None:
    """Return the words at a token that a row replaces; None if the row does not fit."""
    doc, kind, size = token.doc, entry.kind, len(entry.old)
    start = token.i + 1 - size if kind == "noun" else token.i
    if start < 0 or start + size > len(doc):
        return None
    span = doc[start : start + size]
    written, forms = [t.text for t in span], list(entry.old)
    if kind == "verb":
        fits = token.tag_[:2] == "VB" and token.lemma_ == forms[0]
        written, forms = written[1:], forms[1:]
    elif kind == "noun":
        # The film Carrie, but not the film star.
        heads = token.dep_ != "compound" or token.head.text[:1].isupper()
        fits = token.tag_ in {"NN", "NNS"} and token.lemma_ == forms[-1] and heads
        written, forms = written[:-1], forms[:-1]
    else:
        fits = kind != "adjective" or token.tag_ in {"JJ", "JJR", "JJS"}
    return span if fits and written == forms else None


def _is_free(span: Span, quoted: list[tuple[int, int]]) -> bool:
    """Whether nothing in the words is part of a name, a quotation or a word with a hyphen."""
    return span.start > 0 and not any(
        not token.is_lower
        or (token.ent_type_ not in {"", "DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY"})
        or token.pos_ == "PROPN"
        or untouchable.is_quoted(token, quoted)
        or untouchable.is_glued(token)
        for token in span
    )


def _inflect(span: Span, entry: Exchange) -> str | None:
    """Return the new words in the form of the old ones; None if there is no such form."""
    if entry.kind not in {"verb", "noun"}:
        return " ".join(entry.new)
    at = 0 if entry.kind == "verb" else -1
    like, new = span[at], list(entry.new)
    if like.lower_ not in inflected(like.lemma_, like.tag_):
        return None
    if like.tag_ not in {"VB", "VBP", "NN"}:
        forms = inflected(new[at], like.tag_)
        if not forms:
            return None
        new[at] = forms[0]
    return " ".join(new)


def _says_twice(span: Span, new: str) -> bool:
    rest = {t.lower_[:_STEM] for t in span.doc if not span.start <= t.i < span.end}
    put_in = set(new.split(" ")) - {t.lower_ for t in span} - _FREE
    return not rest.isdisjoint(word[:_STEM] for word in put_in)


def _names_of(token: Token) -> set[str]:
    """Return all values by which a condition may name a token."""
    names = {token.lower_, token.lemma_, token.tag_, token.dep_}
    if token.like_num:
        names.add("NUMBER")
    if token.text[:1].isupper():
        names |= {"NAME", _KINDS.get(token.ent_type_, "")}
    return names


def _verb(span: Span) -> Token:
    inner = (t for t in span[1:] if t.tag_ in {"VBN", "VBG", "VB"} and span[0].head == t)
    return next(inner, span[0])


def _is_passive(span: Span) -> bool:
    verb = _verb(span)
    roles = {child.dep_ for child in verb.children}
    if verb.tag_ != "VBN" or roles & {"aux", "auxpass"}:
        return verb.tag_ == "VBN" and "auxpass" in roles
    clause = verb.dep_ in {"acl", "relcl", "ROOT", "advcl", "conj"}
    return clause and not roles & {"nsubj", "dobj"}


def _children(span: Span, *roles: str, of: tuple[str, ...] = ()) -> Iterator[Token]:
    for child in _verb(span).children:
        if child.dep_ in roles:
            yield from (c for c in child.children if c.dep_ in of) if of else (child,)


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


_PLACES: dict[str, Callable[[Span], Iterable[Token]]] = {
    "passive": lambda span: span[: _is_passive(span)],
    "active": lambda span: span[: not _is_passive(span)],
    "form": lambda span: span[:1],
    "object": lambda span: _children(span, "dobj", "attr"),
    "subject": _subject,
    "head": _head,
    "next": lambda span: span.doc[span.end : span.end + 1],
    "last": lambda span: span.doc[max(0, span.start - 1) : span.start],
    "after": lambda span: span.doc[span.end + 1 : span.end + 2],
    "prep": lambda span: _children(span, "prep", "agent", "dative"),
    "agent": lambda span: _children(span, "agent", of=("pobj",)),
    "place": lambda span: (
        t for t in _children(span, "prep", of=("pobj",)) if _KINDS.get(t.ent_type_) == "PLACE"
    ),
    "infinitive": lambda span: (
        t for c in _children(span, "xcomp", "ccomp", "advcl") for t in c.children if t.tag_ == "TO"
    ),
    "clause": lambda span: _children(span, "ccomp", of=("mark",)),
    "plural": lambda span: (t for t in (*_head(span), span[-1]) if t.tag_ in {"NNS", "NNPS"}),
}
