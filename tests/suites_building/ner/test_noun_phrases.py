from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate.language.wordnet import WordNet
from mt_gate_suites.ner.noun_phrases import Usage, noun_phrases, same_kind


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: str) -> WordNet:
    return WordNet(wordnet_folder)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Anna bought a small house in Oslo.", [("small house", "singular", "a")]),
        ("The river flows through Vienna.", [("river", "singular", "the")]),
        ("Anna likes old houses in Oslo.", [("old houses", "plural", "bare")]),
        ("His old houses are in Oslo.", [("old houses", "plural", "the")]),
        ("The largest city was Oslo.", [("city", "singular", "the")]),
        (
            "The town has a bridge near Oslo.",
            [("town", "singular", "the"), ("bridge", "singular", "a")],
        ),
    ],
)
def test_phrases_without_determiner(
    nlp: Language, wordnet: WordNet, text: str, wanted: list[tuple[str, str, str]]
) -> None:
    found = [(p.slot.filler, p.number, p.frame) for p in noun_phrases(nlp(text), wordnet)]
    assert found == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Anna met Boris in Oslo.",  # names only
        "He met her there.",  # pronouns
        "The Oslo house was there.",  # a name beside it
        "Anna was in the city of Oslo.".replace("city of Oslo", "Oslo area"),
        "Singer Anna Weber was there.",  # says who a name is
        'Anna was in "the old house".',  # quoted
        "Anna (a singer) was there.",
        "It takes place there.",  # fixed terms
        "Anna went home.",
        "A number of them were there.",  # counts
        "It was there in 1990, two years before.",
        "It is part of Oslo.",
        "The fact that Anna was there is odd.".replace("odd", "so"),  # a clause hangs on it
    ],
)
def test_what_must_not_change(nlp: Language, wordnet: WordNet, text: str) -> None:
    assert noun_phrases(nlp(text), wordnet) == []


def test_usage_knows_what_was_seen(nlp: Language) -> None:
    usage = Usage()
    for text in ("Anna bought a small house.", "Boris has a small house.", "Anna sold houses."):
        usage.add(nlp(text))
    assert "small house" in usage.phrases()
    assert "houses" not in usage.phrases(), "seen once"
    assert usage.attested("small house", "singular", "a")
    assert usage.attested("tiny house", "singular", "a"), "its head was seen so"
    assert not usage.attested("small house", "singular", "bare")
    assert not usage.attested("small house", "plural", "a")
    assert not usage.attested("castle", "singular", "a")


@pytest.mark.parametrize(("old", "new"), [("teacher", "doctor"), ("town", "village")])
def test_the_same_kind_of_thing(wordnet: WordNet, old: str, new: str) -> None:
    assert same_kind(old, new, wordnet)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("teacher", "bridge"),
        ("village", "teacher"),
        ("brother", "sister"),  # another sex
        ("young man", "young woman"),
        ("actor", "actress"),
        ("teacher", "xqzt"),
    ],
)
def test_another_kind_of_thing(wordnet: WordNet, old: str, new: str) -> None:
    assert not same_kind(old, new, wordnet)
