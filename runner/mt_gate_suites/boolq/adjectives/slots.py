"""Where an adjective of a question stands, and what a table lets it give way to.

Shared by MR1-1 and MR2-1 of the reading-comprehension paper (ESEC/FSE 2021),
sections 4.1 and 4.2. The published code takes any antonym or synonym of any
sense. Here an adjective has a partner only in the places where a table says so:
as a predicate before certain words, or before certain nouns.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from spacy.tokens import Token

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.grammar.articles import article_for
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.lexicons.reading import word_set

BE = frozenset({"is", "are", "was", "were"})
ADJECTIVES = frozenset({"JJ", "JJR", "JJS"})
ANY = frozenset({"*"})
"""Whatever follows, or whatever noun."""
NONE: frozenset[str] = frozenset()
END = "?"
"""What follows the last word of a question."""
ROW = frozenset({"first", "last", "final"})
"""Places in a row."""
LEXICON = "boolq/adjectives"
_FOLLOWS = word_set(LEXICON, "after-a-predicate")
_PARTICIPLES = word_set(LEXICON, "participles")
TWICE = 2
"""Times that a passage has a pair of words before they are its own term."""

Edit = tuple[int, int, str]


class AdjectiveEntry(NamedTuple):
    """What an adjective gives way to, and where.

    ``new`` may be several, with ``/`` between them. ``predicate`` are the words that may follow
    it as a predicate, ``nouns`` those that it may stand before. It has no partner in a question
    with a word of ``unless``: there it has another sense.
    """

    new: str
    predicate: frozenset[str] = NONE
    nouns: frozenset[str] = NONE
    unless: frozenset[str] = NONE


def entry(partner: str, before: str, nouns: str, unless: str) -> AdjectiveEntry:
    """Return an entry of cells of the lexicon: words, ``@name`` for a list of it, ``*`` for any."""
    return AdjectiveEntry(partner, _words(before), _words(nouns), _words(unless))


def _words(cell: str) -> frozenset[str]:
    if cell == "*":
        return ANY
    named = (word_set(LEXICON, word[1:]) for word in cell.split() if word[0] == "@")
    return frozenset(word for word in cell.split() if word[0] != "@").union(*named)


def table(
    entries: Iterable[tuple[str, AdjectiveEntry]],
) -> Mapping[str, tuple[AdjectiveEntry, ...]]:
    """Return entries by adjective; the first that fits counts."""
    by_adjective: dict[str, tuple[AdjectiveEntry, ...]] = {}
    for old, one in entries:
        by_adjective[old] = (*by_adjective.get(old, ()), one)
    return MappingProxyType(by_adjective)


def is_adjective(question: ParsedQuestion, token: Token) -> bool:
    """Whether a token is an adjective outside the names of a question."""
    return token.tag_ in ADJECTIVES and token.is_alpha and not question.in_name(token)


def next_word(token: Token) -> str:
    """Return the word after a token; the question mark after the last."""
    return token.nbor().lower_ if token.i + 1 < len(token.doc) else END


def stands_alone(token: Token) -> bool:
    """Whether an adjective is a predicate by what stands around it: no noun after, no article.

    ``the largest in the world`` and ``the last`` are predicates too.
    """
    before = token.nbor(-1) if token.i else token
    if next_word(token) not in _FOLLOWS:
        return False
    if token.tag_ == "JJS" or token.lower_ in ROW:
        return before.lower_ == "the"
    return before.pos_ not in {"DET", "ADP", "ADJ", "CCONJ"} and before.lower_ not in {
        "a",
        "an",
        "the",
        "as",
        "so",
        "how",
        "too",
        "more",
        "most",
    }


def noun_after(token: Token) -> Token | None:
    """Return the noun that an adjective stands before, the last one of a compound.

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
    """Return what an adjective gives way to in this place; None where the table has nothing."""
    present = {other.lower_ for other in question.doc}
    noun = noun_after(token)
    for entry in entries:
        if not entry.unless.isdisjoint(present):
            continue
        if stands_alone(token):
            if entry.predicate is ANY or next_word(token) in entry.predicate:
                return _one_of(entry.new, question)
        elif noun is not None and _allows(entry.nouns, noun):
            return _one_of(entry.new, question)
    return None


def _one_of(partners: str, question: ParsedQuestion) -> str:
    """Return the partner that a question has, by its digest: alike on every machine."""
    several = partners.split("/")
    return several[zlib.crc32(question.text.encode()) % len(several)]


def is_participle(question: ParsedQuestion, token: Token) -> bool:
    """Whether a token says as a participle, after ``be``, what something is: ``allowed``."""
    return (
        token.lower_ in _PARTICIPLES
        and token.tag_ in {"VBN", "VBD", "JJ"}
        and question.doc[0].lower_ in BE
        and not question.in_name(token)
        and next_word(token) in _FOLLOWS
    )


def _allows(nouns: frozenset[str], noun: Token) -> bool:
    return nouns is ANY or not nouns.isdisjoint({noun.lower_, noun.lemma_})


def is_term(question: ParsedQuestion, token: Token, wordnet: WordNet) -> bool:
    """Whether an adjective is part of a fixed term: real estate, legal tender.

    A dictionary has it with the next word, the title has it, or the passage
    has the pair again and again.
    """
    after = token.nbor() if token.i + 1 < len(token.doc) else token
    if stands_alone(token) or not after.is_alpha:
        return False
    noun = noun_after(token)
    pairs = {(token.lower_, after.lower_)}
    if noun is not None:
        pairs |= {(token.lower_, noun.lower_), (token.lower_, noun.lemma_)}
    if any(wordnet.is_term(*pair) for pair in sorted(pairs)):
        return True
    if re.search(rf"\b{re.escape(token.lower_)}\b", question.asked.title.lower()):
        return True
    passage = " ".join(re.findall(r"\w+", question.asked.passage.lower()))
    return passage.count(f"{token.lower_} {after.lower_}") >= TWICE


def rewritten(question: ParsedQuestion, edits: Iterable[Edit]) -> Rewrite | Refusal:
    """Apply edits that are in order, with the article before each corrected."""
    text = question.text
    corrected: list[Edit] = []
    for start, end, new in edits:
        article = re.search(r"(?:^|\s)(an?)\s$", text[:start])
        if article and new:
            wanted = article_for(re.split(r"[\s-]", new)[0])
            written = article_for(re.split(r"[\s-]", text[start:end])[0])
            if wanted is None or written != article.group(1):
                return Refusal("article-unclear")
            if wanted != written:
                corrected.append((*article.span(1), wanted))
        corrected.append((start, end, new))
    return edited(text, corrected)
