from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mt_gate
from mt_gate.domain import (
    PREDICTED,
    Alignment,
    Block,
    NotApplicable,
    cropped,
    inverse,
    map_span,
    shard_index,
)

ALIGNMENT = (Block(0, 10, 5), Block(5, 15, 3), Block(9, 0, 4))


@pytest.mark.parametrize(
    ("start", "end", "image"),
    [
        (0, 5, (10, 15)),
        (1, 3, (11, 13)),
        (3, 7, (13, 17)),  # two blocks that stay side by side
        (9, 13, (0, 4)),
        (6, 10, None),  # a character in between was removed
        (8, 9, None),
        (7, 9, None),
        (12, 20, None),  # past the end
        (0, 13, None),
    ],
)
def test_map_span(start: int, end: int, image: tuple[int, int] | None) -> None:
    assert map_span(ALIGNMENT, start, end) == image


@given(st.permutations(range(5)), st.data())
def test_the_image_is_the_same_text(order: list[int], data: st.DataObject) -> None:
    pieces = ["ab", "cde", "f", "ghij", "kl"]
    text, moved = "".join(pieces), "".join(pieces[index] for index in order)
    blocks = tuple(Block(text.index(p), moved.index(p), len(p)) for p in pieces)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    image = map_span(blocks, start, end)
    if image is None:
        assert text[start:end] not in moved
    else:
        assert moved[slice(*image)] == text[start:end]


def characters(alignment: Alignment) -> set[tuple[int, int]]:
    """The characters of both texts that an alignment says are the same."""
    return {
        (block.source + at, block.follow_up + at)
        for block in alignment
        for at in range(block.length)
    }


stretches = st.tuples(st.integers(0, 18), st.integers(0, 18)).map(lambda ends: range(*sorted(ends)))


@given(stretches, stretches)
def test_cropped_is_what_lies_in_both_stretches(source: range, follow_up: range) -> None:
    actual = cropped(ALIGNMENT, source, follow_up)
    assert all(block.length > 0 for block in actual)
    assert characters(actual) == {
        (before - source.start, after - follow_up.start)
        for before, after in characters(ALIGNMENT)
        if before in source and after in follow_up
    }


def test_inverse_is_read_from_the_other_side_and_in_its_order() -> None:
    assert inverse(ALIGNMENT) == (Block(0, 9, 4), Block(10, 0, 5), Block(15, 5, 3))
    assert inverse(inverse(ALIGNMENT)) == ALIGNMENT


def test_a_cluster_falls_into_the_same_part_on_every_machine() -> None:
    """Stored shards and baselines of parts stand on it."""
    assert [shard_index(key, 4) for key in ("a", "b", "c", "é", "\ud800")] == [3, 3, 3, 4, 1]
    assert {shard_index(str(key), 4) for key in range(100)} == {1, 2, 3, 4}
    assert shard_index("a", 1) == 1


def test_silence_is_every_reason_that_does_not_hang_on_the_answer() -> None:
    hanging = {reason for reason in NotApplicable if reason.value in PREDICTED}
    assert hanging == {
        NotApplicable.SOURCE_ANSWER,
        NotApplicable.NO_FOLLOW_UP,
        NotApplicable.SLOT_IN_ENTITY,
        NotApplicable.NO_ROOM,
    }
    assert "of another release" not in PREDICTED


def test_reasons_are_written_as_bare_strings_nowhere_else() -> None:
    values = {reason.value for reason in NotApplicable}
    package = Path(mt_gate.__file__).parent
    for path in package.rglob("*.py"):
        # Adapters are programs of their own; theirs is the protocol's word.
        if path == package / "domain.py" or path.parent.name == "adapters":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in values), path
