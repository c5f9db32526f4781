"""Places of adjectives in questions, and what a table lets stand there."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read, word
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives.slots import (
    ANY,
    AdjectiveEntry,
    is_adjective,
    is_term,
    next_word,
    noun_after,
    partner,
    rewritten,
    stands_alone,
)
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


@pytest.mark.parametrize(
    ("question", "adjective", "alone", "noun"),
    [
        ("is it legal to own a gun", "legal", True, None),
        ("is the sky blue", "blue", True, None),
        ("is it the largest in the world", "largest", True, None),
        ("is season 7 the last", "last", True, None),
        ("is oz a real place", "real", False, "place"),
        ("is it the largest city in utah", "largest", False, "city"),
        ("is it the first halo game", "first", False, "game"),
        ("is it a big red house", "big", False, "house"),
        ("is it as old as rome", "old", False, None),
        ("is the poor still there", "poor", False, None),
    ],
)
def test_where_an_adjective_stands(
    nlp: Language, question: str, adjective: str, alone: bool, noun: str | None
) -> None:
    token = word(read(nlp, question).doc, adjective)
    assert stands_alone(token) == alone
    found = noun_after(token)
    assert (found and found.text) == noun


def test_the_question_mark_follows_the_last_word(nlp: Language) -> None:
    doc = read(nlp, "is the sky blue").doc
    assert [next_word(token) for token in doc] == ["the", "sky", "blue", "?", "?"]


def test_adjectives_of_names_are_none(nlp: Language) -> None:
    passage = "Metallica wrote The Black Album in 1991."
    question = read(nlp, "is the black album a good record", passage, "The Black Album")
    adjectives = [token.text for token in question.doc if is_adjective(question, token)]
    assert adjectives == ["good"]


TRUE = AdjectiveEntry(
    "false", frozenset({"that", "?"}), frozenset({"story"}), unless=frozenset({"colors"})
)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("is it true that cats see", "false"),
        ("is this true", "false"),
        ("is it a true story", "false"),
        ("are these true stories", "false"),
        ("is it a true colour", None),
        ("is it true to life", None),
        ("is true colors a true story", None),
    ],
)
def test_a_table_says_where_a_partner_stands(
    nlp: Language, question: str, wanted: str | None
) -> None:
    asked = read(nlp, question)
    last = [token for token in asked.doc if token.lower_ == "true"][-1]
    assert partner(asked, last, [TRUE]) == wanted


def test_any_allows_all_and_the_first_entry_that_fits_counts(nlp: Language) -> None:
    asked = read(nlp, "is it a true colour")
    token = word(asked.doc, "true")
    entries = [TRUE, AdjectiveEntry("untrue", ANY, ANY), AdjectiveEntry("wrong", ANY, ANY)]
    assert partner(asked, token, entries) == "untrue"
    assert partner(asked, token, []) is None


@pytest.mark.parametrize(
    ("question", "adjective", "passage", "title", "term"),
    [
        ("is it real estate", "real", "", "", True),
        ("is it a public school", "public", "", "Public school (England)", True),
        ("is it a strong acid", "strong", "A strong acid burns. No strong acid helps.", "", True),
        ("is it a strong acid", "strong", "A strong acid burns.", "", False),
        ("is it a real place", "real", "", "Oz (fictional place)", False),
        ("is it real", "real", "", "Real estate", False),
    ],
)
def test_terms(
    nlp: Language, wordnet_folder: str, question: str, adjective: str, passage: str, title: str,
    term: bool,
) -> None:  # fmt: skip
    asked = read(nlp, question, passage, title)
    assert is_term(asked, word(asked.doc, adjective), WordNet(wordnet_folder)) == term


@pytest.mark.parametrize(
    ("question", "old", "new", "wanted"),
    [
        ("is it a legal act", "legal", "illegal", "is it an illegal act"),
        ("is it an open door", "open", "closed", "is it a closed door"),
        ("is it a true story", "true", "false", "is it a false story"),
        ("is it legal", "legal", "illegal", "is it illegal"),
        ("is it an true story", "true", "open", None),
        ("is it a open door", "open", "closed", None),
    ],
)
def test_articles_follow_their_word(
    nlp: Language, question: str, old: str, new: str, wanted: str | None
) -> None:
    start = question.index(old)
    made = rewritten(read(nlp, question), [(start, start + len(old), new)])
    if wanted is None:
        assert made == Refusal("article-unclear")
    else:
        assert isinstance(made, Rewrite)
        assert made.text == wanted
