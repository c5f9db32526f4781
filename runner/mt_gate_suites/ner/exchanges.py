"""Words and phrases that another may stand for, from a table, without a language model.

A row of ``lexicons/data/ner/exchanges.txt`` names what is replaced, by what, and where::

    verb       portray       play            passive next=by
    adjective  wealthy       rich            head=family|man
    noun       motion picture  feature film
    fixed      because of    owing to

A verb is named by its lemma, other words after it stand as they are; the last word
of a noun is named in the singular; ``fixed`` and ``adjective`` are written out. What
takes the place of a verb or a noun gets its form. A row holds in its direction alone,
and only where all its conditions hold (``exchange_conditions``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from mt_gate.language.forms import inflected
from mt_gate.language.tools import Slot
from mt_gate.lexicons.reading import Row
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.grammar.edits import article_before, replaced
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import rows, word_set
from mt_gate_suites.ner.exchange_conditions import Condition, conditions, hold
from mt_gate_suites.ner.nearness import is_near_a_name

_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_NOUN_TAGS = frozenset({"NN", "NNS"})
_FREE = word_set("ner/exchanges", "said-twice")


_STEM = 6
"""Letters by which words count as the same: included and including."""


class Exchange(NamedTuple):
    """A row of the table."""

    kind: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    where: tuple[Condition, ...]


class Found(NamedTuple):
    """An exchange that may be made: the words that go, and the sentence without them."""

    span: Span
    new: str
    rewrite: Rewrite


Near = Callable[[Span], bool]
"""Whether words stand where an exchange serves the relation."""
Table = Mapping[str, Sequence[Exchange]]
"""Exchanges by the word that is looked for: the first of a verb or fixed words, a noun's last."""


@cache
def table(entries: tuple[Row, ...]) -> Table:
    """Return the exchanges of a table's rows."""
    found: dict[str, list[Exchange]] = defaultdict(list)
    for kind, old, new, where in entries:
        words = tuple(old.split(" "))
        key = words[-1] if kind == "noun" else words[0]
        found[key].append(Exchange(kind, words, tuple(new.split(" ")), conditions(where)))
    return found


def words(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Replace verbs and adjectives of parsed sentences by the table; a list a sentence."""
    return _made(docs, nlp, table(rows("ner/exchanges", "words", 4)))


def phrases(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Replace phrases of parsed sentences by the table; a list a sentence."""
    return _made(docs, nlp, table(rows("ner/exchanges", "phrases", 4)))


def anywhere(docs: Sequence[Doc], nlp: Language, entries: tuple[Row, ...]) -> list[list[Rewrite]]:
    """Replace by the rows of another table, wherever they hold: for tasks that look for no names.

    A row that is sound near names alone ("stay", "remain") has no place in such a table.
    """
    return _made(docs, nlp, table(entries), near=lambda _: True)


def _made(
    docs: Sequence[Doc], nlp: Language, exchanges: Table, near: Near = is_near_a_name
) -> list[list[Rewrite]]:
    found = [(doc, one) for doc in docs for one in exchanges_in(doc, exchanges, near)]
    parsed = nlp.pipe(one.rewrite.text for _, one in found)
    made: dict[int, list[Rewrite]] = {id(doc): [] for doc in docs}
    for (doc, one), new in zip(found, parsed, strict=True):
        if parses_alike(doc, new, one):
            made[id(doc)].append(one.rewrite)
    return [made[id(doc)] for doc in docs]


def exchanges_in(doc: Doc, exchanges: Table, near: Near = is_near_a_name) -> Iterator[Found]:
    """Yield what may be exchanged in a sentence, near its names alone or where ``near`` says."""
    quoted = untouchable.quoted_spans(doc)
    for token in doc:
        for key in {token.lower_, token.lemma_}:
            for exchange in exchanges.get(key, ()):
                span = _span(token, exchange)
                if span is None or not _is_free(span, quoted):
                    continue
                if not hold(exchange.where, span) or not near(span):
                    continue
                new = _formed(span, exchange)
                if new and not _says_twice(span, new):
                    rewrite = replaced(Slot(doc.text, span.start_char, span.end_char), new)
                    if rewrite:
                        yield Found(span, new, rewrite)


def parses_alike(doc: Doc, new: Doc, found: Found) -> bool:
    """Whether the parser sees the same names, and the same tags outside what was exchanged."""
    start, end = found.span.start_char, found.span.end_char
    grown = len(new.text) - len(doc.text)
    article = article_before(Slot(doc.text, start, end))
    first = start - len(article) - 1 if article else start
    before = [(t.tag_, t.idx + grown * (t.idx >= end)) for t in doc if not first <= t.idx < end]
    after = [(t.tag_, t.idx) for t in new if not first <= t.idx < end + grown]
    # Of spans, not labels: that labels waver is what the relation looks for.
    return before == after and [e.text for e in doc.ents] == [e.text for e in new.ents]


def _span(token: Token, exchange: Exchange) -> Span | None:
    """Return the words that a row names, where it names this token's."""
    doc, size = token.doc, len(exchange.old)
    start = token.i + 1 - size if exchange.kind == "noun" else token.i
    if start < 0 or start + size > len(doc):
        return None
    span = doc[start : start + size]
    if exchange.kind == "verb":
        fits = token.tag_ in _VERB_TAGS and token.lemma_ == exchange.old[0]
        rest, others = span[1:], exchange.old[1:]
    elif exchange.kind == "noun":
        fits = token.tag_ in _NOUN_TAGS and token.lemma_ == exchange.old[-1] and _heads(token)
        rest, others = span[:-1], exchange.old[:-1]
    else:
        fits = exchange.kind != "adjective" or token.tag_ in {"JJ", "JJR", "JJS"}
        rest, others = span, exchange.old
    return span if fits and tuple(t.text for t in rest) == others else None


def _heads(noun: Token) -> bool:
    """Whether a noun is no part of another noun: the film Carrie, not the film star."""
    return noun.dep_ != "compound" or noun.head.text[:1].isupper()


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


def _formed(span: Span, exchange: Exchange) -> str | None:
    """Return the new words in the form of the old ones; None where there is no such form."""
    if exchange.kind == "verb":
        first = _inflected(exchange.new[0], span[0])
        return " ".join((first, *exchange.new[1:])) if first else None
    if exchange.kind == "noun":
        last = _inflected(exchange.new[-1], span[-1])
        return " ".join((*exchange.new[:-1], last)) if last else None
    return " ".join(exchange.new)


def _inflected(lemma: str, like: Token) -> str | None:
    """Return a lemma in the form of a word; None where that is not the form it is tagged as."""
    if like.lower_ not in inflected(like.lemma_, like.tag_):
        return None
    if like.tag_ in {"VB", "VBP", "NN"}:
        return lemma
    forms = inflected(lemma, like.tag_)
    return forms[0] if forms else None


def _says_twice(span: Span, new: str) -> bool:
    """Whether a word put in stands elsewhere in the sentence already."""
    doc = span.doc
    rest = {t.lower_[:_STEM] for t in doc if not span.start <= t.i < span.end}
    put_in = set(new.split(" ")) - {t.lower_ for t in span} - _FREE
    return not rest.isdisjoint(word[:_STEM] for word in put_in)
