"""Caps hold whatever was built, and leave out no more than they must."""

from __future__ import annotations

from collections import Counter
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Group
from mt_gate_suites.caps import (
    Caps,
    Described,
    Kind,
    LeftOut,
    RecipeCaps,
    counted,
    within,
)
from mt_gate_suites.measures.changed_words import Edit


def described(number: int, source: str, text: str, edit: Edit) -> Described:
    name = f"{number:04d}"
    group = Group(id=name, relation="ner/token-replacement", source=source, follow_up={})
    return Described(group, text, edit)


EDITS = st.builds(
    Edit, st.sampled_from(("", "film", "big", "begin")), st.sampled_from(("", "movie", "large"))
)
ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("pqr"), EDITS), max_size=60
).map(lambda rows: [described(number, *row) for number, row in enumerate(rows)])
SHARES = st.none() | st.floats(0.01, 1)
CAPS = st.builds(
    Caps,
    edit_share=SHARES,
    taken_out_share=SHARES,
    put_in_share=SHARES,
    groups_per_source=st.none() | st.integers(1, 3),
    groups_per_text=st.none() | st.integers(1, 3),
)


@given(ROWS, CAPS, st.integers(0, 80), st.integers(1, 3))
def test_caps_hold(rows: list[Described], caps: Caps, room: int, kinds: int) -> None:
    parts = [Kind(rows[at::kinds], room) for at in range(kinds)]
    taken, left_out = within(parts, caps)
    names = [one.group.id for one in taken]
    assert len(set(names)) == len(names)
    assert {*names} | {*left_out} == {one.group.id for one in rows}
    assert not {*names} & {*left_out}
    for most, counts in (
        (caps.groups_per_source or inf, Counter(one.group.source for one in taken)),
        (caps.groups_per_text or inf, Counter(one.text for one in taken)),
        (share_of(caps.edit_share, taken), Counter(edits(taken))),
        (share_of(caps.taken_out_share, taken), Counter(words(taken, "taken_out"))),
        (share_of(caps.put_in_share, taken), Counter(words(taken, "put_in"))),
    ):
        assert max(counts.values(), default=0) <= most


def share_of(share: float | None, taken: list[Described]) -> float:
    return inf if share is None else max(1, share * len(taken) + 1e-6)


def edits(taken: list[Described]) -> list[str]:
    return [one.edit.name for one in taken if not one.edit.is_rearrangement]


def words(taken: list[Described], side: str) -> list[str]:
    return [result for one in taken if (result := getattr(one.edit, side))]


@given(ROWS, st.floats(0.01, 1))
def test_of_each_edit_one_stays(rows: list[Described], share: float) -> None:
    taken, _ = within([Kind(rows, len(rows))], Caps(edit_share=share))
    assert {one.edit for one in taken} == {one.edit for one in rows}


def test_a_share_is_of_what_is_left() -> None:
    film = [described(n, f"s{n}", "t", Edit("film", "movie")) for n in range(50)]
    others = [described(50 + n, f"o{n}", "t", Edit(f"w{n}", f"v{n}")) for n in range(36)]
    taken, left_out = within([Kind([*film, *others], 1000)], Caps(edit_share=0.1))
    assert len(taken) == 40, "4 of 40 are film and movie"
    assert Counter(left_out.values()) == {LeftOut.EDIT: 46}


def test_what_was_taken_before_counts() -> None:
    rows = [described(n, "s", "t", Edit("film", "movie")) for n in range(3)]
    taken, _ = within([Kind(rows[2:], 9)], Caps(groups_per_source=2), rows[:2])
    assert not taken


def test_a_relation_may_have_caps_of_its_own() -> None:
    own = {"boolq/synonym-adjective": Caps(edit_share=0.1)}
    caps = RecipeCaps(edit_share=0.05, groups_per_source=2, relations=own)
    assert caps.of("boolq/synonym-adjective") == Caps(edit_share=0.1, groups_per_source=2)
    assert caps.of("boolq/tense-change") == Caps(edit_share=0.05, groups_per_source=2)


def test_edits_that_are_all_of_one_kind_have_no_share_unless_it_is_their_own() -> None:
    own = {"boolq/negation-tag": Caps(edit_share=0.5)}
    caps = RecipeCaps(edit_share=0.05, put_in_share=0.1, near_duplicates=0.6, relations=own)
    assert caps.of("boolq/voice-change") == Caps(near_duplicates=0.6)
    assert caps.of("boolq/negation-tag") == Caps(edit_share=0.5, near_duplicates=0.6)


def test_what_is_newly_marked_may_have_a_share_at_most() -> None:
    rows = [
        described(at, f"s{at}", f"t{at}", Edit("boston", ""))._replace(marked=place)
        for at, place in enumerate(["Ohio"] * 8 + ["Texas", "Utah", "Iowa", "Maine"])
    ]
    taken, left_out = within([Kind(rows, 20)], Caps(marked_share=0.4))
    assert Counter(one.marked for one in taken)["Ohio"] == 2
    assert set(left_out.values()) == {LeftOut.MARKED}


def test_edits_that_take_out_one_word_may_count_as_one() -> None:
    caps = Caps(alike=("same", "true"))
    assert counted(Edit("same the thing", "different things"), caps) == Edit("same", "")
    assert counted(Edit("true", "real"), caps) == counted(Edit("true", "real life"), caps)
    assert counted(Edit("legal", "lawful"), caps) == Edit("legal", "lawful")
    assert counted(Edit("same", "different"), Caps()) == Edit("same", "different")
