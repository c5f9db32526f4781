"""Which statements make a plain question."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.ner.plain_questions import plainness_fault
from mt_gate_suites.ner.structural import questions


@pytest.mark.parametrize(
    "text",
    [
        "Belarus shares a border with Russia.",
        "Anna Weber was born in Oslo.",
        "Anna Weber directed the film.",
    ],
)
def test_plain(nlp: Language, text: str) -> None:
    assert plainness_fault(nlp(text)) is None
    assert [len(turned) for turned in questions([nlp(text)], nlp)] == [1]


def test_plain_but_nothing_changes_beside_a_name(nlp: Language) -> None:
    doc = nlp("It was founded by John Miller in 1950.")
    assert plainness_fault(doc) is None
    assert list(questions([doc], nlp)) == [[]]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Reynolds would later voice his dissatisfaction in London.", "modal"),
        ("Georgia and Texas are not members.", "negated-or-alternative"),
        ("Germany is a member of the first or the second union.", "negated-or-alternative"),
        ("The Bank of England (BoE) is in London.", "not-plain"),
        ('Anna Weber wrote "The Long Way Home" in London.', "not-plain"),
        ("Geese are common in Oslo.", "first-word-case"),
        ("Heterochromia is common in Germany.", "first-word-case"),
        ("Mathematician Ian Malcolm meets Hammond in Paris.", "first-word-case"),
        ("Oedipus answered the Sphinx's riddle and married Jocasta.", "conjunct-form"),
        ("The primary authority on the design of the film was Albert Hurter.", "hard-to-read"),
        (
            "In a town that nobody had heard of before, the film was made with little money and "
            "much good will, and it was then shown in Oslo.",
            "not-plain",
        ),
        (
            "The film was thought by nearly all of those who saw it to be about Oslo.",
            "far-from-names",
        ),
    ],
)
def test_not_plain(nlp: Language, text: str, fault: str) -> None:
    assert plainness_fault(nlp(text)) == fault
    assert questions([nlp(text)], nlp) == [[]]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "In 1990, Anna Weber met John Miller in Oslo.",
            "In 1990, did Anna Weber meet John Miller in Oslo?",
        ),
        (
            "On July 22, 2015, Oslo was visited by John Miller.",
            "On July 22, 2015, was Oslo visited by John Miller?",
        ),
    ],
)
def test_a_date_before_the_statement_stays_there(nlp: Language, text: str, question: str) -> None:
    [[turned]] = questions([nlp(text)], nlp)
    assert turned.text == question
    for block in turned.alignment:
        old = text[block.source : block.source + block.length]
        new = question[block.follow_up : block.follow_up + block.length]
        assert old.casefold() == new.casefold()


def test_no_other_opening_stays_before_a_question(nlp: Language) -> None:
    assert questions([nlp("In the old town, Anna Weber met John Miller.")], nlp) == [[]]
