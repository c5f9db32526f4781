"""Which common nouns stand for a person, so that a pronoun may mean them."""

from __future__ import annotations

from spacy.tokens import Token

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.coreferent import gender

_NOUNS = word_set("people", "person-nouns")
_NOT_PERSONS = word_set("people", "no-person-nouns")
_ENDINGS = ("er", "or", "ist", "ian", "eer", "man", "woman", "person", "crat", "monger")
_SHORTEST = 5


def is_person_noun(token: Token) -> bool:
    """Whether a token is a common noun, singular, that may stand for one person."""
    if token.tag_ not in ("NN", "NNP") or token.ent_type_ == "PERSON":
        return False
    word = token.lower_
    if gender.of_noun(word) or word in _NOUNS:
        return True
    if token.tag_ != "NN" or word in _NOT_PERSONS:
        return False
    return len(word) >= _SHORTEST and word.endswith(_ENDINGS)
