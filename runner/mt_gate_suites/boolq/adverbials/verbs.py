"""Says whether a verb leaves a phrase after it to the whole question (MR2-2, ESEC/FSE 2021)."""

from __future__ import annotations

from spacy.tokens import Span, Token

from mt_gate_suites.boolq.adverbials import words
from mt_gate_suites.boolq.adverbials.phrases import Adverbial, Topic
from mt_gate_suites.boolq.question import ParsedQuestion

LAWFUL = frozenset({Topic.PLACE, Topic.GAME, Topic.INSTITUTION})
"""Kinds that say where a rule holds."""
_KNOWN = LAWFUL | {Topic.STORY, Topic.TIME, Topic.SITUATION, Topic.NAME}
_OBJECT_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD", "JJ", "RB", "RP", "VBN"})
_TAKEN = frozenset({"dobj", "pobj", "acomp", "attr", "oprd"})


def is_height(phrase: Adverbial) -> bool:
    """``at 7000 feet``, ``at 52 years old``: nothing that a verb takes."""
    return phrase.opener == "at" and phrase.object[0].tag_ == "CD"


def main_verb(question: ParsedQuestion, rest: Span) -> Token | None:
    """Return the last verb of the chain that the auxiliary opens: ``have to own``."""
    tags = {"VBN", "VBD"} if rest[0].lower_ in words.HAVE else {"VB", "VBP", "VBD"}
    verbs = [t for t in rest[2:] if t.tag_ in tags and not question.in_name(t)]
    if rest[-1].lower_ in words.FREE_VERBS and rest[0].lower_ not in words.HAVE and len(rest) > 2:
        verbs = verbs or [rest[-1]]
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


def verb_fits(verb: Token, phrase: Adverbial) -> bool:
    """Whether the verb, with what it has after it, needs no more."""
    after = phrase.rest[verb.i - phrase.rest.start + 1 :]
    chain = (verb.lemma_.lower(), *(token.lower_ for token in after))
    if phrase.object[0].lower_ in {"a", "an"} and phrase.rest[0].lower_ in words.HAVE:
        return False
    if _is_free(verb, chain):
        story = chain[0] in words.STORY_VERBS and phrase.object[0].lower_ not in {"a", "an"}
        return story or phrase.kind in _KNOWN | {Topic.PLATFORM} or is_height(phrase)
    if len(chain) == 1:
        return _alone_fits(chain[0], phrase)
    return _with_object(verb, after, phrase)


def _is_free(verb: Token, chain: tuple[str, ...]) -> bool:
    if chain in words.FREE_PHRASES or (verb.lower_, *chain[1:]) in words.FREE_PHRASES:
        return True
    return len(chain) == 1 and (chain[0] in words.FREE_VERBS or verb.lower_ in words.FREE_VERBS)


def _alone_fits(verb: str, phrase: Adverbial) -> bool:
    """Whether the phrase may follow a verb that has nothing else after it."""
    if [token.lower_ for token in phrase.span[:3]] == ["at", "the", "end"]:
        return True
    if phrase.kind is Topic.TIME and phrase.opener == "on":
        return verb in words.KEEPING_HOURS
    if phrase.kind is Topic.PLATFORM:
        return verb == "work"
    return phrase.kind is Topic.PLACE and phrase.opener == "in" and verb not in words.PLACING


def _with_object(verb: Token, after: Span, phrase: Adverbial) -> bool:
    """``can you carry a gun in montana``: the verb has its object, and it needs no place."""
    lemma = verb.lemma_.lower()
    if after[-1].tag_ not in _OBJECT_TAGS or after[-1].lower_ in {"in", "on", "at"}:
        return False
    if phrase.opener == "at" and phrase.kind is Topic.GAME:
        return False
    if phrase.opener == "on" and phrase.kind is Topic.PLACE:
        return False
    if lemma == "be":
        return _is_status(after, phrase)
    if lemma in words.PLACING_OBJECTS and not _is_loose(lemma, after, phrase):
        return False
    if lemma in words.PLACING - words.LOOSE_OBJECTS and not any(t.dep_ in _TAKEN for t in after):
        return False
    return phrase.kind is not Topic.OTHER or is_height(phrase)


def _is_status(after: Span, phrase: Adverbial) -> bool:
    """``is it legal to be a bounty hunter in the us``."""
    return phrase.kind in {Topic.PLACE, Topic.GAME} and after[0].lower_ in {"a", "an"}


def _is_loose(lemma: str, after: Span, phrase: Adverbial) -> bool:
    """Whether a verb that may want a place has a mere object here."""
    if lemma not in words.LOOSE_OBJECTS or after[0].lower_ in {"part", "place", "in", "into"}:
        return False
    if lemma == "get":
        return phrase.kind in LAWFUL | {Topic.STORY, Topic.SITUATION}
    if lemma == "turn":
        return phrase.kind in {Topic.PLACE, Topic.STORY}
    if phrase.kind is Topic.PLATFORM:
        return lemma == "play"
    rule = phrase.rest[0].lower_ in words.MODALS or "to" in {t.lower_ for t in phrase.rest}
    kinds = {Topic.PLACE, Topic.GAME}
    return rule and phrase.kind in (kinds | {Topic.TIME} if lemma == "buy" else kinds)
