"""Find an adjective of a question, and its replacements in a table.

Shared by MR1-1 and MR2-1 of the reading-comprehension paper (ESEC/FSE 2021),
sections 4.1 and 4.2. The published code takes any antonym or synonym of any
sense. Here an adjective has a replacement only in the places that a table names:
as a predicate before certain words, or before certain nouns.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from spacy.tokens import Token

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.question import BE, ParsedQuestion
from mt_gate_suites.grammar.rewrite import Rewrite, article_for, edited
from mt_gate_suites.lexicons.reading import mapping, rows, word_set

ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
END = "?"
"""Text after the last word of a question."""
IN_A_ROW = frozenset({"first", "last", "final"})
LEXICON = "boolq/adjectives"
_FOLLOWS = word_set(LEXICON, "after-a-predicate")
_PARTICIPLES = word_set(LEXICON, "participles")
_ANY = frozenset({"*"})
"""Any following word, or any noun."""
_NONE: frozenset[str] = frozenset()
_NO_PREDICATE = frozenset("a an the as so how too more most".split())

Edit = tuple[int, int, str]


class AdjectiveEntry(NamedTuple):
    """The replacement of an adjective, and its place.

    ``new`` may have several replacements, with ``/`` between them. ``predicate`` are the words that
    may follow the adjective as a predicate, ``nouns`` the nouns that it may precede. In a question
    with a word of ``unless`` it has another sense, and no replacement.
    """

    new: str
    predicate: frozenset[str] = _NONE
    nouns: frozenset[str] = _NONE
    unless: frozenset[str] = _NONE


def _read(cell: str) -> frozenset[str]:
    if cell == "*":
        return _ANY
    named = (word_set(LEXICON, word[1:]) for word in cell.split() if word[0] == "@")
    return frozenset(word for word in cell.split() if word[0] != "@").union(*named)


def _antonyms() -> Mapping[str, Sequence[AdjectiveEntry]]:
    table: dict[str, list[AdjectiveEntry]] = defaultdict(list)
    other = {
        old: frozenset(words.split()) for old, words in mapping(LEXICON, "other-senses").items()
    }
    for old, new in rows(LEXICON, "opposites-both-ways", 2):
        table[old].append(AdjectiveEntry(new, _ANY, unless=other.get(old, _NONE)))
        if new != "mandatory":  # it has another opposite
            table[new].append(AdjectiveEntry(old, _ANY))
    for old, new in rows(LEXICON, "opposites-one-way", 2):
        table[old].append(AdjectiveEntry(new, _ANY, unless=other.get(old, _NONE)))
    for more, less, most, least in rows(LEXICON, "degrees", 4):
        before = frozenset({"than", END, "in", "at"})
        table[more].append(AdjectiveEntry(less, before, unless=other.get(more, _NONE)))
        table[most].append(AdjectiveEntry(least, frozenset({END, "in", "on", "at", "by"}), _ANY))
    for old, new, *cells in rows(LEXICON, "opposites", 5):
        table[old].append(AdjectiveEntry(new, *map(_read, cells)))
    return table


def _synonyms() -> Mapping[str, Sequence[AdjectiveEntry]]:
    table: dict[str, list[AdjectiveEntry]] = defaultdict(list)
    for old, new, *cells in rows(LEXICON, "synonyms", 5):
        table[old].append(AdjectiveEntry(new, *map(_read, cells)))
    return table


ANTONYMS = _antonyms()
SYNONYMS = _synonyms()
"""Entries by adjective; the first one that fits counts."""


def is_adjective(question: ParsedQuestion, token: Token) -> bool:
    """Whether a token outside names is an adjective, or used like one: ``allowed``."""
    if question.in_name(token):
        return False
    if token.tag_ in ADJECTIVES and token.is_alpha:
        return True
    return (
        token.lower_ in _PARTICIPLES
        and token.tag_ in {"VBN", "VBD", "JJ"}
        and question.doc[0].lower_ in BE
        and next_word(token) in _FOLLOWS
    )


def next_word(token: Token) -> str:
    """Return the word after a token; the question mark after the last."""
    return token.nbor().lower_ if token.i + 1 < len(token.doc) else END


def is_predicate(token: Token) -> bool:
    """Whether an adjective is a predicate by the words around it: no noun after, no article.

    ``the largest in the world`` and ``the last`` are predicates too.
    """
    before = token.nbor(-1) if token.i else token
    if next_word(token) not in _FOLLOWS:
        return False
    if token.tag_ == "JJS" or token.lower_ in IN_A_ROW:
        return before.lower_ == "the"
    return before.pos_ not in {"DET", "ADP", "ADJ", "CCONJ"} and before.lower_ not in _NO_PREDICATE


def noun_after(token: Token) -> Token | None:
    """Return the noun that an adjective precedes, the last one of a compound.

    ``largest city in utah`` -> city; ``first halo game`` -> game.
    """
    doc, at = token.doc, token.i + 1
    while at < len(doc) and doc[at].tag_ in ADJECTIVES:
        at += 1
    last = None
    while at < len(doc) and doc[at].tag_ in {"NN", "NNS", "NNP", "NNPS"}:
        last = doc[at]
        at += 1
    return last


def partner(
    question: ParsedQuestion, token: Token, entries: Sequence[AdjectiveEntry]
) -> str | None:
    """Return the replacement of an adjective in this place; None if the table has none."""
    present = {other.lower_ for other in question.doc}
    predicate, noun = is_predicate(token), noun_after(token)
    for entry in entries:
        if not entry.unless.isdisjoint(present):
            continue
        if predicate:
            fits = entry.predicate is _ANY or next_word(token) in entry.predicate
        else:
            fits = noun is not None and (
                entry.nouns is _ANY or not entry.nouns.isdisjoint({noun.lower_, noun.lemma_})
            )
        if fits:
            several = entry.new.split("/")
            return several[crc32(question.text.encode()) % len(several)]
    return None


def is_term(token: Token, wordnet: WordNet) -> bool:
    """Whether an adjective and its noun are a fixed term of the dictionary: real estate."""
    noun = noun_after(token)
    return noun is not None and any(
        wordnet.is_term(token.lower_, word) for word in sorted({noun.lower_, noun.lemma_})
    )


def rewrite(question: ParsedQuestion, edits: Iterable[Edit]) -> Rewrite | None:
    """Apply sorted edits, and correct the article before each; None if an article is unclear."""
    text = question.text
    corrected: list[Edit] = []
    for start, end, new in edits:
        article = re.search(r"(?:^|\s)(an?)\s$", text[:start])
        if article and new:
            wanted = article_for(re.split(r"[\s-]", new)[0])
            written = article_for(re.split(r"[\s-]", text[start:end])[0])
            if wanted is None or written != article.group(1):
                return None
            if wanted != written:
                corrected.append((*article.span(1), wanted))
        corrected.append((start, end, new))
    return edited(text, corrected)
