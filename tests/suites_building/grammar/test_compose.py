"""Two rewrites in a row are one, and what outlives both is aligned."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.domain import Block
from mt_gate_suites.grammar.rewrite import Rewrite, compose, edited


def unchanged(text: str) -> Rewrite:
    return Rewrite(text, (Block(0, 0, len(text)),) if text else ())


def characters(rewrite: Rewrite) -> dict[int, int]:
    """Return where each aligned character of the source is in the follow-up."""
    return {
        block.source + at: block.follow_up + at
        for block in rewrite.alignment
        for at in range(block.length)
    }


def shuffled(draw: st.DrawFn, text: str) -> Rewrite:
    """Cut a text into pieces; drop some, move some, put some in, change the case of some."""
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=5)) | {0, len(text)})
    retained = [cut for cut in pairwise(cuts) if draw(st.booleans())]
    new = ""
    blocks: list[Block] = []
    for start, end in draw(st.permutations(retained)):
        new += draw(st.sampled_from(["", "", "x", ", "]))
        blocks.append(Block(start, len(new), end - start))
        piece = text[start:end]
        new += piece.upper() if draw(st.booleans()) else piece
    return Rewrite(new, tuple(sorted(blocks)))


@st.composite
def two_rewrites(draw: st.DrawFn) -> tuple[str, Rewrite, Rewrite]:
    source = draw(st.text(alphabet="abc ", max_size=12))
    first = shuffled(draw, source)
    return source, first, shuffled(draw, first.text)


def test_edits_and_a_move() -> None:
    source = "can you turn left on red in canada"
    first = edited(source, [(4, 7, "we")])
    assert first.text == "can we turn left on red in canada"
    second = Rewrite("in canada, can we turn left on red", (Block(0, 11, 23), Block(24, 0, 9)))
    assert compose(first, second) == Rewrite(
        "in canada, can we turn left on red",
        (Block(0, 11, 4), Block(7, 17, 17), Block(25, 0, 9)),
    )


@given(two_rewrites())
def test_a_character_is_aligned_if_it_outlives_both(case: tuple[str, Rewrite, Rewrite]) -> None:
    _, first, second = case
    one, two = characters(first), characters(second)
    expected = {source: two[middle] for source, middle in one.items() if middle in two}
    assert characters(compose(first, second)) == expected


@given(two_rewrites())
def test_blocks_are_equal_text_in_order_disjoint_and_maximal(
    case: tuple[str, Rewrite, Rewrite],
) -> None:
    source, first, second = case
    actual = compose(first, second)
    for block in actual.alignment:
        here = source[block.source : block.source + block.length]
        there = actual.text[block.follow_up : block.follow_up + block.length]
        assert here.casefold() == there.casefold()
        assert here
    for last, block in pairwise(actual.alignment):
        assert last.source + last.length <= block.source
        ends = (last.source + last.length, last.follow_up + last.length)
        assert ends != (block.source, block.follow_up)
    targets = sorted(characters(actual).values())
    assert len(targets) == len(set(targets))


@given(two_rewrites(), st.data())
def test_three_in_a_row_are_the_same_from_either_end(
    case: tuple[str, Rewrite, Rewrite], data: st.DataObject
) -> None:
    _, first, second = case
    third = data.draw(st.composite(lambda draw: shuffled(draw, second.text))())
    left = compose(compose(first, second), third)
    right = compose(first, compose(second, third))
    assert left == right
