from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.language.tools import Slot
from mt_gate_suites.grammar.rewrite import article_before, replaced


def slot(text: str, word: str) -> Slot:
    start = text.index(word)
    return Slot(text, start, start + len(word))


@pytest.mark.parametrize(
    ("text", "old", "new", "wanted"), table(__file__, "replaces_and_corrects_the_article")
)
def test_replaces_and_corrects_the_article(text: str, old: str, new: str, wanted: str) -> None:
    rewrite = replaced(slot(text, old), new)
    assert rewrite is not None
    assert rewrite.text == wanted


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("He saw a NBA game.", "NBA", "big"),  # the source's own article is unclear
        ("He saw an big dog.", "big", "old"),  # ... or wrong
        ("He saw a big dog.", "big", "FBI"),
    ],
)
def test_an_unclear_article_is_no_edit(text: str, old: str, new: str) -> None:
    assert replaced(slot(text, old), new) is None


@pytest.mark.parametrize("text", ["He got an A. big", "data big", "on a, big", "man big"])
def test_what_only_looks_like_an_article_is_none(text: str) -> None:
    assert article_before(slot(text, "big")) == ""


@given(
    st.text(max_size=20), st.text(min_size=1, max_size=8), st.text(max_size=20), st.text(max_size=8)
)
def test_blocks_hold_the_same_text(left: str, old: str, right: str, new: str) -> None:
    source = left + old + right
    rewrite = replaced(Slot(source, len(left), len(left) + len(old)), new)
    if rewrite is None:
        return
    for block in rewrite.alignment:
        before = source[block.source : block.source + block.length]
        assert before == rewrite.text[block.follow_up : block.follow_up + block.length]
    unchanged = sum(block.length for block in rewrite.alignment)
    assert unchanged >= len(source) - len(old) - 2
