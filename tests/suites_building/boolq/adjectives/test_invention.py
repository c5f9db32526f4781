"""A passage says that something happened, or that it was made up, or neither."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adjectives.invention import says_which


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("The film tells the true story of two boys.", True),
        ("It is a biographical film.", True),
        ("It is based on a memoir, a work of non-fiction.", True),
        ("It is a fictional account.", True),
        ("It is based on the novel by Ann Lee.", True),
        ("The film was released in 2010.", False),
        ("It is a novel about real events.", False),
        ("It is loosely based on a true story.", False),
        ("It is a fictionalized account.", False),
        ("It is a quasi-biographical film.", False),
        ("Towns in Oregon stood in for the fictional town of Rock.", False),
        ("The true story inspired a song.", False),
        ("The actors split up in real life.", False),
        ("The promotion had a fictional television special.", False),
    ],
)
def test_what_a_passage_says(nlp: Language, passage: str, said: bool) -> None:
    assert says_which(read(nlp, "is it a true story", passage)) == said


def test_a_title_says_nothing_and_a_place_is_as_invented_as_it_is_said_to_be(nlp: Language) -> None:
    title = "Pulp Fiction (film)"
    asked = "is pulp fiction a true story"
    assert not says_which(read(nlp, asked, "Pulp Fiction was shot in 1993.", title))
    assert says_which(read(nlp, asked, "Pulp Fiction is a work of fiction.", title))
    assert says_which(read(nlp, "is rock a real place", "Rock is a fictional town in Oregon."))
    novel = "is the book perfume based on a true story"
    assert not says_which(read(nlp, novel, "Perfume is a fantasy novel."))
