"""How far two readers agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate_suites.audit.marked import Agreement
from mt_gate_suites.audit.marked import MARKS
from mt_gate_suites.audit.sheet import SheetLine


def lines(*marks: tuple[str, str]) -> list[SheetLine]:
    return [SheetLine("id", "r", "s", "f", "ok", "", "", "", "", *pair) for pair in marks]


def test_doubtful_is_not_accepted() -> None:
    found = Agreement.of(
        lines(("ok", "ok"), ("ok", "doubtful"), ("bad", "ok"), ("doubtful", "bad"))
    )
    assert found == Agreement(1, 1, 1, 1)
    assert found.alike == 0.5
    assert found.kappa == 0


def test_sheets_of_one_reader_have_none() -> None:
    assert Agreement.of(lines(("ok", "ok"), ("", ""))) is None


def test_a_published_example() -> None:
    """20 and 15 of 50 proposals alike, 5 and 10 apart (a textbook's table): kappa 0.4."""
    found = Agreement(20, 5, 10, 15)
    assert found.alike == pytest.approx(0.7)
    assert found.kappa == pytest.approx(0.4)


@pytest.mark.parametrize("counts", [(9, 0, 0, 0), (0, 0, 0, 9)])
def test_no_kappa_where_chance_agrees_everywhere(counts: tuple[int, int, int, int]) -> None:
    assert Agreement(*counts).kappa is None


@given(st.lists(st.tuples(st.sampled_from(MARKS), st.sampled_from(MARKS)), min_size=1))
def test_readers_may_change_places(pairs: list[tuple[str, str]]) -> None:
    one = Agreement.of(lines(*pairs))
    other = Agreement.of(lines(*((b, a) for a, b in pairs)))
    assert one is not None
    assert other is not None
    assert one.groups == len(pairs)
    assert one.alike == other.alike
    if one.kappa is None:
        assert other.kappa is None
    else:
        assert one.kappa == pytest.approx(other.kappa)
        assert -1 <= one.kappa <= 1
