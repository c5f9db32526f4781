"""What kind of thing a noun phrase speaks of: its number, and whether it is known or a person."""

from __future__ import annotations

import lemminflect
from spacy.tokens import Token

from mt_gate_suites.boolq.voice.phrases import NounPhrase
from mt_gate_suites.grammar.verbs import Number, subject_number
from mt_gate_suites.lexicons.reading import word_set

_COUNTERS = word_set("boolq/voice", "counters")
_EITHER = word_set("boolq/voice", "either-number")
_VAGUE = word_set("boolq/voice", "vague")
_MEASURES = word_set("boolq/voice", "measures")
_PERSONS = word_set("boolq/voice", "persons")
_PERSON_ENDINGS = ("er", "ers", "or", "ors", "ist", "ists", "ian", "ians")
_NOT_PERSONS = word_set("boolq/voice", "not-persons")
_AGENTS = frozenset({"PERSON", "ORG", "GPE", "NORP"})
_NAMED = _AGENTS | {"", "FAC", "PRODUCT", "WORK_OF_ART"}
_CAUSAL = word_set("boolq/voice", "causal")
_CONTESTS = word_set("boolq/voice", "contests")
_PRIZES = word_set("boolq/voice", "prizes")
_OBJECT_FORMS = {"it": "it", "they": "them", "he": "him", "she": "her"}
_SUBJECT_FORMS = {"it": "it", "them": "they", "him": "he", "her": "she"}


def pronoun(head: Token, forms: dict[str, str]) -> str | None:
    """Return the other case of a pronoun that stands alone, by one of the two tables."""
    alone = head.left_edge == head.right_edge == head
    return forms.get(head.lower_) if alone and head.tag_ == "PRP" else None


def as_object(head: Token) -> str | None:
    """Return ``him`` for ``he``; None for what is no pronoun of the third person."""
    return pronoun(head, _OBJECT_FORMS)


def as_subject(head: Token) -> str | None:
    """Return ``he`` for ``him``; None for what is no pronoun of the third person."""
    return pronoun(head, _SUBJECT_FORMS)


def number(head: Token) -> Number | None:
    """Return the number of a phrase that a verb is to agree with; None where it is open.

    Plural names are open: the United States is, the Beatles are.
    """
    if head.tag_ == "PRP":
        return "plural" if head.lower_ in {"they", "them"} else "singular"
    if any(child.dep_ == "conj" for child in head.children):
        joined = [c for c in head.children if c.dep_ == "cc"]
        named = head.tag_[:3] == "NNP" and head.ent_type_ != "PERSON"
        return "plural" if [c.lower_ for c in joined] == ["and"] and not named else None
    if head.lower_ == "series":
        return _number_of_series(head)
    if (head.lower_ in _COUNTERS and head.tag_ != "NNS") or head.tag_ == "NNPS":
        return None
    if head.lower_ in _EITHER or _is_odd_plural(head):
        return None
    if head.tag_ == "NNP" and head.text.endswith("s") and head.ent_type_ != "PERSON":
        return None
    return subject_number(head)


def _is_odd_plural(head: Token) -> bool:
    """Whether a noun that a tagger takes for a singular is a plural: the vertebrae."""
    lemmas = lemminflect.getAllLemmas(head.lower_, upos="NOUN").get("NOUN", ())
    return head.tag_ == "NN" and bool(lemmas) and head.lower_ not in lemmas


def phrase_number(phrase: NounPhrase) -> Number | None:
    """Return the number of a phrase that may be a list of names.

    A name that holds ``and`` may be one thing: the Firearms and Explosives Division.
    """
    inside = any(t.lower_ in {"and", "&"} and t.head != phrase.head for t in phrase.span)
    if inside and any(t.tag_[:3] == "NNP" for t in phrase.span):
        return None
    return "plural" if any(t.text == "," for t in phrase.span) else number(phrase.head)


def _number_of_series(head: Token) -> Number | None:
    """Return singular for ``the series``; None beside a word of number."""
    left = [c for c in head.children if c.i < head.i]
    one = {"the", "a", "this", "that", "an"}
    if any(c.tag_ == "CD" or c.lower_ in {"these", "those", "many", "several"} for c in left):
        return None
    return "singular" if any(c.lower_ in one for c in left) else None


def is_definite(phrase: NounPhrase) -> bool:
    """Whether a phrase points at something known: a name, ``the``, ``this``, a possessor."""
    if phrase.is_pronoun:
        return True
    left = [c for c in phrase.head.children if c.i < phrase.head.i]
    if any(c.lower_ in {"a", "an", "some", "many", "several"} for c in left):
        return False
    if any(c.lower_ in {"the", "this", "that", "these", "those"} or c.dep_ == "poss" for c in left):
        return True
    return phrase.head.tag_ == "NNP" and phrase.head.text[:1].isupper()


def is_measure(phrase: NounPhrase) -> bool:
    """Whether a phrase tells how much rather than what: ten miles, two years."""
    head = phrase.head
    if head.lower_ in _MEASURES or head.like_num:
        return True
    return head.ent_type_ in {"DATE", "TIME", "QUANTITY", "PERCENT", "MONEY", "CARDINAL", "ORDINAL"}


def is_counted(phrase: NounPhrase) -> bool:
    """Whether a phrase tells how many of a kind: two manga series."""
    left = [c for c in phrase.head.children if c.i < phrase.head.i]
    return any(c.tag_ == "CD" for c in left) and not is_definite(phrase)


def is_bare(phrase: NounPhrase) -> bool:
    """Whether a common noun has no article, possessor or number: cars, diaries of the king."""
    left = [c for c in phrase.head.children if c.i < phrase.head.i]
    fixed = any(c.tag_ in {"DT", "CD", "PRP$"} or c.dep_ == "poss" for c in left)
    return phrase.head.tag_ in {"NN", "NNS"} and not fixed


def is_vague(phrase: NounPhrase) -> bool:
    """Whether the head is one that set phrases have for their object."""
    return phrase.head.lower_ in _VAGUE


def is_person(head: Token) -> bool:
    """Whether a noun may stand for a person: ``who`` would take up its place."""
    word = head.lower_
    return (
        head.ent_type_ == "PERSON"
        or word in _PERSONS
        or (word.endswith(_PERSON_ENDINGS) and word not in _NOT_PERSONS)
    )


def is_heavy(phrase: NounPhrase) -> bool:
    """Whether a phrase has a preposition or clause that what comes next could seem to go on."""
    return any(t.dep_ == "relcl" or (t.dep_ == "prep" and t.lower_ != "of") for t in phrase.span)


def is_contest(phrase: NounPhrase) -> bool:
    """Whether a phrase is what somebody wins and what is won by somebody: no prize."""
    words = {t.lower_ for t in phrase.span}
    return bool(words & _CONTESTS) and not words & _PRIZES


def acts(agent: NounPhrase, lemma: str) -> bool:
    """Whether an agent is a person, a people or an organisation, or a cause of what it causes."""
    head = agent.head
    if head.ent_type_ in (_NAMED if head.tag_ == "NNP" else _AGENTS):
        return True
    if lemma in _CAUSAL and head.tag_ in {"NN", "NNS"} and not is_measure(agent):
        return True
    return head.tag_ in {"NN", "NNS"} and is_person(head)
