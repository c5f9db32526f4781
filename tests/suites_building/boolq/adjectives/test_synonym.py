"""MR2-1: adjectives say the same in another word where a table has one for their place."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives.synonym import transform
from mt_gate_suites.boolq.adjectives.synonym_table import SYNONYMS
from mt_gate_suites.boolq.question import QuestionText, read_questions
from mt_gate_suites.boolq.transformation import QuestionResources
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: str) -> WordNet:
    return WordNet(wordnet_folder)


def made(
    nlp: Language, wordnet: WordNet, question: str, passage: str = "", title: str = ""
) -> Rewrite | Refusal:
    read = next(read_questions([QuestionText(question, passage, title)], nlp, wordnet.is_name))
    return transform(read, QuestionResources(nlp, wordnet))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        # The paper's own example; "taut", which it puts there, is not said of hats.
        (
            "can a tight hat give you a headache",
            "can a close-fitting hat give you a headache",
        ),
        ("is it legal to own a handgun", "is it lawful to own a handgun"),
        ("is the film based on a true story", "is the film based on a real-life story"),
        ("is rosewood a real place", "is rosewood an actual place"),
        ("is rosewood an actual place", "is rosewood a real place"),
        ("is any of the singers still alive", "is any of the singers still living"),
        ("is season 7 the last season of it", "is season 7 the final season of it"),
        ("is a tablespoon bigger than a cup", "is a tablespoon larger than a cup"),
        # Every one of them.
        (
            "is it the biggest city in the whole world",
            "is it the largest city in the entire world",
        ),
        # What has no synonym there stays.
        ("is it legal to own a fluffy red cat", "is it lawful to own a fluffy red cat"),
        ("is oslo the only city with trams", "is oslo the sole city with trams"),
        ("are you allowed to fish there", "are you permitted to fish there"),
        ("is rush hour connected to it", "is rush hour linked to it"),
        ("is the museum free in winter", "is the museum free of charge in winter"),
        # Of two partners a question has one, by its digest.
        ("is it illegal to fish", "is it against the law to fish"),
        ("is it illegal to swim", "is it unlawful to swim"),
    ],
)
def test_adjectives_give_way_to_synonyms(
    nlp: Language, wordnet: WordNet, question: str, wanted: str
) -> None:
    found = made(nlp, wordnet, question)
    assert isinstance(found, Rewrite)
    assert found.text == wanted


@pytest.mark.parametrize(
    "question",
    [
        "are a cup and a mug the same",
        "is the movie chicago a true story",
        "are airsoft guns legal in canada",
        # The only child is no sole child; the only bugs are several.
        "is anna the only child",
        "are fireflies the only bugs that light up",
        "is the number toll free in canada",
        "is it required to pay",
        # Not the side.
        "do you stop when turning right",
        # No synonym in the sense at hand.
        "is 0 a real number",
        "is she dead tired",
        "is the ball dead on a fly",
        "does it happen in real life",
        "is the isle of man pound legal tender",
        "is a poodle a large breed dog",
        # The last one played, not the last of all.
        "did they win any games last season",
        "was anna in the last movie",
        # Compared, denied or set against another.
        "is a cup as big as a mug",
        "is it true or false that fish sleep",
        "is it not legal to smoke",
        "is it more dangerous to swim",
        # Only counting words, colours, origins.
        "are they making a second season",
        "is a tomato red",
        "is it a french film",
        "do cats sleep",
        "is twix the same company as mars",
        "",
    ],
)
def test_unsure_is_not_applicable(nlp: Language, wordnet: WordNet, question: str) -> None:
    assert isinstance(made(nlp, wordnet, question), Refusal)


@pytest.mark.parametrize(
    ("question", "passage", "title"),
    [
        ("is true grit a film", "True Grit is a film.", "True Grit (film)"),
        ("did anna win the biggest loser", "Anna won The Biggest Loser.", "The Biggest Loser"),
        ("does he live in high school", "It is a school.", ""),
        ("is it a big ship", "A big ship is long. A big ship is loud.", ""),
        ("is it a real school", "It is one.", "Real school"),
        # Of names nothing is identical.
        ("is oslo the same as bergen", "He saw Oslo and then Bergen.", ""),
        # What a game forbids is not unlawful.
        ("is it illegal to play zone", "A referee in the NBA may call it.", ""),
    ],
)
def test_names_titles_and_terms_stay(
    nlp: Language, wordnet: WordNet, question: str, passage: str, title: str
) -> None:
    assert isinstance(made(nlp, wordnet, question, passage, title), Refusal)


def test_the_table_never_gives_a_word_back() -> None:
    assert all(
        old not in entry.new.split("/") for old, entries in SYNONYMS.items() for entry in entries
    )


_WORDS = st.sampled_from(
    "is are was it the a an same as legal true story real last season largest city whole "
    "still alive place bigger than in and".split()
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_WORDS, max_size=9))
def test_blocks_hold_the_same_text(nlp: Language, wordnet: WordNet, chosen: list[str]) -> None:
    question = " ".join(chosen)
    found = made(nlp, wordnet, question)
    if isinstance(found, Refusal):
        return
    assert found.text != question
    ends = 0
    for block in found.alignment:
        assert block.follow_up >= ends
        ends = block.follow_up + block.length
        assert question[block.source :][: block.length] == found.text[block.follow_up : ends]
