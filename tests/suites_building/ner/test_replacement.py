"""Slots, offers and filters together, with tools that answer by a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from spacy.language import Language

from cases import table
from mt_gate.language.kinds import Tools
from mt_gate.language.tools import Fill, Slot
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.ner.replacement import Replacer
from mt_gate_suites.ner.slots import Usage
from mt_gate_suites.recipe import Filters

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
    result = Usage()
    for text in (
        "Anna has a cottage, a house, a teacher and an old cottage.",
        "Boris has a cottage, a house, a teacher and an old cottage.",
        "Anna sold cottages and houses.",
        "Boris sold cottages and houses.",
        "The village is near.",
    ):
        result.add(nlp(text))
    return result


Make = Callable[..., list[str]]


@pytest.fixture
def made(nlp: Language, wordnet: WordNet, usage: Usage) -> Make:
    """Return what becomes of the words or phrases of the text."""

    def make(
        table: Table, kind: str = "words", *, strict: bool = True, **filters: float
    ) -> list[str]:
        tools = Tools(table, table, table, table, wordnet, lambda _: [table])
        replacer = Replacer(tools, Filters(**filters), nlp, usage, strict=strict)
        (rewrites,) = getattr(replacer, kind)([nlp(TEXT)])
        return [rewrite.text for rewrite in rewrites]

    return make


def test_the_best_two_of_a_slot_with_the_article_corrected(made: Make) -> None:
    table = Table(
        {"bought": ["sold", "rented", "purchased"], "small": ["ugly"]},
        {"rented": -1, "purchased": -0.5, "sold": -3},
    )
    assert made(table) == [
        "Anna purchased a small house in Oslo.",
        "Anna rented a small house in Oslo.",
        "Anna bought an ugly house in Oslo.",
    ]
    phrases = Table({"small house": ["cottage", "old cottage"]})
    assert made(phrases, "phrases") == [
        "Anna bought a cottage in Oslo.",
        "Anna bought an old cottage in Oslo.",
    ]
    assert made(Table({}), "words") == made(Table({}), "phrases") == []


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    table(__file__, "what_does_not_fit"),
)
def test_what_does_not_fit(made: Make, kind: str, old: str, new: str) -> None:
    assert made(Table({old: [new]}), kind) == []


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
def test_each_filter_refuses(made: Make, table: Table) -> None:
    assert made(table) == []
    assert len(made(table, similarity=-1.0, fit=-99.0, naturalness_fall=1.0)) == 1


def test_the_papers_rule_takes_a_word_of_another_meaning(made: Make) -> None:
    opposite = Table({"small": ["large", "quickly"]})
    assert made(opposite) == []
    assert made(opposite, strict=False) == ["Anna bought a large house in Oslo."]
    assert made(Table({"small": ["large"]}, likeness={"large": 0.6}), strict=False) == []
