"""What belongs to the whole question moves to its other end; all else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from making_questions import read
from mt_gate.domain import Block
from mt_gate_suites.boolq.adverbials.position import adverbial_position
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite

PLACES = "They live in Canada, in Montana, in Texas, in Ireland, in Japan and in Brussels."


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        # The paper's own example.
        (
            "can you turn left on red in canada",
            "in canada, can you turn left on red",
        ),
        (
            "do you have to stop at a red light when turning right",
            "when turning right, do you have to stop at a red light",
        ),
        (
            "can you carry a gun in your car in montana",
            "in montana, can you carry a gun in your car",
        ),
        ("is it legal to own a gun in texas", "in texas, is it legal to own a gun"),
        (
            "is it okay for cousins to marry in japan",
            "in japan, is it okay for cousins to marry",
        ),
        ("can you move a king backwards in chess", "in chess, can you move a king backwards"),
        (
            "is there a red light district in brussels",
            "in brussels, is there a red light district",
        ),
        ("is boxing day a holiday in canada", "in canada, is boxing day a holiday"),
        ("is payola legal in canada", "in canada, is payola legal"),
        (
            "did spain win the world cup in 2010",
            "in 2010, did spain win the world cup",
        ),
        ("can you buy alcohol in texas on sunday", "on sunday, can you buy alcohol in texas"),
        ("can i get pregnant at 52 years old", "at 52 years old, can i get pregnant"),
        ("does the dog die in season 3", "in season 3, does the dog die"),
        (
            "can you buy a gun if you are dishonorably discharged",
            "if you are dishonorably discharged, can you buy a gun",
        ),
        ("can it rain if there are no clouds", "if there are no clouds, can it rain"),
        ("do you get paid if you resign", "if you resign, do you get paid"),
        (
            "can you have more than one wife in canada",
            "in canada, can you have more than one wife",
        ),
    ],
)
def test_a_last_adverbial_moves_to_the_front(nlp: Language, question: str, follow_up: str) -> None:
    found = adverbial_position(read(nlp, question, PLACES))
    assert isinstance(found, Rewrite), found
    assert found.text == follow_up


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        ("in canada can you turn left on red", "can you turn left on red in canada"),
        ("in canada, can you turn left on red", "can you turn left on red in canada"),
        (
            "if you are born in canada are you a citizen",
            "are you a citizen if you are born in canada",
        ),
        (
            "in friends do ross and rachel end up together",
            "do ross and rachel end up together in friends",
        ),
    ],
)
def test_a_first_adverbial_moves_to_the_tail(nlp: Language, question: str, follow_up: str) -> None:
    found = adverbial_position(read(nlp, question, PLACES))
    assert isinstance(found, Rewrite), found
    assert found.text == follow_up


def test_a_title_moves_as_one(nlp: Language) -> None:
    passage = "A Walk to Remember is a film. In A Walk to Remember a girl is ill."
    question = read(nlp, "does the girl die in a walk to remember", passage, "A Walk to Remember")
    found = adverbial_position(question)
    assert isinstance(found, Rewrite)
    assert found.text == "in a walk to remember, does the girl die"


def test_what_was_copied_is_aligned(nlp: Language) -> None:
    found = adverbial_position(read(nlp, "is payola legal in canada", PLACES))
    assert found == Rewrite("in canada, is payola legal", (Block(0, 11, 15), Block(16, 0, 9)))


@pytest.mark.parametrize(
    "question",
    [
        # Nothing to move, or only what a name holds.
        "does it rain",
        "is pepper spray legal",
        # Complements and predicates.
        "is the film based on a true story",
        "is friends on netflix",
        "is new york in the new england region",
        "is he interested in music",
        "is canada still in use",
        "does density depend on the type of material",
        "can you turn left on red",
        "has canada ever participated in the olympics",
        "has canada ever been in a final",
        "do sea otters live in the pacific ocean",
        "is twitch still on the air",
        "can you put any engine in a car",
        "is there a limit on freedom of speech",
        "is there a difference in structure of the two atria",
        "does the us still have an embargo on cuba",
        # New information after a passive.
        "was the film made in ireland",
        "was the movie filmed in texas",
        # Phrases that limit a noun.
        "is houston the largest city in texas",
        "is mount fuji the tallest mountain in the world",
        "is canada a state in the united states",
        "does curry have a brother in the nba",
        "can a child born in canada get citizenship",
        # Fixed phrases.
        "is the mail still in service",
        "can you get a tattoo at any age",
        "can it hail and rain at the same time",
        "was there more than one pharaoh at a time",
        "did the queen mum buy a castle in ireland",
        "has any team won 3 championships in a row",
        "can a soccer goalie pick up a throw in",
        "do they do it in order to win",
        # The first of two phrases may be half of a name, or go with its noun.
        "is there a dodo in alice in wonderland",
        "has croatia ever won the world cup in soccer",
        # Pronouns that would come before what they stand for.
        "do bees die if they lose their stinger",
        "does tuna have a lot of mercury in it",
        "do miami dolphins have a real dolphin in their stadium",
        "do you qualify for the world cup if you host it",
        # A limit, a comparison, a count of all.
        "are there only 2 rounds in the nba draft",
        "is it safer to drive in canada than to fly",
        "does every country have an embassy in canada",
        "are driving laws the same in every state",
        # A clause that is asked, known or said.
        "do they ask if you smoke",
        "do they know when you call",
        "do cows only produce milk when they have babies",
        # The rest would point at what moved.
        "when sandy hit nj was it a hurricane",
        "if a function is not one to one does it have an inverse",
        # No yes/no question.
        "when did the lexus body style change",
        "in wikipedia it is possible to edit the text",
        "in canada",
    ],
)
def test_all_else_stays(nlp: Language, question: str) -> None:
    found = adverbial_position(read(nlp, question, PLACES))
    assert isinstance(found, Refusal), found


@pytest.mark.parametrize(
    ("question", "title", "passage"),
    [
        (
            "is there a book after the girl in the spider's web",
            "The Girl in the Spider's Web",
            "The Girl in the Spider's Web is a novel.",
        ),
        (
            "can you use oyster card at walton on thames",
            "Walton-on-Thames",
            "Trains call at Walton on Thames in Surrey.",
        ),
        ("is there a dodo in alice in wonderland", "Dodo", "The Dodo is in Alice in Wonderland."),
        ("is there a dodo in alice in wonderland", "Dodo", "The Dodo is a bird of a book."),
    ],
)
def test_names_are_not_torn_apart(nlp: Language, question: str, title: str, passage: str) -> None:
    found = adverbial_position(read(nlp, question, passage, title))
    assert isinstance(found, Refusal) or found.text.startswith("in alice in wonderland, ")


_WORDS = (
    "is are do does can has it there you the a dog gun king legal die own have to film season 3 "
    "in at on if when canada texas chess 2010 , they it's"
).split()


@given(st.lists(st.sampled_from(_WORDS), max_size=10))
def test_a_follow_up_holds_the_same_words(nlp: Language, chosen: list[str]) -> None:
    text = " ".join(chosen)
    found = adverbial_position(read(nlp, text, PLACES))
    if isinstance(found, Refusal):
        assert found.reason
        return
    assert found.text != text
    first, second = found.alignment
    assert first.source == 0
    assert first.source + first.length <= second.source
    for block in found.alignment:
        there = found.text[block.follow_up : block.follow_up + block.length]
        assert text[block.source : block.source + block.length] == there
    assert sorted(found.text.replace(",", " ").split()) == sorted(text.replace(",", " ").split())


@pytest.mark.parametrize("question", ["", "in", "can you own a gun in canada?!", "a :-"])
def test_odd_ends_lose_nothing(nlp: Language, question: str) -> None:
    assert isinstance(adverbial_position(read(nlp, question, PLACES)), Refusal)


def test_the_same_question_gives_the_same_follow_up(nlp: Language) -> None:
    question = "can you carry a gun in texas"
    found = {adverbial_position(read(nlp, question, PLACES)) for _ in range(3)}
    assert len(found) == 1
