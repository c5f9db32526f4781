"""Subjects of the clauses that words stand in, said or left out."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.re.coreferent.clause_subjects import (
    fronted_for,
    own_subject,
    subject_over,
    verb_over,
)


@pytest.mark.parametrize(
    ("text", "token", "subject"),
    [
        ("Anna saw her.", "her", "Anna"),
        ("Anna wanted to see her.", "her", "Anna"),
        ("Anna came and saw her.", "her", "Anna"),
        ("Boris says that Anna saw her.", "her", "Anna"),
        ("The girl who saw her left.", "her", "girl"),
        ("Anna came.", "came", None),
        ("A friend of hers", "hers", None),
    ],
)
def test_subjects(nlp: Language, text: str, token: str, subject: str | None) -> None:
    found = subject_over(word(nlp(text), token))
    assert (found and found.text) == subject


def test_a_verb_has_a_subject_of_its_own_or_none(nlp: Language) -> None:
    doc = nlp("Anna wanted to see Boris.")
    wanted, see = word(doc, "wanted"), word(doc, "see")
    assert own_subject(wanted) == doc[0]
    assert own_subject(see) is None
    assert verb_over(word(doc, "Boris")) == see
    assert verb_over(wanted) is None


@pytest.mark.parametrize(
    ("text", "token", "subject"),
    [
        ("In his speech, Obama said so.", "his", "Obama"),
        ("When he won, Obama said so.", "he", "Obama"),
        ("Obama said so in his speech.", "his", None),
        ("His friend said so.", "His", None),
    ],
)
def test_phrases_before_their_subject(
    nlp: Language, text: str, token: str, subject: str | None
) -> None:
    found = fronted_for(word(nlp(text), token))
    assert (found and found.text) == subject
