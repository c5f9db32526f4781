"""MR2-1: adjectives become synonyms.

Source: the reading-comprehension paper (ESEC/FSE 2021), section 4.2. Output: the
same answer. All kinds of questions are edited, as in the paper's example:

    can a tight hat give you a headache -> can a close-fitting hat give you a headache

The published code tears terms apart ("milky way" -> "whitish way") and takes
synonyms of any sense. Here an adjective changes only if a table has a synonym for
its place.
"""

from __future__ import annotations

from spacy.tokens import Token

from mt_gate_suites.boolq.adjectives import (
    IN_A_ROW,
    LEXICON,
    SYNONYMS,
    Edit,
    is_adjective,
    is_predicate,
    is_term,
    next_word,
    noun_after,
    partner,
    rewrite,
)
from mt_gate_suites.boolq.question import ParsedQuestion, Resources
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import word_pattern

_OF_LAW = frozenset({"lawful", "unlawful", "against the law"})
_GAME = word_pattern(LEXICON, "games")


def transform(question: ParsedQuestion, resources: Resources) -> Rewrite | None:
    """Replace every adjective of a question that has a synonym in its place."""
    edits: list[Edit] = []
    for token in question.doc:
        word = token.lower_
        listed = word in SYNONYMS and token.pos_ == "ADJ" and not question.in_name(token)
        if not listed and not is_adjective(question, token):
            continue
        free = is_predicate(token) or not is_term(token, resources.wordnet)
        new = _synonym(question, token) if free else None
        if new:
            edits.append((token.idx, token.idx + len(token), new))
    return rewrite(question, edits) if edits else None


def _synonym(question: ParsedQuestion, token: Token) -> str | None:
    word = token.lower_
    before = token.nbor(-1) if token.i else token
    new = partner(question, token, SYNONYMS.get(word, ()))
    if new is None or new in {other.lower_ for other in question.doc}:
        return None
    if word in IN_A_ROW and before.lower_ != "the":
        return None  # "games last season"
    if word == "only":
        noun = noun_after(token)
        sole = noun is not None and noun.tag_ == "NN"
        return new if sole and before.lower_ == "the" else None
    if new in _OF_LAW:
        text = f"{question.text} {question.texts.passage}".lower()
        # Goods, games and marriages are legal; to do something is lawful.
        fits = (new == "against the law" or before.lower_ == "it") and not _GAME.search(text)
        return new if fits else None
    if word == "true" and next_word(token) == "story":
        # "is it a real story" may also ask whether there is such a story
        based = "on" in {near.lower_ for near in token.doc[max(0, token.i - 2) : token.i]}
        return new if based else None
    return new
