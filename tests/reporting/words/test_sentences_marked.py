from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Block, Entity
from mt_gate.reporting.words import rendering

SOURCE, FOLLOW_UP = "Anna met Boris in Oslo.", "Boris saw Anna in Oslo."


def pieces(marked: rendering.Marked) -> list[tuple[str, str]]:
    return [(p.text, p.kind) for s in marked.segments for p in s.pieces]


def test_an_edit_is_what_stands_in_no_block() -> None:
    blocks = (Block(0, 0, 5), Block(9, 10, 9))
    marked = rendering.mark("Anna met the king", (), (), blocks, 0)
    assert pieces(marked) == [("Anna ", ""), ("met", "edited"), (" the king", "")]


def test_entities_are_segments_and_the_unmatched_are_told_apart() -> None:
    found = (Entity(0, 4, "PER"), Entity(9, 14, "PER"))
    marked = rendering.mark(SOURCE, found, found[1:], (), 0)
    assert [(s.text, s.label, s.unmatched) for s in marked.segments] == [
        ("Anna", "PER", False),
        (" met ", None, False),
        ("Boris", "PER", True),
        (" in Oslo.", None, False),
    ]
    assert rendering.plain(marked) == "[Anna PER] met [Boris PER] in Oslo."


def test_overlapping_and_outlying_entities_are_set_apart() -> None:
    found = (Entity(0, 4, "PER"), Entity(2, 6, "LOC"), Entity(90, 99, "ORG"), Entity(3, 3, "X"))
    marked = rendering.mark(SOURCE, found, (), (), 0)
    assert [s.label for s in marked.segments if s.label] == ["PER"]
    assert set(marked.unplaced) == set(found[1:])


def test_entities_of_a_malformed_output_are_left_out() -> None:
    listed = [[0, 4, "PER"], ["0", 4, "PER"], [1, 2], None, [1, 2, 3]]
    assert rendering.entities(listed) == (Entity(0, 4, "PER"),)
    assert rendering.entities(None) == ()
    assert rendering.entities("abc") == ()


OFFSETS = st.integers(-3, 30)


@given(
    st.text(max_size=25),
    st.lists(st.builds(Entity, OFFSETS, OFFSETS, st.sampled_from(["A", "B"])), max_size=6),
    st.lists(st.builds(Block, OFFSETS, OFFSETS, st.integers(-2, 40)), max_size=5),
    st.sampled_from([0, 1]),
)
def test_no_character_is_lost_whatever_the_offsets(
    text: str, found: list[Entity], blocks: list[Block], side: int
) -> None:
    marked = rendering.mark(text, found, found[:1], tuple(blocks), side)
    assert "".join(part for part, _ in pieces(marked)) == text
    placed = sum(1 for s in marked.segments if s.label is not None)
    assert placed + len(marked.unplaced) == len(set(found))
