"""Filters of a recipe: what they default to, and what is no filter."""

from __future__ import annotations

import msgspec
import pytest

from mt_gate_suites.filters import Filters


def test_what_a_recipe_leaves_out_is_at_its_default() -> None:
    read = msgspec.convert({"similarity": 0.65}, Filters)
    assert read == Filters(similarity=0.65)
    assert read.structural_fall == 1.0, "off: the paper's 0.02 costs half of the questions"


@pytest.mark.parametrize("table", [{"similarty": 0.65}, {"fit": "low"}, {"fit": None}])
def test_what_is_no_filter(table: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(table, Filters)
