from __future__ import annotations

import pytest

from cases import table
from mt_gate_suites.grammar.rewrite import article_for


@pytest.mark.parametrize("word", table(__file__, "an"))
def test_an(word: str) -> None:
    assert article_for(word) == "an"


@pytest.mark.parametrize("word", table(__file__, "a"))
def test_a(word: str) -> None:
    assert article_for(word) == "a"


@pytest.mark.parametrize("word", ["NBA", "FBI", "8th", "", "X-ray's"])
def test_what_is_spelt_out_or_unclear_has_none(word: str) -> None:
    assert article_for(word) is None
