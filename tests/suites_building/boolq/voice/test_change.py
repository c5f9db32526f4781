"""Passages with clauses of the other voice."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.boolq.question import QuestionText
from mt_gate_suites.boolq.voice.change import VoiceChange, voice_change
from mt_gate_suites.grammar.rewrite import Refusal


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
        "Chinatown is a film, directed by Roman Polanski, starring Jack Nicholson.",
        "Destiny 2 is a game developed by Bungie and published by Activision.",
        "It is a film directed by Ann Lee. It is a comedy.",
        "It is a film directed by Ann Lee that was shot in Rome.",
        "They made a sequel, both films produced by Ann Lee.",
        "He is a man killed by John Smith.",
        "It is a fuel formed by natural processes.",
    ],
)
def test_relative_clauses_that_go_on_are_left(nlp: Language, passage: str) -> None:
    assert change(nlp, passage) is None


@pytest.mark.parametrize(
    "passage",
    [
        # Two clauses under one pronoun, where an agent is a list or a verb is a pair.
        "It is a 2018 drama film directed by Andy Tennant and written by Gary Kanew and Ann Lee.",
        "It is a drama film written and directed by Jason Reitman and produced by Diablo Cody.",
        # A participle that may speak of now.
        "The title is a championship created and promoted by the American company WWE.",
        "They built the stadium on land owned by the State of New Jersey.",
        # A pronoun, or another relative clause, behind the agent.
        "The Insight is a car that was manufactured by Honda in its first generation.",
        "The gun is an American submachine gun, invented by John Thompson, that became famous.",
        # A second participle that the parser hangs elsewhere.
        "It is a song written by John Denver in 1966 and most famously recorded by Peter Paul.",
        # A thing known by its name, or one of several things.
        "It is the first film in the High School Musical trilogy directed by Kenny Ortega.",
        "They are the second installments of a series of games, developed by Game Freak.",
        "It is a game based on the comic book series developed by Telltale Games.",
        "The film was shot in Rome, with the music composed by John Powell.",
        # An agent that does not open a clause well.
        "It is a book with pictures drawn by a trained artist.",
        "The end came in 2016, which was confirmed by showrunner Marlene King.",
    ],
)
def test_relative_clauses_that_would_read_worse_are_left(nlp: Language, passage: str) -> None:
    assert change(nlp, passage) is None


@pytest.mark.parametrize(
    "passage",
    [
        # Sense that hangs on the voice.
        "The mile was first run by Roger Bannister in 1954.",
        "It was first achieved by Roger Bannister in 1954.",
        "The tape is mostly used by electricians.",
        "Two books have been published by Penguin Books.",
        # A second verb, a contrast, a relative clause behind the clause.
        "The species was described by Carl Linnaeus in 1753, and was described again in 1768.",
        "Congress may establish the age for federal elections, but not for local elections.",
        "In 2017, Ford introduced the car to the range, which was a truck.",
        # What belongs together.
        "The United States has maintained the air bases in Spain.",
        "Writer Donald Glut named the girl after an elephant.",
        "The network announced the renewal for a second season.",
        "The exteriors were supplied by the Timberline Lodge on the slopes of the mountain.",
        "The singing voice for the hero was provided by Ann Lee for the songs.",
        # Agents that do not act, prizes, numerals, heavy openings.
        "The location honours the life of Tim Horton.",
        "The manga won the Best Manga award in 2016.",
        "The Soviet Union represented 15 Socialist republics.",
        "The new car used the frame that had been developed on the old one.",
        "The adapter supports the old controllers.",
        # Pronouns that would point at another.
        "The resort is a part of Disney. It was operated by Walt Disney World Company.",
        "Blue is a girl. She is voiced by Koyalee Chanda.",
        "Ann Lee sang the song. Bob Roy portrayed her in 1990.",
        # A full stop that is an abbreviation's.
        "The season was produced by Rhode Island Ave. Productions helped.",
    ],
)
def test_clauses_that_would_read_worse_are_left(nlp: Language, passage: str) -> None:
    assert change(nlp, passage) is None


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (
            "ABC canceled the show after one season.",
            "The show was canceled by ABC after one season.",
        ),
        (
            "On May 11, 2016, CBS renewed the series for a fifth season.",
            "On May 11, 2016, the series was renewed by CBS for a fifth season.",
        ),
        (
            "The Home Park was won by the crown. The series was created by Ann Lee.",
            "The Home Park was won by the crown. Ann Lee created the series.",
        ),
        (
            "In 2008, Vijay Singh won the championship.",
            "In 2008, the championship was won by Vijay Singh.",
        ),
        (
            "It is a game developed and published by Bungie.",
            "It is a game that Bungie developed and published.",
        ),
    ],
)
def test_plain_clauses_still_turn(nlp: Language, passage: str, expected: str) -> None:
    assert change(nlp, passage) == expected


@pytest.mark.parametrize(
    ("passage", "expected"),
    [
        (
            "The law is enforced by the Firearms and Explosives Division.",
            None,
        ),
        (
            "The brain is protected by the skull, while the cord is protected by the vertebrae.",
            "The skull protects the brain, while the cord is protected by the vertebrae.",
        ),
    ],
)
def test_open_numbers_are_left(nlp: Language, passage: str, expected: str | None) -> None:
    assert change(nlp, passage) == expected


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


_STRAIN = (
    "The Strain is a drama created by Ann Lee. On August 6, 2014, FX renewed The Strain for a"
    " second season. Rain fell."
)


def test_only_clauses_that_bear_on_the_answer_are_turned(nlp: Language) -> None:
    title = "The Strain (TV series)"
    asked = QuestionText("will there be a season 4 of the strain", _STRAIN, title)
    found = voice_change(nlp(_STRAIN), asked)
    assert isinstance(found, VoiceChange)
    assert found.turned == 1
    assert "The Strain was renewed by FX" in found.rewrite.text
    asked = QuestionText("is the strain based on a true story", _STRAIN, title)
    assert isinstance(voice_change(nlp(_STRAIN), asked), Refusal)
