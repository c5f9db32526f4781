"""Nouns of people that have a country, and the phrases that are built of them."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.re.co_related.citizens import (
    ends,
    has_nationality,
    is_citizen,
    is_group,
    phrase_end,
)


@pytest.mark.parametrize(
    ("text", "noun", "citizen", "group", "nationality"),
    [
        ("He is an actor.", "actor", True, False, True),
        ("They are singers.", "singers", True, False, True),
        ("It is a band.", "band", True, True, True),
        ("It is a film.", "film", False, False, True),
        ("He is an attorney.", "attorney", True, False, False),
        ("It is a state.", "state", False, False, False),
        ("It is a river.", "river", False, False, False),
        ("He is a scholar.", "scholar", False, False, True),
    ],
)
def test_nouns(
    nlp: Language, text: str, noun: str, citizen: bool, group: bool, nationality: bool
) -> None:
    token = word(nlp(text), noun)
    found = (is_citizen(token), is_group(token), has_nationality(token))
    assert found == (citizen, group, nationality)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("He is a French film director.", "film director"),
        ("He is a French actor and singer.", "actor and singer"),
        ("He is a French actor, writer and singer.", "actor, writer and singer"),
        ("He met a French actor who sang.", "actor"),
        ("He is a French king.", None),
        ("They are French actors.", None),
        ("He is a French actor on a ship.", None),
        ("He is a French actor and cook.", None),
    ],
)
def test_phrases(nlp: Language, text: str, phrase: str | None) -> None:
    doc = nlp(text)
    start = word(doc, "French").i + 1
    end = phrase_end(doc, start)
    assert (end and doc[start:end].text) == phrase


def test_marks_and_relative_clauses_end_a_phrase(nlp: Language) -> None:
    doc = nlp("He met an actor, who sang on a ship")
    assert ends(doc, word(doc, ",").i)
    assert ends(doc, word(doc, "who").i)
    assert ends(doc, len(doc))
    assert not ends(doc, word(doc, "on").i)
