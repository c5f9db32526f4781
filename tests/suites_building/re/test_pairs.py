"""Pairs of a sentence that become sources: the marked ones, then others that schemes have."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.re.entities import Votes
from mt_gate_suites.re.pairs import has_third, make_samples
from mt_gate_suites.re.sample import Sample
from mt_gate_suites.re.sources import GivenPair, MarkedSentence

TEXT = "Barack Obama was born in Honolulu and married Michelle Robinson in Chicago."


def marked_pair(name: str, head: str, tail: str, kinds: tuple[str, str] = ("", "")) -> GivenPair:
    places = (TEXT.index(head), TEXT.index(tail))
    one = Argument(places[0], places[0] + len(head), kinds[0])
    other = Argument(places[1], places[1] + len(tail), kinds[1])
    return GivenPair(name, one, other, "related")


def made(nlp: Language, *pairs: GivenPair, most: int = 9, seed: int = 1) -> list[Sample]:
    return list(
        make_samples(MarkedSentence("s", TEXT, "own", pairs), nlp(TEXT), most, seed, Votes({}))
    )


def words(samples: list[Sample]) -> list[tuple[str, str]]:
    return [(one.words(one.head), one.words(one.tail)) for one in samples]


def test_marked_pairs_come_first_and_once(nlp: Language) -> None:
    pairs = [
        marked_pair("a", "Honolulu", "Barack Obama"),
        marked_pair("b", "Barack Obama", "Honolulu"),
    ]
    actual = made(nlp, *pairs)
    assert (actual[0].id, actual[0].relation, actual[0].origin) == ("a", "related", "own")
    assert words(actual)[0] == ("Honolulu", "Barack Obama")
    assert not {("Barack Obama", "Honolulu")} & set(words(actual))


def test_others_are_of_persons_first_and_never_of_one_thing(nlp: Language) -> None:
    actual = made(nlp)
    assert {one.id.partition(".")[0] for one in actual} == {"s"}
    assert ("Barack Obama", "Michelle Robinson") in words(actual)
    assert ("Honolulu", "Chicago") not in words(actual), "no scheme asks about two cities"
    assert all(head == "Barack Obama" or head == "Michelle Robinson" for head, _ in words(actual))


def test_most_and_seed_say_which_are_drawn(nlp: Language) -> None:
    assert made(nlp, most=0) == []
    assert len(made(nlp, most=2)) == 2
    assert words(made(nlp, seed=5)) == words(made(nlp, seed=5))


def test_an_untyped_argument_has_the_type_of_its_mention(nlp: Language) -> None:
    (one,) = made(nlp, marked_pair("a", "Barack Obama", "born"), most=0)
    assert (one.head.type, one.tail.type) == ("PERSON", "")
    (typed,) = made(nlp, marked_pair("a", "Barack Obama", "Honolulu", ("TITLE", "CITY")), most=0)
    assert typed.head.type == "TITLE", "the type of the corpus wins"


@pytest.mark.parametrize(
    ("text", "third"),
    [
        ("[Anna|PERSON] met [Boris|PERSON] in [Oslo|CITY].", True),
        ("[Anna|PERSON] met [Boris|PERSON] in Oslo.", False),
    ],
)
def test_a_third_entity(nlp: Language, text: str, third: bool) -> None:
    assert has_third(sample(nlp, text)) == third
