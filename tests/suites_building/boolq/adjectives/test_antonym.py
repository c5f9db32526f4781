"""MR1-1: a yes to the question rules out a yes to the follow-up, or there is none."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.adjectives.antonym import transform
from mt_gate_suites.boolq.adjectives.antonym_table import ANTONYMS
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
        # The paper's own examples.
        (
            "is scott and sid based on a true story",
            "is scott and sid based on a fictional story",
        ),
        ("is it legal to own a handgun in england", "is it illegal to own a handgun in england"),
        ("is it possible to turn lead into gold", "is it impossible to turn lead into gold"),
        ("is it true that kangaroos can swim", "is it false that kangaroos can swim"),
        ("is the movie chicago a true story", "is the movie chicago a fictional story"),
        ("the red violin is it a true story", "the red violin is it a made-up story"),
        ("is rosewood a real place", "is rosewood a fictional place"),
        ("is a tablespoon bigger than a cup", "is a tablespoon smaller than a cup"),
        (
            "is the blue whale the largest animal in the world",
            "is the blue whale the smallest animal in the world",
        ),
        ("is this the last season of grimm", "is this the first season of grimm"),
        ("is the palace open to the public", "is the palace closed to the public"),
        # What is closed is not still closed.
        ("is the ice cream parlor still open", "is the ice cream parlor closed"),
        ("is the old man still alive", "is the old man dead"),
        # The article follows.
        ("is a passport a valid form of id", "is a passport an invalid form of id"),
        ("is it an effective treatment", "is it an ineffective treatment"),
        # The preposition follows.
        ("is tax included in the price", "is tax excluded from the price"),
        # Participles that say what something is.
        ("are you allowed to smoke in prison", "are you forbidden to smoke in prison"),
        ("is a visa required for iran", "is a visa optional for iran"),
        ("was kentucky a southern state in the war", "was kentucky a northern state in the war"),
    ],
)
def test_the_asserted_adjective_is_turned(
    nlp: Language, wordnet: WordNet, question: str, wanted: str
) -> None:
    found = made(nlp, wordnet, question, "It is a true story.")
    assert isinstance(found, Rewrite)
    assert found.text == wanted


@pytest.mark.parametrize(
    "question",
    [
        # Existential: there are both.
        "is there a real place called rosewood",
        "are there poisonous snakes in ireland",
        # No form of be.
        "can a tight hat give you a headache",
        "does a true story sell better",
        "is season 7 the last season of grimm",
        # In the subject.
        "is the old bridge still standing",
        "is a cold shower a punishment",
        "is hot water used in it",
        # Room is left for the opposite.
        "is it ever legal to run a red light",
        "is polygamy legal in any state",
        "are any of the singers still alive",
        "is anyone still alive from the cast",
        "is the story partly true",
        "is the film loosely based on a true story",
        "is it not legal to smoke",
        "is a cup as big as a mug",
        "is milk more expensive than water",
        "is one eye always bigger than the other",
        # Against its own opposite.
        "is it true or false that fish sleep",
        "is it legal or illegal to smoke",
        "is one suit higher than another",
        "is the school regionally accredited",
        # A person is not optional.
        "are you required by law to vote",
        # What cools is no warmer.
        "is it a wine cooler",
        # Second in a row, one of many.
        "is leeds the 3rd largest city in england",
        "is chicago the second largest city",
        "is everest one of the highest mountains",
        "is the final best of 7",
        # No antonym in the sense at hand.
        "is 0 a real number",
        "is a tomato a true bug",
        "is a cup saltier than a mug",
        "is anna allergic to cats",
        "is the ball dead on a fly",
        "is good friday a public holiday",
        "is the isle of man pound legal tender",
        "is the phone backwards compatible with the charger",
        "is chewing gum red",
        "",
        "is",
        "is it",
    ],
)
def test_unsure_is_not_applicable(nlp: Language, wordnet: WordNet, question: str) -> None:
    assert isinstance(made(nlp, wordnet, question), Refusal)


@pytest.mark.parametrize(
    ("question", "passage", "title"),
    [
        ("is true detective a series", "True Detective is a series.", "True Detective"),
        ("is anna in the biggest loser", "Anna won The Biggest Loser.", "The Biggest Loser"),
        ("is it a public school", "It is one.", "Public school (United Kingdom)"),
        ("is it a strong acid", "A strong acid is strong. A strong acid burns.", "Acid"),
    ],
)
def test_names_titles_and_terms_stay(
    nlp: Language, wordnet: WordNet, question: str, passage: str, title: str
) -> None:
    assert isinstance(made(nlp, wordnet, question, passage, title), Refusal)


def test_the_table_never_gives_a_word_back() -> None:
    assert all(
        old not in entry.new.split("/") for old, entries in ANTONYMS.items() for entry in entries
    )


@pytest.mark.parametrize("story", ["is it a true story", "is rosewood a real place"])
def test_what_is_real_or_invented_needs_a_passage_that_says_so(
    nlp: Language, wordnet: WordNet, story: str
) -> None:
    plain = made(nlp, wordnet, story, "It is a novel.")
    assert isinstance(plain, Rewrite)
    for passage in ("It was filmed in 2010.", "A novel that is loosely based on a true story."):
        assert made(nlp, wordnet, story, passage) == Refusal("not-borne-out")


_WORDS = st.sampled_from(
    "is are was it the a an same different as from legal true story real last season largest city "
    "still open alive company things bigger than in and".split()
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_WORDS, max_size=9))
def test_blocks_hold_the_same_text(nlp: Language, wordnet: WordNet, chosen: list[str]) -> None:
    question = " ".join(chosen)
    found = made(nlp, wordnet, question)
    if isinstance(found, Refusal):
        return
    assert found.text != question
    assert "  " not in found.text
    ends = 0
    for block in found.alignment:
        assert block.follow_up >= ends
        ends = block.follow_up + block.length
        assert question[block.source :][: block.length] == found.text[block.follow_up : ends]
