"""Passages with clauses of the other voice."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate.building.boolq.voice_change import VoiceChange, voice_change
from mt_gate.building.rewrite import Refusal


def change(nlp: Language, passage: str) -> str | None:
    """Return the follow-up passage after a check of its alignment; None for a refusal."""
    found = voice_change(nlp(passage))
    if isinstance(found, Refusal):
        assert found.reason == "no-convertible-clause"
        return None
    rewrite = found.rewrite
    for block in rewrite.alignment:
        source = passage[block.source : block.source + block.length]
        copy = rewrite.text[block.follow_up : block.follow_up + block.length]
        assert source.lower() == copy.lower()
    return rewrite.text


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (
            "The company now uses the SSE brand throughout the UK.",
            "The SSE brand is now used by the company throughout the UK.",
        ),
        (
            "On May 8, 2015, NBC canceled the series after only one season.",
            "On May 8, 2015, the series was canceled by NBC after only one season.",
        ),
        (
            "The president can sign the treaty in 2020.",
            "The treaty can be signed by the president in 2020.",
        ),
        (
            "The committee has approved the plan.",
            "The plan has been approved by the committee.",
        ),
        (
            "In May 2014, NBC cancelled the series.",
            "In May 2014, the series was cancelled by NBC.",
        ),
        ("Thomas killed him in 1990.", "He was killed by Thomas in 1990."),
    ],
)
def test_active_clauses_turn_passive(nlp: Language, passage: str, expected: str) -> None:
    assert change(nlp, passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (
            "The screenplay was written by Harold Pinter.",
            "Harold Pinter wrote the screenplay.",
        ),
        (
            "The brand is now used by the company throughout the UK.",
            "The company now uses the brand throughout the UK.",
        ),
        (
            "The film was released in 2010 by Sony Pictures.",
            "Sony Pictures released the film in 2010.",
        ),
        (
            "It was written and directed by John Carpenter.",
            "John Carpenter wrote and directed it.",
        ),
    ],
)
def test_passive_clauses_turn_active(nlp: Language, passage: str, expected: str) -> None:
    assert change(nlp, passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (
            "Get Out is a 2017 American horror film written and directed by Jordan Peele.",
            "Get Out is a 2017 American horror film that Jordan Peele wrote and directed.",
        ),
        (
            "Tully is a 2018 drama film directed by Jason Reitman and written by Diablo Cody.",
            "Tully is a 2018 drama film that Jason Reitman directed and Diablo Cody wrote.",
        ),
        (
            "The first film was Iron Man, which was distributed by Paramount Pictures.",
            "The first film was Iron Man, which Paramount Pictures distributed.",
        ),
    ],
)
def test_passive_relative_clauses_turn_active(nlp: Language, passage: str, expected: str) -> None:
    assert change(nlp, passage) == expected


@pytest.mark.parametrize(
    "passage",
    [
        "The company makes and sells the cars.",
        "The company sold its assets in 2010.",
        "He hurt himself in the accident.",
        "The house has a large garden.",
        "The event took place in Paris.",
        "The company did not use the brand.",
        "All members signed no treaty.",
        "You can use the card in London.",
        "The company used the brand, making it famous.",
        "The company used the brand to reach the public.",
        "The company gave the workers a bonus.",
        "Google Drive offers users 15 gigabytes of storage.",
        "The road was built by 2010.",
        "The bread is produced by baking the dough.",
        "The cells were destroyed by fire.",
        "The film was directed by Ann Lee and stars Bob Roy.",
        "Cats sleep all day.",
        "The Braves won 95 games and lost 59.",
        "The film, called ``The Company (of Wolves)'', is good.",
        "The law (the king signed the law in 1990) is old.",
        "",
    ],
)
def test_what_is_unsure_is_left(nlp: Language, passage: str) -> None:
    assert change(nlp, passage) is None


@pytest.mark.parametrize(
    "passage",
    [
        "A Star Is Born is an upcoming film directed by Bradley Cooper.",
        "It is a film directed by Ann Lee and starring Bob Roy.",
        "It is a film directed by Ann Lee that was shot in Rome.",
        "They made a sequel, both films produced by Ann Lee.",
        "He is a man killed by John Smith.",
        "It is a fuel formed by natural processes.",
    ],
)
def test_relative_clauses_that_go_on_are_left(nlp: Language, passage: str) -> None:
    assert change(nlp, passage) is None


def test_a_pronoun_that_follows_keeps_what_it_points_at(nlp: Language) -> None:
    assert change(nlp, "The company bought the firm in 2010. It then sold the land.") is None


def test_other_sentences_stay(nlp: Language) -> None:
    passage = "Rain is wet. The screenplay was written by Harold Pinter. Snow is cold."
    expected = "Rain is wet. Harold Pinter wrote the screenplay. Snow is cold."
    assert change(nlp, passage) == expected


def test_clauses_are_counted_and_capped(nlp: Language) -> None:
    doc = nlp("The script was written by Harold Pinter. The score was composed by Mark Snow.")
    both, one = voice_change(doc), voice_change(doc, at_most=1)
    assert isinstance(both, VoiceChange)
    assert isinstance(one, VoiceChange)
    assert (both.turned, one.turned) == (2, 1)
    assert one.rewrite.text == (
        "Harold Pinter wrote the script. The score was composed by Mark Snow."
    )


def test_the_same_passage_gives_the_same(nlp: Language) -> None:
    passage = "The company now uses the SSE brand throughout the UK."
    assert voice_change(nlp(passage)) == voice_change(nlp(passage))
