"""Whether a pronoun could come to point at the wrong phrase."""

from __future__ import annotations

from spacy.tokens import Span, Token

from mt_gate_suites.boolq.voice.phrases import NounPhrase
from mt_gate_suites.lexicons.reading import word_set

_SINGULAR = frozenset("it its itself this".split())
_PLURAL = frozenset("they their them these those".split())
_PERSONAL = frozenset("he his him she her".split())
_POINTERS = _SINGULAR | _PLURAL | _PERSONAL
_DETERMINERS = frozenset({"this", "these", "those", "that"})
_NO_POINTER = frozenset({"det", "expl", "mark"})
_FAST = word_set("boolq/voice", "fast")
_WORDS_READ = 12


def pronoun_follows(following: Span | None) -> bool:
    """Whether the next sentence begins with a pronoun.

    What it points at is told by the order of the phrases before it, and that is
    what a change of voice turns round.
    """
    words: list[Token] = list(following)[:_WORDS_READ] if following is not None else []
    for token in words:
        if token.lower_ in _POINTERS and not (
            token.lower_ in {"this", "these", "those"} and token.dep_ == "det"
        ):
            return True
        if token.dep_ in {"nsubj", "nsubjpass"}:
            return False
    return False


def pronoun_blurs(sentence: Span, left: NounPhrase, right: NounPhrase) -> bool:
    """Whether a pronoun elsewhere in the sentence fits a phrase that changes its place."""
    for token in sentence:
        inside = any(p.start <= token.i < p.end for p in (left, right))
        if token.lower_ in _FAST:
            return True
        if token.lower_ not in _POINTERS or inside:
            continue
        if token.lower_ in _DETERMINERS and token.head != token and token.dep_ in _NO_POINTER:
            continue
        if _fits(left, token.lower_) and _fits(right, token.lower_):
            return True
    return False


def _fits(phrase: NounPhrase, pointer: str) -> bool:
    """Whether a pronoun could stand for a phrase; yes when in doubt."""
    head = phrase.head
    if phrase.is_pronoun:
        return True
    if pointer in _PERSONAL:
        return head.ent_type_ not in {"GPE", "NORP", "DATE"} and head.tag_ != "NNS"
    if pointer in _SINGULAR:
        return head.ent_type_ != "PERSON" and head.tag_ not in {"NNS", "NNPS"}
    return head.ent_type_ != "PERSON"
