"""What kind of thing a name names, or that it is unsure."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.re.entities.names import LABELS, MAX_WORDS, name_kind


def kind(nlp: Language, text: str, words: str, label: str) -> str:
    start = text.index(words)
    span = nlp(text).char_span(start, start + len(words), label=label)
    assert span is not None
    assert label in LABELS
    return name_kind(span)


@pytest.mark.parametrize(
    ("text", "words", "label", "wanted"),
    [
        ("John Smith left Oslo.", "John Smith", "PERSON", "PERSON"),
        ("He taught at Stanford University.", "Stanford University", "ORG", "ORGANIZATION"),
        ("He works for Microsoft.", "Microsoft", "ORG", "ORGANIZATION"),
        ("He left San Francisco.", "San Francisco", "GPE", "CITY"),
        ("He left California.", "California", "GPE", "STATE_OR_PROVINCE"),
        ("He left France.", "France", "GPE", "COUNTRY"),
        ("He left Holland, Michigan.", "Holland", "GPE", "CITY"),
        ("He crossed the Pacific Ocean.", "Pacific Ocean", "LOC", "LOCATION"),
        ("He crossed the Tower Bridge.", "Tower Bridge", "FAC", "FACILITY"),
        ("He saw the World Cup.", "World Cup", "EVENT", "EVENT"),
        ("The French poet left.", "French", "NORP", "NATIONALITY"),
        ("The Catholic poet left.", "Catholic", "NORP", "RELIGION"),
        ("The Republican governor left.", "Republican", "NORP", "IDEOLOGY"),
        ("He wrote it in French.", "French", "LANGUAGE", "LANGUAGE"),
        ('He wrote "Cold Snow" in May.', "Cold Snow", "WORK_OF_ART", "WORK_OF_ART"),
    ],
)
def test_kinds(nlp: Language, text: str, words: str, label: str, wanted: str) -> None:
    assert kind(nlp, text, words, label) == wanted


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("He saw the Smith house.", "Smith", "PERSON"),
        ("Weather Report left Oslo.", "Weather Report", "PERSON"),
        ("He left Gondor.", "Gondor", "GPE"),
        ("Regina left the house.", "Regina", "GPE"),
        ("He works for Grimble.", "Grimble", "ORG"),
        ("The CEO left.", "CEO", "ORG"),
        ("He plays American football.", "American", "NORP"),
        ("He wrote Cold Snow in May.", "Cold Snow", "WORK_OF_ART"),
        ("He took the Oslo-Bergen train.", "Oslo", "GPE"),
        ("He left the term Paris.", "Paris", "GPE"),
        # A city, or a person of the sentence, or of another: Charlotte, Florence, Houston.
        ("He wrote to Florence in May.", "Florence", "GPE"),
        ("Charlotte left the house.", "Charlotte", "GPE"),
        ("Whitney Houston sang, and Houston smiled.", "Houston", "GPE"),
        ("He bought it from Fundex Games in May.", "Fundex Games", "EVENT"),
        ("They fought in the Gears of War series.", "Gears of War", "EVENT"),
        ("He conducted Beethoven's Ninth Symphony.", "Ninth Symphony", "ORG"),
        ("He took Henderson with him to Oslo.", "Henderson", "GPE"),
        ("Tower House is a 1972 horror film.", "Tower House", "FAC"),
        ("The Amazon warriors left.", "Amazon", "LOC"),
        ('A man called "Cold Snow" left his house in May.', "Cold Snow", "WORK_OF_ART"),
    ],
)
def test_unsure(nlp: Language, text: str, words: str, label: str) -> None:
    assert kind(nlp, text, words, label) == ""


def test_long_names_are_unsure(nlp: Language) -> None:
    name = " ".join(["North"] * MAX_WORDS) + " University"
    assert kind(nlp, f"He left {name}.", name, "ORG") == ""
