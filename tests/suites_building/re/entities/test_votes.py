"""What kind of thing a name is in all sentences of a build."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.re.entities.votes import Votes

SENTENCES = (
    "Barack Obama was born in Hawaii.",
    "Barack Obama married Michelle Robinson.",
    "He lives in Boston with his wife.",
    "She moved to Boston in May.",
)


@pytest.fixture(scope="module")
def votes(nlp: Language) -> Votes:
    return Votes.of(nlp.pipe(SENTENCES))


@pytest.mark.parametrize(
    ("kind", "words", "agreed"),
    [
        ("PERSON", "Barack Obama", True),
        ("ORGANIZATION", "Barack Obama", False),
        ("CITY", "Boston", True),
        ("LOCATION", "Boston", True),  # of one class: where exactly is another question
        ("PERSON", "Boston", False),
        ("DATE", "Boston", True),  # not voted on
        ("PERSON", "Nobody Known", True),
    ],
)
def test_most_mentions_decide(votes: Votes, kind: str, words: str, agreed: bool) -> None:
    assert votes.agree(kind, words) is agreed


def test_a_corpus_and_the_pipeline_agree_on_a_person_whom_no_word_tells() -> None:
    votes = Votes({"Zorbla": {"a person for the pipeline alone": 2}})
    assert not votes.agree("PERSON", "Zorbla")
    assert votes.agree("PERSON", "Zorbla", given=True)
    assert not votes.agree("CITY", "Zorbla", given=True)


def test_without_votes_all_is_agreed_to() -> None:
    assert Votes({}).agree("PERSON", "Boston")
