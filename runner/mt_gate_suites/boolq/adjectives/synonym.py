"""MR2-1: adjectives give way to synonyms.

Source: the reading-comprehension paper (ESEC/FSE 2021), section 4.2. Output: the
same. Here of all questions, as in the paper's own example:

    can a tight hat give you a headache -> can a close-fitting hat give you a headache

The published code tears terms apart ("milky way" -> "whitish way") and takes
synonyms of any sense. Here an adjective gives way where a table has a synonym for
its place, and all others stay.
"""

from __future__ import annotations

import re

from spacy.tokens import Token

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives.slots import (
    BE,
    ROW,
    Edit,
    is_adjective,
    is_participle,
    is_term,
    next_word,
    noun_after,
    partner,
    rewritten,
    stands_alone,
)
from mt_gate_suites.boolq.adjectives.synonym_table import SYNONYMS
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.transformation import QuestionResources
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.lexicons.reading import word_set

_SAME = re.compile(r"\bsame\b(?: \w+)? ?(?:as\b|$)|\bdifferent from\b|\bdifference\b")
_OF_LAW = frozenset({"lawful", "unlawful"})
_AGAINST_LAW = "against the law"
_NOT_SOLE = frozenset({"child", "one", "thing", "time", "way"})
"""Nouns that ``only`` stands before and ``sole`` does not."""
_GAME = re.compile(
    r"\b(?:referees?|umpires?|nba|nfl|nhl|mlb|ufc|fifa|ncaa|football|basketball|soccer|hockey|"
    r"baseball|boxing|boxers?|wrestling|wrestlers?|cricket|chess|tennis|golf|rugby|players?)\b"
)
"""Words of games: what their rules forbid is illegal, but not unlawful."""
_SHADED = word_set("boolq/adjectives", "shades")


def transform(question: ParsedQuestion, resources: QuestionResources) -> Rewrite | Refusal:
    """Return the follow-up of a question, or why it has none."""
    return synonym(question, resources.wordnet)


def synonym(question: ParsedQuestion, wordnet: WordNet) -> Rewrite | Refusal:
    """Replace every adjective of a question that has a synonym there, or refuse."""
    adjectives = [token for token in question.doc if _may_be_replaced(question, token, wordnet)]
    if not adjectives:
        return Refusal("no-adjective")
    edits = [edit for token in adjectives if (edit := _edit(question, token)) is not None]
    return rewritten(question, edits) if edits else Refusal("no-synonym")


def _may_be_replaced(question: ParsedQuestion, token: Token, wordnet: WordNet) -> bool:
    """Whether a token is an adjective that describes, and is no part of a name or term."""
    word = token.lower_
    if question.in_name(token):
        return False
    if is_participle(question, token):
        return True
    if not is_adjective(question, token) and not (word in SYNONYMS and token.pos_ == "ADJ"):
        return False
    if word in SYNONYMS and stands_alone(token):
        return True
    # What is compared with something else is a term by that: net income the same as net earnings.
    compared = _SAME.search(question.text) is not None and not stands_alone(token)
    return not compared and not is_term(question, token, wordnet)


def _edit(question: ParsedQuestion, token: Token) -> Edit | None:
    before = token.nbor(-1).lower_ if token.i else ""
    if before in _SHADED or next_word(token) in _SHADED:
        return None
    new = partner(question, token, SYNONYMS.get(token.lower_, ()))
    if new is None or new in {other.lower_ for other in question.doc}:
        return None
    if token.lower_ == "only" and not _is_sole(token):
        return None
    if new in _OF_LAW and before != "it":
        return None  # goods, games and marriages are legal; to do something is lawful
    if token.lower_ == "true" and next_word(token) == "story" and not _is_based_on(token):
        return None  # "is it a real story" may also ask whether there is such a story
    if (new in _OF_LAW or new == _AGAINST_LAW) and _GAME.search(
        f"{question.text} {question.asked.passage}".lower()
    ):
        return None
    if token.lower_ in ROW and not _is_said_of(question, token):
        return None
    return token.idx, token.idx + len(token), new


def _is_sole(token: Token) -> bool:
    """Whether ``the only`` stands before one thing that there may be several of."""
    noun = noun_after(token)
    return (
        token.nbor(-1).lower_ == "the"
        and noun is not None
        and noun.tag_ == "NN"
        and noun.lower_ not in _NOT_SOLE
    )


def _is_based_on(token: Token) -> bool:
    return "on" in {near.lower_ for near in token.doc[max(0, token.i - 2) : token.i]}


def _is_said_of(question: ParsedQuestion, token: Token) -> bool:
    """Whether something is said to be the last: elsewhere the last may be the latest."""
    if token.i < 2 or token.nbor(-1).lower_ != "the":
        return False
    before = token.nbor(-2)
    return (
        before.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}
        or before.lower_ in {*BE, "be", "still", "really"}
        or question.in_name(before)
    )
