"""Finds the phrase at an end of a question that may say when, where or if.

Source: MR2-2 of metamorphic testing for reading comprehension (ESEC/FSE 2021), section 4.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from spacy.tokens import Span, Token

from mt_gate_suites.boolq.adverbials import words
from mt_gate_suites.boolq.question import ParsedQuestion

_SMALL = frozenset("a an and of the to".split())


class Topic(Enum):
    """What a phrase is about, as far as it is known."""

    CLAUSE = "clause"
    PLACE = "place"
    GAME = "game"
    INSTITUTION = "institution"
    STORY = "story"
    TIME = "time"
    SITUATION = "situation"
    PLATFORM = "platform"
    NAME = "name"
    OTHER = "other"


class Adverbial(NamedTuple):
    """A phrase or clause, opener first, and the rest of the question."""

    span: Span
    rest: Span
    kind: Topic

    @property
    def opener(self) -> str:
        """The word that opens it."""
        return self.span[0].lower_

    @property
    def object(self) -> Span:
        """What follows the opener."""
        return self.span[1:]


def last_phrase(question: ParsedQuestion) -> Adverbial | None:
    """Return the clause, else the shortest phrase, that stands at the end of a question."""
    asked = question.doc[:-1]
    inner = [token for token in asked[3:] if not question.in_name(token)]
    clauses = [token for token in inner if token.lower_ in words.SUBORDINATORS]
    if clauses:
        return _ending(asked, clauses[0], Topic.CLAUSE) if len(clauses) == 1 else None
    openers = [t for t in inner if t.lower_ in words.OPENERS and t.tag_ == "IN"]
    if not openers or openers[-1].i == len(asked) - 1:
        return None
    return _ending(asked, openers[-1], _kind(question, asked[openers[-1].i + 1 :]))


def first_phrase(question: ParsedQuestion) -> Adverbial | None:
    """Return the clause or phrase before the one auxiliary that has its subject after it."""
    asked = question.doc[:-1]
    if len(asked) < 4 or asked[0].lower_ not in words.OPENERS | words.SUBORDINATORS:
        return None
    starts = [token.i for token in asked[1:-1] if _opens_question(question, token)]
    if len(starts) != 1 or starts[0] < 2 or len(asked) - starts[0] < 3:
        return None
    end = starts[0]
    clause = asked[0].lower_ in words.SUBORDINATORS
    stop = end - 1 if asked[end - 1].text == "," else end
    kind = Topic.CLAUSE if clause else _kind(question, asked[1:stop])
    return Adverbial(asked[:stop], asked[end:], kind)


def _ending(asked: Span, opener: Token, kind: Topic) -> Adverbial:
    return Adverbial(asked[opener.i :], asked[: opener.i], kind)


def _opens_question(question: ParsedQuestion, token: Token) -> bool:
    """Whether a token is an auxiliary with a subject right after it, as in a question."""
    following, before = token.nbor(), token.nbor(-1)
    return (
        token.lower_ in words.AUXILIARIES
        and not question.in_name(token)
        and before.lower_ not in words.SUBJECT_PRONOUNS
        and (
            following.lower_ in words.SUBJECT_PRONOUNS
            or following.tag_ in {"DT", "PRP$", "NNP", "NN", "NNS", "NNPS"}
        )
    )


def _kind(question: ParsedQuestion, target: Span) -> Topic:
    """Tell what the noun phrase of a phrase names, by its entity or its last word."""
    last = target[-1]
    forms = {token.lower_ for token in target}
    if forms & words.PLATFORMS:
        return Topic.PLATFORM
    if forms & {"season", "episode", "movie", "film"} or last.lower_ in words.FICTION:
        return Topic.STORY
    if last.ent_type_ == "GPE" or _is_place(target):
        return Topic.PLACE
    if last.lower_ in words.GAMES and not question.in_name(last):
        return Topic.GAME
    if forms & words.INSTITUTIONS:
        return Topic.INSTITUTION
    if re.fullmatch(r"(1[5-9]|20)\d\d", last.text) and len(target) == 1:
        return Topic.TIME
    if forms & words.TIMES and not question.in_name(last):
        return Topic.TIME
    if last.lower_ in words.SITUATIONS:
        return Topic.SITUATION
    bare = [token for token in target if token.is_alpha and token.lower_ not in _SMALL]
    if bare and all(question.in_name(token) for token in bare):
        return Topic.TIME if forms & words.TIMES else Topic.NAME
    return Topic.OTHER


def _is_place(target: Span) -> bool:
    return target[-1].lower_ in words.PLACES or any(
        token.lower_ in {"state", "city", "province"} and token.nbor().lower_ == "of"
        for token in target[:-1]
    )
