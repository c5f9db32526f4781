"""Slots, offers and filters together, with tools that answer by a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from spacy.language import Language

from mt_gate.language.kinds import Tools
from mt_gate.language.tools import Fill, Phrases, Slot
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.filters import Filters
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.ner.noun_phrases import Usage
from mt_gate_suites.ner.replacement import Replacer

TEXT = "Anna bought a small house in Oslo."


class Table:
    """Every language tool at once: what it offers, how it fits, and how alike it is."""

    name = "table"

    def __init__(
        self,
        offers: Mapping[str, Sequence[str]],
        fits: Mapping[str, float] | None = None,
        likeness: Mapping[str, float] | None = None,
        natural: Mapping[str, float] | None = None,
    ) -> None:
        self.offers, self.fits = offers, fits or {}
        self.likeness, self.natural = likeness or {}, natural or {}

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[str]]:
        return [list(self.offers.get(slot.filler, ()))[:top] for slot in slots]

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        return [[Fill(w, self.fits.get(w, 0)) for w in ws] for ws in self.propose(slots, top)]

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        return [list(fillers)[:top] for _, fillers in slots]

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        return [[Fill(new, self.fits.get(new, 0)) for new in new][:top] for _, new in slots]

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        return [self.likeness.get(new.filler, 0.9) for _, new in pairs]

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        return [self.natural.get(text, 0.2) for text in texts]

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        return [[Fill(new, 0.9) for new in self.offers.get(old, ())][:top] for old in phrases]


@pytest.fixture(scope="module")
def wordnet(wordnet_folder: str) -> WordNet:
    return WordNet(wordnet_folder)


@pytest.fixture(scope="module")
def usage(nlp: Language) -> Usage:
    found = Usage()
    for text in (
        "Anna has a cottage, a house, a teacher and an old cottage.",
        "Boris has a cottage, a house, a teacher and an old cottage.",
        "Anna sold cottages and houses.",
        "Boris sold cottages and houses.",
        "The village is near.",
    ):
        found.add(nlp(text))
    return found


@pytest.fixture
def replacer(nlp: Language, wordnet: WordNet, usage: Usage) -> object:
    def make(table: Table, **filters: float) -> Replacer:
        def phrases(_bank: list[str]) -> list[Phrases]:
            return [table]

        tools = Tools(table, table, table, table, wordnet, phrases)
        return Replacer(tools, Filters(**filters), nlp, usage)

    return make


def texts(made: Sequence[Sequence[Rewrite]]) -> list[str]:
    return [rewrite.text for some in made for rewrite in some]


def test_a_word(replacer: object, nlp: Language) -> None:
    table = Table({"bought": ["purchased"], "small": ["ugly"]})
    made = replacer(table).words([nlp(TEXT)])  # type: ignore[operator]
    assert texts(made) == [
        "Anna purchased a small house in Oslo.",
        "Anna bought an ugly house in Oslo.",
    ]


def test_the_best_two_of_a_slot(replacer: object, nlp: Language) -> None:
    table = Table(
        {"bought": ["sold", "rented", "purchased"]}, {"rented": -1, "purchased": -0.5, "sold": -3}
    )
    made = replacer(table).words([nlp(TEXT)])  # type: ignore[operator]
    assert texts(made) == [
        "Anna purchased a small house in Oslo.",
        "Anna rented a small house in Oslo.",
    ]


@pytest.mark.parametrize(
    "word",
    [
        "buys",  # another inflection
        "purchase",
        "beautiful",  # another part of speech
        "sold",  # an opposite
        "xqzted",  # no word
        "took",  # a light verb
        "small",  # stands beside it already
    ],
)
def test_a_word_that_may_not_stand_there(replacer: object, nlp: Language, word: str) -> None:
    made = replacer(Table({"bought": [word]})).words([nlp(TEXT)])  # type: ignore[operator]
    assert texts(made) == []


@pytest.mark.parametrize(
    "table",
    [
        Table({"bought": ["purchased"]}, likeness={"purchased": 0.69}),
        Table({"bought": ["purchased"]}, fits={"purchased": -3.6}),
        Table(
            {"bought": ["purchased"]},
            natural={TEXT: 0.2, "Anna purchased a small house in Oslo.": 0.18},
        ),
    ],
)
def test_each_filter_refuses(replacer: object, nlp: Language, table: Table) -> None:
    assert texts(replacer(table).words([nlp(TEXT)])) == []  # type: ignore[operator]
    off = {"similarity": -1.0, "fit": -99.0, "naturalness_fall": 1.0}
    made = replacer(table, **off).words([nlp(TEXT)])  # type: ignore[operator]
    assert len(texts(made)) == 1


def test_a_phrase(replacer: object, nlp: Language) -> None:
    made = replacer(Table({"small house": ["cottage"]})).phrases([nlp(TEXT)])  # type: ignore[operator]
    assert texts(made) == ["Anna bought a cottage in Oslo."]
    made = replacer(Table({"small house": ["old cottage"]})).phrases([nlp(TEXT)])  # type: ignore[operator]
    assert texts(made) == ["Anna bought an old cottage in Oslo."]


@pytest.mark.parametrize(
    "phrase",
    [
        "cottages",  # another number
        "castle",  # never seen after "a"
        "house",  # within the phrase
        "small old house",  # holds it
        "teacher",  # another kind of thing
    ],
)
def test_a_phrase_that_may_not_stand_there(replacer: object, nlp: Language, phrase: str) -> None:
    made = replacer(Table({"small house": [phrase]})).phrases([nlp(TEXT)])  # type: ignore[operator]
    assert texts(made) == []


def test_nothing_is_made_of_nothing(replacer: object, nlp: Language) -> None:
    made = replacer(Table({}))  # type: ignore[operator]
    assert made.words([nlp(TEXT), nlp("Anna met Boris.")]) == [[], []]
    assert made.phrases([nlp(TEXT)]) == [[]]
    assert made.words([]) == []


def test_names_outside_the_slot_are_aligned(replacer: object, nlp: Language) -> None:
    made = replacer(Table({"small": ["ugly"]})).words([nlp(TEXT)])  # type: ignore[operator]
    rewrite = made[0][0]
    kept = [TEXT[b.source : b.source + b.length] for b in rewrite.alignment]
    assert kept == ["Anna bought ", " ", " house in Oslo."]
