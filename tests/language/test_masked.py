from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.language.masked import MaskedModel
from mt_gate.language.tools import Slot

TEXT = "Anna bought a small house in Oslo."
SMALL = Slot(TEXT, 14, 19)
BOUGHT = Slot(TEXT, 5, 11)


@pytest.fixture(scope="module")
def model(masked_folder: Path) -> MaskedModel:
    return MaskedModel(str(masked_folder))


def test_fills_with_whole_words_best_first(model: MaskedModel) -> None:
    fills = model.fill([SMALL], 5)[0]
    assert fills
    assert len(fills) <= 5
    assert all(fill.text.isalpha() for fill in fills)
    assert [fill.score for fill in fills] == sorted((f.score for f in fills), reverse=True)


def test_never_offers_the_present_filler(model: MaskedModel) -> None:
    for slot in (SMALL, BOUGHT, Slot(TEXT, 0, 4)):
        fills = model.fill([slot], 150)[0]
        assert slot.filler.lower() not in {fill.text.lower() for fill in fills}


def test_slots_do_not_hang_on_each_other(model: MaskedModel) -> None:
    fillers = model
    together = fillers.fill([SMALL, BOUGHT], 5)
    alone = fillers.fill([SMALL], 5) + fillers.fill([BOUGHT], 5)
    assert [[f.text for f in fills] for fills in together] == [[f.text for f in a] for a in alone]
    assert fillers.fill([], 5) == []


def test_fit_of_the_present_filler_is_zero(model: MaskedModel) -> None:
    fills = model.fit([(SMALL, ["small", "old", "new company"])], 2)[0]
    assert len(fills) == 2
    scores = {fill.text: fill.score for fill in model.fit([(SMALL, ["small"])], 1)[0]}
    assert scores == {"small": 0.0}


def test_a_sentence_beyond_the_limit_is_not_read_and_the_others_are(model: MaskedModel) -> None:
    long = " ".join([TEXT] * 40)
    slot, fillers = Slot(long, 14, 19), model
    assert not model.reads(long)
    assert model.reads(TEXT)
    nothing, actual = fillers.fill([slot, SMALL], 5)
    assert nothing == []
    assert [fill.text for fill in actual] == [fill.text for fill in fillers.fill([SMALL], 5)[0]]
    fit = model
    assert fit.fit([(slot, ["big"])], 5) == [[]]
    assert fit.fit([(SMALL, ["big", "big " * 80])], 5)[0] == fit.fit([(SMALL, ["big"])], 5)[0]
    natural = model.naturalness([long, TEXT])
    assert natural[0] == 0 < natural[1]
