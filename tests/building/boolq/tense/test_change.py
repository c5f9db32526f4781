"""Tenses change only where what is asked of happens once."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from making_questions import read
from mt_gate.building.boolq.tense.change import tense_change
from mt_gate.building.rewrite import Refusal, Rewrite

_FILM = "Gone is a 1990 American comedy film. It stars Joe Bloggs."


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        ("will there be a fifth season of mom", "has there ever been a fifth season of mom"),
        ("is there going to be a season 3 of rome", "has there ever been a season 3 of rome"),
        ("will there ever be a 7th season of skam", "has there ever been a 7th season of skam"),
        ("will the flash get a second season", "has the flash ever gotten a second season"),
        ("are they going to make a season 2 of it", "have they ever made a season 2 of it"),
        ("did the titanic sink on its maiden voyage", "will the titanic sink on its maiden voyage"),
        ("did england host the world cup in 1966", "will england host the world cup in 1966"),
        ("did kaka play in the 2002 world cup", "will kaka play in the 2002 world cup"),
        ("did sam wrote the declaration", "will sam write the declaration"),
        ("did rock band come out before guitar hero", "will rock band come out before guitar hero"),
        (
            "did mel gibson won an oscar for braveheart",
            "will mel gibson win an oscar for braveheart",
        ),
        ("has the long exile of the archbishop ended", "will the long exile of the archbishop end"),
        ("has season 5 of the flash come out", "will season 5 of the flash come out"),
        ("have both parts of the titanic been found", "will both parts of the titanic be found"),
    ],
)
def test_what_happens_once_changes_tense(nlp: Language, question: str, follow_up: str) -> None:
    rewrite = tense_change(read(nlp, question))
    assert isinstance(rewrite, Rewrite)
    assert rewrite.text == follow_up


@pytest.mark.parametrize(
    "question",
    [
        "did england win the world cup",
        "did ireland ever win the soccer world cup",
        "did houston used to be the capital of texas",
        "did anyone from the 1980 us hockey team play in the nhl",
        "did eric clapton play while my guitar gently weeps",
        "did john write songs for the band",
        "did all of the hotshots die",
        "did ross and rachel get together in friends",
        "did the king die before he was crowned",
        "didn't the titanic sink",
        "has a team ever won back to back super bowls",
        "has anyone died at the kentucky derby",
        "have the dallas stars won a stanley cup",
        "has there been a season 3 of rome",
        "has it not ended",
        "have human remains been found in the tar pits",
        "will there be another season of rome",
        "will there be a new season of rome",
        "will there be any more tinker bell movies",
        "will there be a first season of rome",
        "will there be a total solar eclipse in oklahoma",
        "will the durrells have a season 3",
        "will a straight talk phone work with tracfone",
        "will vinegar kill weeds",
        "will private eyes be renewed for season 3",
        "will there be a uk general election in 2018",
        "are there going to be more riddick movies",
        "is italy going to the world cup 2018",
        "did they have planes in world war 1",
        "did it rain in the 60s",
        "is the sky blue",
        "was the dog black",
    ],
)
def test_what_may_hold_twice_is_refused(nlp: Language, question: str) -> None:
    assert isinstance(tense_change(read(nlp, question)), Refusal)


@pytest.mark.parametrize(
    ("question", "title", "passage"),
    [
        ("did rita die", "Rita Bennett", "Rita Bennett is a fictional character."),
        ("did han survive the battle of the sky", "Sky (film)", "It is fought at night."),
        ("did joe die in gone", "Gone (film)", _FILM),
    ],
)
def test_stories_have_no_tense(nlp: Language, question: str, title: str, passage: str) -> None:
    assert tense_change(read(nlp, question, passage, title)) == Refusal("no-single-event")


@pytest.mark.parametrize(
    ("question", "follow_up"),
    [
        ("did joe bloggs sing in gone", "will joe bloggs sing in gone"),
        ("did gone win an oscar", "will gone win an oscar"),
    ],
)
def test_a_film_is_finished(nlp: Language, question: str, follow_up: str) -> None:
    rewrite = tense_change(read(nlp, question, _FILM, "Gone (film)"))
    assert isinstance(rewrite, Rewrite)
    assert rewrite.text == follow_up
    assert isinstance(tense_change(read(nlp, question, "He sings.", "Joe Bloggs")), Refusal)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "will there be a season 3 of rome has have did die been found they make in 1966".split()
        ),
        min_size=1,
        max_size=9,
    )
)
def test_blocks_are_equal_text(nlp: Language, words: list[str]) -> None:
    question = " ".join(words)
    rewrite = tense_change(read(nlp, question))
    if isinstance(rewrite, Rewrite):
        for source, follow_up, length in rewrite.alignment:
            assert (
                question[source : source + length] == rewrite.text[follow_up : follow_up + length]
            )
        assert rewrite.text != question
