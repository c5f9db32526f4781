"""Finite verbs: the form of ``do``, the base form, and agreement."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Token

from cases import table
from mt_gate_suites.grammar.verbs import agrees, base_form, do_form, subject_number


def _root(nlp: Language, text: str) -> Token:
    return next(t for t in nlp(text) if t.head == t)


def _subject(root: Token) -> Token:
    return next(c for c in root.children if c.dep_ == "nsubj")


@pytest.mark.parametrize(("text", "carrier", "base"), table(__file__, "do_support"))
def test_do_support(nlp: Language, text: str, carrier: str, base: str) -> None:
    root = _root(nlp, text)
    assert do_form(root, subject_number(_subject(root))) == carrier
    assert base_form(root) == base


@pytest.mark.parametrize("text", ["They put the book in a bag.", "We cut the cake in Rome."])
def test_tense_of_like_forms_is_open(nlp: Language, text: str) -> None:
    root = _root(nlp, text)
    assert do_form(root, subject_number(_subject(root))) is None


def test_base_of_an_ambiguous_form_is_open(nlp: Language) -> None:
    assert base_form(_root(nlp, "He lay on the beach in Rome.")) is None


@pytest.mark.parametrize(("text", "expected"), table(__file__, "agreement"))
def test_agreement(nlp: Language, text: str, expected: bool) -> None:
    root = _root(nlp, text)
    assert agrees(_subject(root), root) is expected
