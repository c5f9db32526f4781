"""The old first word: kept, lowered, or left undecided."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import table
from mt_gate_suites.grammar.casing import FirstWord, first_word_case


@pytest.mark.parametrize("text", table(__file__, "names_keep_their_capital"))
def test_names_keep_their_capital(nlp: Language, text: str) -> None:
    assert first_word_case(nlp(text)) is FirstWord.KEEP


@pytest.mark.parametrize("text", table(__file__, "other_words_lose_it"))
def test_other_words_lose_it(nlp: Language, text: str) -> None:
    assert first_word_case(nlp(text)) is FirstWord.LOWER


@pytest.mark.parametrize("text", table(__file__, "doubtful_words_are_left_open"))
def test_doubtful_words_are_left_open(nlp: Language, text: str) -> None:
    assert first_word_case(nlp(text)) is FirstWord.UNSURE
