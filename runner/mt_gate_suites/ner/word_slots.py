"""Verbs and adjectives that another of their kind may replace (TIN, section 3.1.1).

The paper masks any verb or adjective; here those are left out whose replacement
would change more than a word: auxiliaries, parts of names, numbers, titles and
fixed terms, verbs with a particle, comparisons built with ``than``.
"""

from __future__ import annotations

from typing import NamedTuple

from spacy.tokens import Doc, Token

from mt_gate.language.forms import FUNCTION_WORDS, tags
from mt_gate.language.tools import Slot
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.lexicons.reading import word_set

TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "JJ", "JJR", "JJS"})
LIGHT_VERBS = word_set("ner/word_slots", "light-verbs")
_FIXED = word_set("ner/word_slots", "fixed")


class WordSlot(NamedTuple):
    """A slot of one word with its tag and lemma."""

    slot: Slot
    tag: str
    lemma: str


def word_slots(doc: Doc, wordnet: WordNet) -> list[WordSlot]:
    """Return the verbs and adjectives of a parsed sentence that may be replaced."""
    quoted = untouchable.quoted_spans(doc)
    return [
        WordSlot(Slot(doc.text, token.idx, token.idx + len(token)), token.tag_, token.lemma_)
        for token in doc
        if token.tag_ in TAGS
        and not untouchable.is_quoted(token, quoted)
        and _is_plain(token)
        and (_is_free_verb(token) if token.pos_ == "VERB" else _is_free_adjective(token))
        and not _in_term(token, wordnet)
    ]


def _is_plain(token: Token) -> bool:
    return (
        token.is_alpha
        and token.is_lower
        and token.i > 0
        and token.tag_ in tags(token.lower_)
        and token.lower_ not in FUNCTION_WORDS
        and not untouchable.is_namelike(token)
        and not untouchable.is_glued(token)
        and not untouchable.is_negated(token)
        and not untouchable.counts(token)
    )


def _is_free_verb(token: Token) -> bool:
    """A main verb, by itself: no particle, no light verb, no verb with an infinitive after it."""
    if token.lemma_ in LIGHT_VERBS or token.dep_ in {"aux", "auxpass", "amod", "compound"}:
        return False
    return not any(
        child.dep_ in {"prt", "xcomp", "ccomp", "dative", "oprd"} or child.lower_ == "as"
        for child in token.children
    )


def _is_free_adjective(token: Token) -> bool:
    """An adjective before its noun or after ``be``, without a phrase attached to it."""
    if token.pos_ != "ADJ" or token.lower_ in _FIXED:
        return False
    if token.dep_ not in {"amod", "acomp", "conj"}:
        return False
    hanging = {child.dep_ for child in token.children} - {"advmod", "cc", "conj", "punct"}
    return not hanging and not _names_next(token)


def _names_next(token: Token) -> bool:
    """Whether a name follows: the late John Smith, old English."""
    return token.i + 1 < len(token.doc) and untouchable.is_namelike(token.doc[token.i + 1])


def _in_term(token: Token, wordnet: WordNet) -> bool:
    """Whether the word makes one term with a neighbour or its object: high school, take place."""
    doc, at = token.doc, token.i
    pairs = [(token, doc[at + 1])] if at + 1 < len(doc) else []
    if at > 0:
        pairs.append((doc[at - 1], token))
    pairs += [(token, child) for child in token.children if child.dep_ in {"dobj", "prep"}]
    return any(
        wordnet.is_term(left.lower_, right.lower_) or wordnet.is_term(left.lemma_, right.lemma_)
        for left, right in pairs
        if left.is_alpha and right.is_alpha
    )
