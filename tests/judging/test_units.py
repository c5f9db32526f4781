"""What is said of units reads like a dictionary, and its parts are those of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.sorted_ids import SortedIds
from mt_gate.judging.units import (
    BySource,
    Changes,
    Margins,
    SourceOf,
    SourceVerdicts,
    by_code,
)
from mt_gate.results.result import Change

NAMES = st.text("abc", min_size=1, max_size=2)
GROUPS = st.dictionaries(st.text("0123456789", min_size=1, max_size=2), NAMES, max_size=20)
CHOSEN = st.frozensets(st.one_of(st.text("0123456789", min_size=1, max_size=2), NAMES), max_size=20)


@given(st.lists(st.integers(-2, 5), max_size=20))
def test_codes_are_told_apart(codes: list[int]) -> None:
    found = [at.tolist() for at in by_code(np.array(codes, np.int32), 6)]
    assert found == [[at for at, one in enumerate(codes) if one == code] for code in range(6)]


@given(GROUPS, CHOSEN)
def test_groups_have_sources(mapping: dict[str, str], chosen: frozenset[str]) -> None:
    found = SourceOf.of(mapping)
    assert dict(found) == mapping
    assert found.sources == set(mapping.values())
    assert found.groups_of(SortedIds(chosen)) == {g for g, s in mapping.items() if s in chosen}
    some = SortedIds(chosen & mapping.keys())
    names, at = found.by_source(some)
    assert [names[int(i)] for i in at] == [mapping[group] for group in some]
    assert names == {mapping[group] for group in some}
    kept = found.kept(found.ids.within(SortedIds(chosen)))
    assert dict(kept) == {group: mapping[group] for group in some}
    assert kept.sources == names


@given(GROUPS, st.data())
def test_sources_have_verdicts(mapping: dict[str, str], data: st.DataObject) -> None:
    mapped: dict[str, SourceVerdicts] = {}
    for source in {*mapping.values()}:
        lost = frozenset(g for g, s in mapping.items() if s == source and data.draw(st.booleans()))
        mapped[source] = SourceVerdicts(len(lost) + data.draw(st.integers(0, 2)), lost)
    found = BySource.of(mapped)
    assert dict(found) == mapped
    assert found.judged == {source for source, of in mapped.items() if of.applicable}
    assert found.violated.tolist() == [len(mapped[source].violated) for source in found]
    judged = found.applicable > 0
    rates = [len(mapped[source].violated) / mapped[source].applicable for source in found.judged]
    assert found.rates[judged].tolist() == rates
    assert [*found.each()] == [
        (source, mapped[source].applicable, sorted(mapped[source].violated))
        for source in sorted(mapped)
    ]
    chosen = SortedIds(source for source in mapped if data.draw(st.booleans()))
    lost_of = frozenset[str]().union(*(mapped[source].violated for source in chosen))
    assert found.violated_of(chosen) == lost_of
    assert dict(found.kept(found.ids.within(chosen))) == {one: mapped[one] for one in chosen}


SOME = st.lists(st.floats(-9, 9), max_size=3)


@given(st.dictionaries(NAMES, SOME, max_size=8), CHOSEN)
def test_units_have_margins(mapping: dict[str, list[float]], chosen: frozenset[str]) -> None:
    found = Margins.of(mapping)
    expected = {unit: tuple(sorted(some)) for unit, some in mapping.items() if some}
    assert dict(found) == expected
    units = SortedIds(mapping)
    pairs = [(at, one) for at, unit in enumerate(units) for one in mapping[unit]]
    codes = np.array([at for at, _ in pairs], np.intp)
    again = Margins.of_units(units, codes, np.array([one for _, one in pairs]))
    assert dict(again) == expected
    kept = found.kept(found.ids.within(SortedIds(chosen)))
    assert dict(kept) == {unit: some for unit, some in expected.items() if unit in chosen}


@given(st.lists(st.tuples(st.frozensets(NAMES, max_size=6), st.sampled_from(Change)), max_size=5))
def test_groups_move_as_was_said_last(moved: list[tuple[frozenset[str], Change]]) -> None:
    expected: dict[str, Change] = {}
    for groups, change in moved:
        expected.update(dict.fromkeys(groups, change))
    found = Changes.of((SortedIds(groups), change) for groups, change in moved)
    assert dict(found) == expected
    for change in Change:
        assert found.having(change) == {one for one, its in expected.items() if its is change}
    asked = ["a", "zz", "b", "a"]
    assert found.each(asked) == [expected.get(one) for one in asked]


@pytest.mark.parametrize(
    "found", [SourceOf.of({}), BySource.of({}), Margins.of({}), Changes.of([])], ids=type
)
def test_of_nothing_nothing_is_said(found: Any) -> None:
    assert (len(found), [*found], "a" in found) == (0, [], False)
    with pytest.raises(KeyError):
        found["a"]
