"""Says whether what follows ``in``, ``at`` or ``on`` is a plain noun phrase that may move."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spacy.tokens import Span, Token

from mt_gate.language.forms import is_word
from mt_gate_suites.boolq.adverbials import words
from mt_gate_suites.boolq.adverbials.phrases import Adverbial, Topic
from mt_gate_suites.boolq.question import ParsedQuestion

_DESCRIBING = frozenset({"NN", "NNS", "NNP", "PRP$", "JJ"})
_SHORTEST = 4
"""Letters of a word that may be misspelt."""
_SURE = frozenset({"GPE", "LOC", "NORP", "DATE", "ORDINAL"})
"""Kinds of names whose words the parser has seen."""
_UNTOLD = frozenset({Topic.NAME, Topic.OTHER})


def object_fault(question: ParsedQuestion, phrase: Adverbial) -> str | None:
    """Return why a phrase cannot move for what it holds; None if it can."""
    target = phrase.object
    plain = [token for token in target if not question.in_name(token)]
    forms = {token.lower_ for token in plain}
    if any(t.tag_[:2] in {"VB", "MD", "WR", "WP", "WD", "EX"} for t in plain):
        return "verb-in-phrase"
    if forms & words.BACKWARD:
        return "pronoun"
    if _is_wide(plain) or any(t.tag_ in {"JJR", "JJS", "RBR", "RBS"} for t in plain):
        return "quantified"
    if target[-1].lower_ in words.PHRASE_ENDS or forms & words.FIXED_PLACES:
        return "fixed"
    if _is_idiom(target):
        return "idiom"
    if any(t.tag_ in {"IN", "TO", "RP"} and t.lower_ != "of" for t in plain):
        return "second-phrase"
    if _lacks_article(target):
        return "article"
    if any(_is_unknown(question, token) for token in target):
        return "misspelt"
    if _is_two_places(question, phrase):
        return "two-places"
    if _is_half_a_name(question, phrase) or _is_in_a_name(question, phrase):
        return "name"
    return None


def _is_idiom(target: Span) -> bool:
    """``In use``, ``at home``, ``at a time``, ``in the making``, ``in the world``."""
    if target[0].lower_ in words.IDIOMS:
        return True
    fixed = words.IDIOMS_THE | words.FIXED_PLACES
    return len(target) == 2 and target[0].lower_ in {"the", "a"} and target[1].lower_ in fixed


def _is_wide(plain: Sequence[Token]) -> bool:
    """Whether the phrase counts or compares, so that its place weighs on the meaning."""
    return any(t.lower_ in words.WIDE and t.nbor(-1).lower_ != "xbox" for t in plain)


def _lacks_article(target: Span) -> bool:
    """``In uk``, ``in world cup``, ``in us and czech republic``: people write ``the``."""
    if any(t.tag_ in {"DT", "PRP$", "POS"} for t in target):
        return False
    last = [t for t in target if not t.like_num][-1:]
    ends = {t.i for t in last} | {t.i - 1 for t in target if t.lower_ == "and"}
    return any(t.i in ends and t.lower_ in words.WITH_ARTICLE for t in target)


def _is_unknown(question: ParsedQuestion, token: Token) -> bool:
    """Whether a word is in no dictionary, and the passage does not write it: ``ifinity``."""
    word = token.lower_
    if len(word) < _SHORTEST or not word.isalpha() or word in words.PLACES | words.TIMES:
        return False
    asked = question.asked
    told = f"{asked.title} {asked.passage}".lower()
    return word not in told and not (is_word(word) or token.ent_type_ in _SURE)


def _is_two_places(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """Whether a place or league follows another phrase bare: ``in my car south carolina``."""
    target = phrase.object
    if len(target) < 2 or any(token.lower_ == "of" for token in target):
        return False
    if target[-1].lower_ in words.LEAGUES:
        return target[-2].lower_ != "the"
    return phrase.kind is Topic.PLACE and any(
        token.tag_ in _DESCRIBING and not token.ent_type_ and not question.in_name(token)
        for token in target[:-1]
        if not _is_place_word(target)
    )


def _is_place_word(target: Span) -> bool:
    """``In other states``, ``in the city``: the last word is a common noun itself."""
    return target[-1].tag_ in {"NN", "NNS"} and not target[-1].ent_type_


def _is_in_a_name(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """Whether the passage or the title writes the phrase with the word before it as one name."""
    before = phrase.rest[-1] if phrase.rest.start < phrase.span.start else None
    if before is None:
        return False
    wanted = rf"\b{re.escape(before.text)} {re.escape(phrase.span.text)}"
    asked = question.asked
    found = re.finditer(wanted, f"{asked.title}\n{asked.passage}", re.IGNORECASE)
    return any(_is_capital(match.group()) for match in found)


def _is_half_a_name(question: ParsedQuestion, phrase: Adverbial) -> bool:
    """Whether a bare word stands on both sides: ``at walton | on thames``, ``alice | in x``."""
    rest, bare = phrase.rest, len(phrase.object) == 1
    if rest.start > phrase.span.start or phrase.kind not in _UNTOLD or len(rest) < 3:
        return False
    prepositions = {"in", "at", "on", "of", "near", "from", "to"}
    single = rest[-2].lower_ in prepositions and rest[-1].tag_ in {"NN", "NNP", "JJ"}
    return single or (bare and question.in_name(rest[-1]) and question.in_name(phrase.object[0]))


def _is_capital(text: str) -> bool:
    parts = text.split()
    return parts[0][:1].isupper() and parts[-1][:1].isupper()
