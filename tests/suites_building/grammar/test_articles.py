from __future__ import annotations

import pytest

from mt_gate_suites.grammar.articles import article_for


@pytest.mark.parametrize(
    "word",
    [
        "obvious",
        "apple",
        "hour",
        "honest",
        "honorary",
        "heir",
        "unusual",
        "uninteresting",
        "unimportant",
        "umbrella",
        "ugly",
        "uncle",
        "object",
        "oval",
        "island",
        "upper",
    ],
)
def test_an(word: str) -> None:
    assert article_for(word) == "an"


@pytest.mark.parametrize(
    "word",
    [
        "dog",
        "house",
        "historic",
        "university",
        "unique",
        "united",
        "European",
        "one-off",
        "once",
        "useful",
        "user",
        "ubiquitous",
        "ewe",
        "utility",
        "year",
        "unanimous",
        "uniform",
        "Ukrainian",
        "Ugandan",
    ],
)
def test_a(word: str) -> None:
    assert article_for(word) == "a"


@pytest.mark.parametrize("word", ["NBA", "FBI", "8th", "", "X-ray's"])
def test_what_is_spelt_out_or_unclear_has_none(word: str) -> None:
    assert article_for(word) is None
