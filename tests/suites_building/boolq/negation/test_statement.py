"""A question's subject ends where the statement's does, or the question is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from mt_gate_suites.boolq.negation.statement import Parts, statements
from mt_gate_suites.boolq.question import ParsedQuestion, QuestionText, read_questions
from mt_gate_suites.grammar.rewrite import Refusal

TITLES = {
    "is house of the rising sun about vietnam": "The House of the Rising Sun",
    "is david from love it or list it a real realtor": "Love It or List It",
    "is the movie the covenant based on a book": "The Covenant (film)",
    "is for a few dollars more a sequel": "For a Few Dollars More",
    "is one life to live on tv": "One Life to Live",
    "does the girl die in a walk to remember": "A Walk to Remember",
    "does the us have a military base in thailand": "United States",
}


def read(nlp: Language, *questions: str) -> list[ParsedQuestion]:
    asked = [QuestionText(question, "", TITLES.get(question, "")) for question in questions]
    return list(read_questions(asked, nlp))


def subject(nlp: Language, question: str) -> str:
    """The subject that was found; the reason in brackets where none was."""
    (parts,) = statements(read(nlp, question), nlp)
    if isinstance(parts, Refusal):
        return f"[{parts.reason}]"
    return question[parts.subject : parts.subject_end]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("is there such thing as a black card", "there"),
        ("can you turn left on red in canada", "you"),
        ("is it legal to own a skunk", "it"),
        ("do they ever find the boat", "they"),
        ("does the girl die in a walk to remember", "the girl"),
        ("do monster energy drinks have alcohol in them", "monster energy drinks"),
        ("has a woman ever won the indy 500", "a woman"),
        ("can a horse and a donkey have a baby", "a horse and a donkey"),
        ("is a turtle the same as a tortoise", "a turtle"),
        ("is the tortoise and the hare a fairy tale", "the tortoise and the hare"),
        ("is a 17 hmr bigger than a 22lr", "a 17 hmr"),
        ("is house of the rising sun about vietnam", "house of the rising sun"),
        ("is for a few dollars more a sequel", "for a few dollars more"),
        ("is the movie the covenant based on a book", "the movie the covenant"),
        ("is the gulf of mexico considered an ocean", "the gulf of mexico"),
        ("are the lofoten islands in the arctic circle", "the lofoten islands"),
        ("are rats and mice related", "rats and mice"),
    ],
)
def test_where_the_subject_ends(nlp: Language, question: str, expected: str) -> None:
    assert subject(nlp, question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "is david from love it or list it a real realtor",  # a phrase before the noun phrase
        "is the red panda is related to the raccoon",  # two finite verbs
        "did cadburys creme eggs used to be bigger",
        "have the capitals ever win the stanley cup",
        "does himachal shares border with nepal",
        "is a skunk in cribbage worth two wins",
        "is the eiffel tower in las vegas to scale",
        "is red velvet cake chocolate cake with red dye",  # which noun phrase ends where
        "does penalty shoot out goals count for golden boot",
        "was she the man based on twelfth night",
        "should i stay in the house",  # no auxiliary of those that have a complement
        "how does it work in france",
        "in france is it legal to park",
        "is it",
        "is",
        "",
        "can  you swim in the sea",
    ],
)
def test_unclear_questions_are_refused(nlp: Language, question: str) -> None:
    found = subject(nlp, question)
    assert found.startswith("[") or found == "she the man"


def test_many_at_once_are_answered_in_order(nlp: Language) -> None:
    questions = ["can you swim", "in france is it legal", "does a dog bark at cats"]
    together = statements(read(nlp, *questions), nlp)
    assert together == [statements(read(nlp, one), nlp)[0] for one in questions]
    assert isinstance(together[1], Refusal)


@given(
    st.lists(
        st.sampled_from("is can does has the a you cat it movie based on run never 's - x".split()),
        max_size=7,
    )
)
def test_parts_cover_the_question(nlp: Language, words: list[str]) -> None:
    text = " ".join(words)
    (parts,) = statements(read(nlp, text), nlp)
    if isinstance(parts, Parts):
        assert text[: parts.subject] == f"{parts.auxiliary} "
        assert text[parts.subject_end : parts.predicate].isspace()
        assert parts.predicate < len(text)
