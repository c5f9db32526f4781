from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.language.encoder import EncoderSimilarity
from mt_gate.language.phrases import PhraseBank
from mt_gate.language.tools import Slot

TEXT = "Anna bought a small house in Oslo."
SMALL = Slot(TEXT, 14, 19)
OLD = SMALL.filled("old")


@pytest.fixture(scope="module")
def encoder(encoder_folder: Path) -> EncoderSimilarity:
    return EncoderSimilarity(str(encoder_folder))


def test_a_word_is_like_itself(encoder: EncoderSimilarity) -> None:
    assert encoder.similarity([(SMALL, SMALL)]) == [pytest.approx(1, abs=1e-3)]


def test_likeness_is_symmetric_and_within_bounds(encoder: EncoderSimilarity) -> None:
    there, back = encoder.similarity([(SMALL, OLD), (OLD, SMALL)])
    assert there == pytest.approx(back, abs=1e-3)
    assert -1 <= there < 1


def test_likeness_does_not_hang_on_the_batch(encoder: EncoderSimilarity) -> None:
    pairs = [(SMALL, OLD), (Slot(TEXT, 0, 4), Slot(TEXT, 29, 33)), (SMALL, SMALL.filled("new"))]
    alone = [encoder.similarity([pair])[0] for pair in pairs]
    assert encoder.similarity(pairs) == pytest.approx(alone, abs=1e-3)
    assert encoder.similarity([]) == []


def test_what_was_cut_off_is_like_nothing(encoder: EncoderSimilarity) -> None:
    long = "Oslo " * 100 + "small"
    cut = Slot(long, len(long) - 5, len(long))
    assert encoder.similarity([(cut, SMALL)]) == [0.0]


def test_bank_gives_the_nearest_first_and_not_the_phrase(encoder: EncoderSimilarity) -> None:
    bank = PhraseBank(["small house", "old cottage", "new office", "small house"], encoder)
    fills = bank.similar(["small house"], 5)[0]
    assert [fill.text for fill in fills].count("small house") == 0
    assert len(fills) == 2
    assert fills[0].score >= fills[1].score
