"""Letters misread as a scan shows them."""

from __future__ import annotations

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, follow_ups, texts


def test_a_letter_is_read_as_one_that_looks_like_it() -> None:
    found = {
        new
        for seed in range(30)
        for new in (one.text for one in follow_ups("ocr-confusion", "modern", seed=seed))
    }
    assert "rnodern" in found
    assert "modem" not in found, "a word"


@pytest.mark.parametrize("text", [*NOTHING_TO_EDIT, "zzzz kkkk"])
def test_it_does_nothing_where_nothing_may_be_touched(text: str) -> None:
    assert texts("ocr-confusion", text) == []


@given(english)
def test_it_keeps_its_promises_on_any_text(text: str) -> None:
    check_surface("ocr-confusion", text)
