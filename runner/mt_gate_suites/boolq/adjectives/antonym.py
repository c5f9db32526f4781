"""MR1-1: the first adjective that is asserted gives way to its opposite.

Source: the reading-comprehension paper (ESEC/FSE 2021), section 4.1. Output:
inverted, where the source's answer is yes.
    be NP adj               is it legal to own a handgun -> is it illegal to own a handgun
    be NP1 adj NP2          is oz a real place -> is oz a fictional place
    be NP1 done prep adj    is scott and sid based on a true story -> ... a false story

The published code replaces any first adjective. A yes must rule out a yes to the
follow-up: so the adjective is said of the subject, and nothing in between says
"some", "ever" or "partly". ``is there a big dog`` does not rule out a small one.
"""

from __future__ import annotations

import itertools
import re

from spacy.tokens import Token

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives import same_different
from mt_gate_suites.boolq.adjectives.antonym_table import ANTONYMS, ONE_OF_A_ROW, WITH_PREPOSITION
from mt_gate_suites.boolq.adjectives.invention import says_which
from mt_gate_suites.boolq.adjectives.legality import in_part
from mt_gate_suites.boolq.adjectives.slots import (
    BE,
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
from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.transformation import QuestionResources
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.lexicons.numbers import ORDINALS
from mt_gate_suites.lexicons.reading import word_set

_IT = frozenset({"it", "this", "that"})
_WEAKENS = word_set("boolq/adjectives", "weakens")
_ORDINAL = re.compile(rf"\d+(?:st|nd|rd|th)|{'|'.join(ORDINALS[2:9])}|next")
"""The second largest is no opposite of the second smallest."""
_LEAVES_ROOM = frozenset({"another", "anywhere", "somewhere", "ever", "sometimes", "either"})
"""Words after it that do."""
_OF_STORIES = frozenset({"true", "real", "fictional"})
_OF_LAW = frozenset({"legal", "illegal", "lawful", "unlawful", "allowed", "forbidden"})
_IN_ANY = frozenset({"any", "some", "certain"})
_LIMITS = frozenset({"in", "at", "for", "on", "under", "by"})
_CALLED = frozenset({"considered", "classified", "classed", "regarded", "deemed", "called"})


def transform(question: ParsedQuestion, resources: QuestionResources) -> Rewrite | Refusal:
    """Return the follow-up of a question, or why it has none."""
    return antonym(question, resources.wordnet)


def antonym(question: ParsedQuestion, wordnet: WordNet) -> Rewrite | Refusal:
    """Replace the first adjective that the question asserts by its opposite."""
    start = _opening(question)
    if start is None:
        return Refusal("form")
    for token in question.doc[start + 2 :]:
        if token.lower_ in {"same", "different"} and not question.in_name(token):
            return _opposed(question, token)
        if question.in_name(token) or not _is_asserted(question, token, start):
            continue
        if (
            token.lower_ in ANTONYMS
            or is_adjective(question, token)
            or is_participle(question, token)
        ):
            return _replaced(question, token, start, wordnet)
    return Refusal("no-adjective")


def _opposed(question: ParsedQuestion, token: Token) -> Rewrite | Refusal:
    edits = same_different.opposed(question.doc, token.i)
    return rewritten(question, edits) if edits else Refusal("same")


def _replaced(
    question: ParsedQuestion, token: Token, start: int, wordnet: WordNet
) -> Rewrite | Refusal:
    if (whole := WITH_PREPOSITION.get((token.lower_, next_word(token)))) is not None:
        if _has_room(token, start) or not _is_followed_by_noun(token.nbor()):
            return Refusal("not-exclusive")
        after = token.nbor()
        return rewritten(question, [(token.idx, after.idx + len(after), whole)])
    new = partner(question, token, ANTONYMS.get(token.lower_, ()))
    if new is None:
        return Refusal("no-antonym")
    if token.lower_ in _OF_STORIES and not says_which(question):
        return Refusal("not-borne-out")
    if token.lower_ in _OF_LAW and in_part(question):
        return Refusal("not-borne-out")
    if is_term(question, token, wordnet):
        return Refusal("term")
    numbered = any(other.like_num for other in question.doc[start : token.i])
    if new in {"first", "last"} and numbered:
        return Refusal("not-exclusive")  # season 14 the first season: nobody asks that
    if _has_room(token, start) or new in {other.lower_ for other in question.doc}:
        return Refusal("not-exclusive")
    return rewritten(question, _edits(token, new))


def _is_followed_by_noun(preposition: Token) -> bool:
    """Whether a preposition has its noun: ``what is x connected to`` has none there."""
    after = preposition.nbor()
    return after.pos_ in {"NOUN", "PROPN", "DET", "NUM", "ADJ", "PRON"} and after.lower_ != "each"


def _edits(token: Token, new: str) -> list[Edit]:
    """Return the edits; what is closed is not ``still`` closed."""
    end = token.idx + len(token)
    first = token
    while first.nbor(-1).lower_ in {"the", "a", "an"}:
        first = first.nbor(-1)
    before = first.nbor(-1)
    if before.lower_ != "still":
        return [(token.idx, end, new)]
    return [(before.idx, first.idx, ""), (token.idx, end, new)]


def _opening(question: ParsedQuestion) -> int | None:
    """Return where the question begins: ``is ...``, or ``rocky was it ...``."""
    doc = question.doc
    if doc[0].lower_ in BE:
        return 0 if len(doc) > 1 and doc[1].lower_ != "there" else None
    for token in doc[1:-2]:
        if token.lower_ in BE:
            return token.i if token.nbor().lower_ in _IT else None
    return None


def _is_asserted(question: ParsedQuestion, token: Token, start: int) -> bool:
    """Whether an adjective is said of the subject, by itself or before a noun."""
    if _verb_between(question, token, start):
        return False
    if stands_alone(token):
        return token.dep_ != "amod" or token.head.i < token.i
    if noun_after(token) is None:
        return False
    return _opens_predicate(question, token, start)


def _opens_predicate(question: ParsedQuestion, token: Token, start: int) -> bool:
    """Whether a noun phrase with the adjective comes right after the subject.

    By the words around it: parsers are often wrong about two noun phrases in a row.
    """
    first = token
    while first.nbor(-1).tag_ in {"JJ", "DT", "PRP$", "POS"} and first.nbor(-1).i > start + 1:
        first = first.nbor(-1)
    if any(_ORDINAL.fullmatch(other.lower_) for other in token.doc[first.i : token.i]):
        return False
    article = first.lower_ in {"a", "an", "the"} or first.tag_ in {"PRP$", "POS"}
    before = first.nbor(-1)
    while before.lower_ in {"still", "also", "really", "actually"} and before.i > start + 1:
        before = before.nbor(-1)
    if token.lower_ in ONE_OF_A_ROW and first.lower_ != "the":
        return False
    if before.lower_ in {"on", "upon"} and before.nbor(-1).lower_ == "based":
        return True
    if before.i <= start:
        return False
    if before.lower_ in _CALLED or before.lower_ in _IT or question.in_name(before):
        return article
    if article:
        return before.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}
    noun = noun_after(token)
    return noun is not None and noun.dep_ == "attr" and noun.tag_ == "NNS"


def _verb_between(question: ParsedQuestion, token: Token, start: int) -> bool:
    """Whether another clause stands between ``be`` and the adjective."""
    between = [t for t in question.doc[start + 1 : token.i] if not question.in_name(t)]
    return any(
        t.tag_ in {"MD", "VB", "VBD", "VBP", "VBZ", "TO"}
        or (t.tag_ == "VBG" and t.dep_ not in {"amod", "compound", "nsubj", "csubj", "pobj"})
        or (
            t.tag_ == "VBN"
            and t.lower_ not in _CALLED
            and t.lower_ != "based"
            and t.dep_ not in {"amod", "acl", "compound"}
        )
        for t in between
    )


def _has_room(token: Token, start: int) -> bool:
    """Whether yes for the adjective leaves room for yes for its opposite."""
    doc = token.doc
    if token.nbor(-1).tag_ == "RB" and token.nbor(-1).lower_.endswith("ly"):
        return True  # regionally accredited, historically accurate
    if not _WEAKENS.isdisjoint(other.lower_ for other in doc[start + 1 : token.i]):
        return True
    if next_word(token) in {"or", "and", ",", "enough"}:
        return True
    after = [other.lower_ for other in doc[token.i + 1 :]]
    limits = itertools.pairwise(after)
    return not _LEAVES_ROOM.isdisjoint(after) or any(
        here in _LIMITS and what in _IN_ANY for here, what in limits
    )
