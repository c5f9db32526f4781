"""Words with which the predicate of a question may begin."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read, word
from mt_gate_suites.boolq.negation.openers import is_pronoun, openers, verb_kind


@pytest.mark.parametrize(
    ("question", "opener", "kind"),
    [
        ("is it a good film", "a", "verb"),
        ("does the sun turn around", "turn", "verb"),
        ("has a woman won the race", "won", "verb"),
        ("is oslo the capital of norway", "the", "determiner"),
        ("is the film based on a book", "based", "fixed"),
        ("is the bank in new york", "in", "preposition"),
        ("is the bridge closed", "closed", "verb"),
        ("is gambling legal in texas", "legal", "adjective"),
        ("is the king still alive", "still", "adverb"),
    ],
)
def test_the_predicate_may_begin_there(
    nlp: Language, question: str, opener: str, kind: str
) -> None:
    found = {one.token.lower_: one.kind for one in openers(read(nlp, question))}
    assert found.get(opener) == kind


@pytest.mark.parametrize(
    ("question", "not_there"),
    [
        ("is the capital of norway big", "norway"),
        ("is the old man and the sea a book", "sea"),
        ("does a cat in a hat bite", "hat"),
        ("has the man who won died", "man"),
    ],
)
def test_the_predicate_never_begins_within_the_subject(
    nlp: Language, question: str, not_there: str
) -> None:
    found = {one.token.lower_ for one in openers(read(nlp, question))}
    assert not_there not in found


def test_nor_within_a_name(nlp: Language) -> None:
    asked = read(nlp, "is call of the wild a book", "Call of the Wild is a book.")
    assert {one.token.lower_ for one in openers(asked)} == {"a"}


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("is it a good film", True),
        ("does he sing", True),
        ("are they twins", True),
        ("will there be a sequel", True),
        ("was she the man", False),
        ("is he's a film", False),
        ("is the film good", False),
        ("do it sing", False),
    ],
)
def test_pronouns_that_are_the_subject(nlp: Language, question: str, alone: bool) -> None:
    assert is_pronoun(read(nlp, question)) == alone


@pytest.mark.parametrize(
    ("question", "candidate", "kind"),
    [
        ("does the sun turn", "turn", "verb"),
        ("does the sun need it", "need", "verb"),
        ("has the sun turned", "turned", "verb"),
        ("has the sun gone", "gone", "verb"),
        ("has the sun turn", "turn", None),
        ("does the sun turned", "turned", None),
        ("does the sun turn", "sun", "verb"),
        ("does the apparatus turn", "apparatus", None),
    ],
)
def test_forms_after_an_auxiliary(
    nlp: Language, question: str, candidate: str, kind: str | None
) -> None:
    assert verb_kind(word(read(nlp, question).doc, candidate)) == kind
