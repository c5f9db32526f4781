"""A clause or phrase of time, place or condition moves to the front of a question.

Source: MR2-2 of metamorphic testing for reading comprehension (ESEC/FSE 2021), section 4.
    can you turn left on red in canada -> in canada, can you turn left on red

The paper moves every phrase that ``when``, ``in``, ``at``, ``on`` or ``if`` opens. Here the phrase
must belong to the whole question: ``is it based on a book`` and ``is he in the navy`` stay
unchanged. Parsers often attach such phrases wrongly, above all in search queries. So a question
must have one of a few frames in which the phrase can hardly belong elsewhere.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from spacy.tokens import Span, Token

from mt_gate.domain import Block
from mt_gate.lexicons import calendar, us_states
from mt_gate_suites.boolq.question import BE, DO, ParsedQuestion, Resources
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import word_set

_HAVE = frozenset({"has", "have"})
_MODALS = word_set("grammar", "modals") - {"shall"}
_AUXILIARIES = BE | DO | _HAVE | _MODALS
_BACKWARD = word_set("boolq/adverbials", "backward")
_PLACES = (
    word_set("boolq/adverbials", "places")
    | {name.lower() for name in us_states.STATES}
    | us_states.LOWER_CODES
)
_GAMES = word_set("boolq/adverbials", "games")
_INSTITUTIONS = word_set("boolq/adverbials", "leagues") | word_set(
    "boolq/adverbials", "institutions"
)
_FICTION = word_set("boolq/adverbials", "fiction")
_TIMES = calendar.LOWER | word_set("boolq/adverbials", "times")
_ASKING = word_set("boolq/adverbials", "asking")
_LIMITING = word_set("boolq/adverbials", "limiting") | {"every", "each", "most", "same"}
_COMPLEMENT_NOUNS = word_set("boolq/adverbials", "complement-nouns")
_PLACING = word_set("boolq/adverbials", "placing")
_PLACING_OBJECTS = word_set("boolq/adverbials", "placing-objects")
_FREE_VERBS = word_set("boolq/adverbials", "free-verbs")
_FREE_PHRASES = frozenset(tuple(p.split()) for p in word_set("boolq/adverbials", "free-phrases"))
_STORY_VERBS = word_set("boolq/adverbials", "story-verbs")
_LOOSE_OBJECTS = word_set("boolq/adverbials", "loose-objects")
_LEGAL = word_set("boolq/adverbials", "legal")
_STATES = word_set("boolq/adverbials", "states")
_STATUSES = word_set("boolq/adverbials", "statuses")
_FIXED_PLACES = frozenset({"world", "whole", "entire", "universe", "land", "history"})
"""Nouns of phrases that never move: ``in the world`` limits a superlative, or says nothing."""
_WIDE = frozenset({"all", "any", "each", "every", "other", "same"})
_NOT_THERE = frozenset("between to going with season seasons part".split())
"""Words after ``is there`` to which the phrase may belong instead."""
_FINITE = frozenset({"VBD", "VBP", "VBZ", "MD"})
_COMPARING = frozenset({"JJR", "JJS", "RBR", "RBS"})
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD"})
_OBJECT_TAGS = _NOUNS | {"JJ", "RB", "RP", "VBN"}
_RUNS_ON = frozenset({"IN", "TO", "CC", "DT", "PRP$", "WRB", "WDT", "WP", "MD", "POS", "HYPH"})
_STOPS = frozenset("!?;:,")
"""Marks that end a part of a question; a moved phrase would change where the part ends."""


class Topic(Enum):
    """The topic of a phrase, if it is known."""

    CLAUSE = "clause"
    PLACE = "place"
    GAME = "game"
    INSTITUTION = "institution"
    STORY = "story"
    TIME = "time"
    NAME = "name"
    OTHER = "other"


_LAWFUL = frozenset({Topic.PLACE, Topic.GAME, Topic.INSTITUTION})
"""Topics that have laws or rules."""


class Adverbial(NamedTuple):
    """A phrase or clause at the end of a question, opener first, and the rest of the question."""

    span: Span
    rest: Span
    topic: Topic

    @property
    def opener(self) -> str:
        """The word that opens it."""
        return self.span[0].lower_

    @property
    def object(self) -> Span:
        """The text after the opener."""
        return self.span[1:]

    @property
    def is_known(self) -> bool:
        """Whether its topic is known, or it is a number: ``at 7000 feet``, ``at 52 years old``."""
        return self.topic is not Topic.OTHER or (self.opener, self.object[0].tag_) == ("at", "CD")


def transform(question: ParsedQuestion, _: Resources) -> Rewrite | None:
    """Move the adverbial at the end of a question to its front; the answer stays the same."""
    phrase = _last_phrase(question) if question.doc[-1].text == "?" else None
    if phrase is None or _STOPS & set(question.text) or not _moves(question, phrase):
        return None
    rest, part = (question.text[s.start_char : s.end_char] for s in (phrase.rest, phrase.span))
    blocks = Block(0, len(part) + 2, len(rest)), Block(phrase.span.start_char, 0, len(part))
    return Rewrite(f"{part}, {rest}", blocks)


def _last_phrase(question: ParsedQuestion) -> Adverbial | None:
    """Return the clause at the end of a question, or the shortest phrase there."""
    words = question.doc[:-1]
    inner = [token for token in words[3:] if not question.in_name(token)]
    clauses = [token.i for token in inner if token.lower_ in {"when", "if"}]
    if clauses:
        at = clauses[0]
        return Adverbial(words[at:], words[:at], Topic.CLAUSE) if len(clauses) == 1 else None
    openers = [t.i for t in inner if t.lower_ in {"in", "at", "on"} and t.tag_ == "IN"]
    if not openers or openers[-1] == len(words) - 1:
        return None
    at = openers[-1]
    return Adverbial(words[at:], words[:at], _topic(question, words[at + 1 :]))


def _topic(question: ParsedQuestion, target: Span) -> Topic:
    """Return the topic of the words after an opener, by their entity, words or last word."""
    last = target[-1]
    forms = {token.lower_ for token in target}
    small = {"a", "an", "and", "of", "the", "to"}
    bare = [token for token in target if token.is_alpha and token.lower_ not in small]
    is_name = bool(bare) and all(question.in_name(token) for token in bare)
    common = not question.in_name(last)
    of_place = re.search(r"\b(?:state|city|province) of\b", target.text.lower())
    year = len(target) == 1 and re.fullmatch(r"(1[5-9]|20)\d\d", last.text)
    story = forms & {"season", "episode", "movie", "film"} or last.lower_ in _FICTION
    tests = (
        (Topic.STORY, story),
        (Topic.PLACE, last.ent_type_ == "GPE" or last.lower_ in _PLACES or of_place),
        (Topic.GAME, last.lower_ in _GAMES and common),
        (Topic.INSTITUTION, forms & _INSTITUTIONS),
        (Topic.TIME, year or (forms & _TIMES and (common or is_name))),
        (Topic.NAME, is_name),
    )
    return next((topic for topic, test in tests if test), Topic.OTHER)


def _moves(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """Whether a phrase belongs to the whole question, and means the same in front."""
    words = [token.lower_ for token in phrase.rest]
    if words[0] not in _AUXILIARIES or _LIMITING & set(words):
        return False
    if phrase.topic is Topic.CLAUSE:
        return _clause_moves(phrase)
    plain = [token for token in phrase.object if not question.in_name(token)]
    forms = {token.lower_ for token in plain}
    if (
        any(t.tag_[:2] in {"VB", "MD", "WR", "WP", "WD", "EX"} for t in plain)
        or forms & (_BACKWARD | _FIXED_PLACES | _WIDE)
        or any(t.tag_ in _COMPARING | {"IN", "TO", "RP"} and t.lower_ != "of" for t in plain)
        or words.count("as") > 1
        or _is_taken(question, phrase)
    ):
        return False
    if "there" in words[1:3]:
        return _existential(question, phrase)
    if words[0] in BE and words[1] != "it":
        return _copular(phrase)
    verb = _main_verb(question, phrase.rest)
    return verb is not None and _verb_fits(verb, phrase)


def _clause_moves(phrase: Adverbial) -> bool:
    """Whether a clause of ``when`` or ``if`` may move."""
    clause, before = phrase.span, phrase.rest[-1]
    if len(clause) < 2 or clause[1].lower_ in _AUXILIARIES:
        return False
    finite = any(t.tag_ in _FINITE for t in clause[1:])
    if not finite and not (phrase.opener == "when" and clause[1].tag_ == "VBG"):
        return False
    asks = {before.lower_, before.lemma_.lower()} & _ASKING  # "do they know when you call"
    if asks:
        return False
    # No pronoun may come before what it refers to.
    return _BACKWARD.isdisjoint(token.lower_ for token in clause)


def _is_taken(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """Whether the phrase may belong to the words right before it."""
    rest, last = phrase.rest, phrase.rest[-1]
    again = any(t.lower_ == phrase.opener for t in rest[-3:])
    if again and phrase.topic in {Topic.NAME, Topic.OTHER, Topic.STORY}:
        return True  # "is there a dodo | in alice | in wonderland"
    if question.in_name(last):
        return False
    runs_on = last.tag_ in _RUNS_ON
    status = last.lower_ in _STATUSES
    return runs_on or (last.lower_ in _COMPLEMENT_NOUNS and not status)


def _existential(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """``is there a train station at oslo airport``: whether the phrase follows a noun directly."""
    rest, first = phrase.rest, phrase.object[0].lower_
    last = rest[-1]
    noun = last.tag_ in _NOUNS or question.in_name(last)
    if not (noun or last.lower_ in {"left", "available", "something"}):
        return False
    if _NOT_THERE & {t.lower_ for t in rest}:
        return False
    return (
        phrase.opener != "on" or phrase.topic in {Topic.TIME, Topic.NAME} or first in {"the", "a"}
    )


def _copular(phrase: Adverbial) -> bool:
    """``is asylum a right in the united states``: whether the phrase limits the predicate."""
    rest, topic = phrase.rest, phrase.topic
    last = rest[-1].lower_
    if phrase.opener == "in" and topic in _LAWFUL:
        new_noun = {"a", "an", "public", "official", "legal"} & {t.lower_ for t in rest[2:-1]}
        return last in _LEGAL or (last in _STATUSES and bool(new_noun))
    if topic is Topic.TIME and last in {"open", "closed"}:
        return True
    if topic in {Topic.STORY, Topic.TIME} and phrase.opener == "in":
        # An indefinite noun is the predicate: "is garfield a real cat in the movie".
        articles = [token.i for token in rest[2:-1] if token.lower_ in {"a", "an"}]
        new = len(articles) == 1 and rest[-1].tag_ == "NN"
        return last in _STATES or new
    return last in _STATES


def _main_verb(question: ParsedQuestion, rest: Span) -> Token | None:
    """Return the last verb of the chain that the auxiliary opens: ``have to own``."""
    perfect = rest[0].lower_ in _HAVE
    tags = {"VBN", "VBD"} if perfect else {"VB", "VBP", "VBD"}
    verbs = [t for t in rest[2:] if t.tag_ in tags and not question.in_name(t)]
    if not verbs and rest[-1].lower_ in _FREE_VERBS and not perfect and len(rest) > 2:
        verbs = [rest[-1]]
    if not verbs:
        return None
    verb = verbs[0]
    after = rest[verb.i - rest.start + 1 :]
    if verb.lower_ == "be" and len(after) and after[0].tag_ == "VBN":
        return after[0]
    for token in after[:-1]:
        if token.lower_ == "to" and token.nbor().tag_ == "VB" and not question.in_name(token):
            verb = token.nbor()
    return verb


def _verb_fits(verb: Token, phrase: Adverbial) -> bool:
    """Whether verb and object are complete without the phrase."""
    topic, lemma = phrase.topic, verb.lemma_.lower()
    after = phrase.rest[verb.i - phrase.rest.start + 1 :]
    words = tuple(token.lower_ for token in after)
    new = phrase.object[0].lower_ in {"a", "an"}
    free = {(lemma, *words), (verb.lower_, *words)} & _FREE_PHRASES
    if free or (not words and {lemma, verb.lower_} & _FREE_VERBS):
        return phrase.is_known or (lemma in _STORY_VERBS and not new)
    if words:
        return _object_fits(lemma, after, phrase)
    place = topic is Topic.PLACE and phrase.opener == "in" and lemma not in _PLACING
    return place or phrase.span.text.lower().startswith("at the end")


def _object_fits(lemma: str, after: Span, phrase: Adverbial) -> bool:
    """``can you carry a gun in montana``: whether the verb has its object and needs no place."""
    topic = phrase.topic
    if after[-1].tag_ not in _OBJECT_TAGS:
        return False
    if (phrase.opener, topic) in {("at", Topic.GAME), ("on", Topic.PLACE)}:
        return False
    taken = any(t.dep_ in {"dobj", "pobj", "acomp", "attr", "oprd"} for t in after)
    if lemma in _PLACING_OBJECTS:  # "can you make a right"
        rule = (
            lemma == "get" or phrase.rest[0].lower_ in _MODALS or "to" in phrase.rest.text.split()
        )
        topics = {Topic.PLACE, Topic.GAME, *({Topic.TIME} if lemma == "buy" else {Topic.STORY})}
        loose = lemma in _LOOSE_OBJECTS
        return loose and rule and topic in topics
    return phrase.is_known and (taken or lemma not in _PLACING)
