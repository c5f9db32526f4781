"""Words that ``and`` joins to the main verb, which taggers often get wrong.

    was hurt and died        a past tense tagged as a participle
    is run by Ann and stars Bob      a verb tagged as a plural noun
    have married and have a child    a present tense tagged as an infinitive

A question made from any of these would have a second finite verb.
"""

from __future__ import annotations

import lemminflect
from spacy.tokens import Doc, Token

from mt_gate_suites.lexicons.numbers import CARDINALS

_OBJECT_TAGS = frozenset({"NNP", "NNPS", "DT", "PRP$", "PRP", "CD", "JJ", "NN", "RP"})
_NUMERALS = frozenset(CARDINALS[2:13])


def coordination_fault(
    doc: Doc, root: Token, finite: Token, conjuncts: tuple[Token, ...]
) -> str | None:
    """Return the code of a doubtful coordination in a clause; None when all are sure.

    ``conjuncts`` are the finite verbs already known to share subject and tense.
    """
    return (
        _verb_form_fault(root, conjuncts)
        or _participle_fault(doc, conjuncts)
        or _lookalike_fault(doc, root, finite)
        or _numeral_fault(doc)
    )


def _verb_form_fault(root: Token, conjuncts: tuple[Token, ...]) -> str | None:
    """Find a verb coordinated with the main verb in another form: ``have married and have``."""
    for token in root.doc:
        if token.dep_ != "conj" or token.pos_ not in {"VERB", "AUX"} or token in conjuncts:
            continue
        first = token.head
        while first.dep_ == "conj":
            first = first.head
        if first == root and token.tag_ != root.tag_:
            return "conjunct-form"
    return None


def _numeral_fault(doc: Doc) -> str | None:
    """Find a singular after a numeral, which may be a verb: ``the two embrace``."""
    for token in doc[:-2]:
        after = token.nbor(1)
        if token.lower_ not in _NUMERALS or after.tag_ != "NN" or not after.is_lower:
            continue
        if token.nbor(2).tag_ not in {"NN", "NNS", "HYPH", "JJ"}:
            return "numeral-with-singular"
    return None


def _participle_fault(doc: Doc, conjuncts: tuple[Token, ...]) -> str | None:
    """Find a form after ``and`` that may be a past tense: ``was hurt and died``."""
    for token in doc:
        if token.tag_ not in {"VBN", "VBD"} or token in conjuncts or token.i < 2:
            continue
        before = doc[token.i - 1]
        if before.tag_ == "RB":
            before = doc[token.i - 2]
        if before.dep_ != "cc" and token.dep_ != "conj":
            continue
        if not _is_sure_participle(token):
            return "participle-or-past"
    return None


def _lookalike_fault(doc: Doc, root: Token, finite: Token) -> str | None:
    """Find a plural noun after ``and`` that may be a verb: ``was shot there and stars Ann``.

    Also find a word that is coordinated with the main verb, but is not a verb:
    there the parse, or the sentence, lacks a verb.
    """
    for token in doc[1:-1]:
        if token.head == root and token.dep_ == "dep":
            return "parse-unsure"
        if _is_noun_next_to_verb(token, root):
            return "verb-with-noun"
        if token.tag_ != "NNS" or not token.is_lower or not _follows_and(token):
            continue
        if _may_be_verb(token, finite):
            return "noun-or-verb"
    return None


def _is_noun_next_to_verb(token: Token, root: Token) -> bool:
    if token.dep_ != "conj" or token.head != root or root.lemma_ == "be":
        return False
    return token.pos_ not in {"VERB", "AUX"}


def _follows_and(token: Token) -> bool:
    before = token.nbor(-1)
    if before.tag_ == "RB" and before.i:
        before = before.nbor(-1)
    return before.lower_ in {"and", "or", "but", ","}


def _may_be_verb(token: Token, finite: Token) -> bool:
    """Whether a word tagged as a plural noun goes on like a verb: ``and stars Ann``."""
    lemmas = lemminflect.getAllLemmas(token.lower_)
    after = token.nbor(1)
    goes_on = after.tag_ in _OBJECT_TAGS
    if finite.tag_ == "VBZ" and after.tag_ in {"IN", "TO"} and after.lower_ != "of":
        goes_on = True
    return "VERB" in lemmas and ("NOUN" not in lemmas or goes_on)


def _is_sure_participle(token: Token) -> bool:
    """``written and directed by Ann``: whether it is adjacent to its head, or has an agent."""
    if token.dep_ != "conj" or token.tag_ != "VBN":
        return token.dep_ == "amod"
    adjacent = all(
        t.dep_ in {"cc", "punct", "advmod"} for t in token.doc[token.head.i + 1 : token.i]
    )
    return token.head.tag_ == "VBN" and (adjacent or any(c.dep_ == "agent" for c in token.children))
