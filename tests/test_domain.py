from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mt_gate
from mt_gate.domain import Block, NotApplicable, is_silent, map_span

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


def test_reasons_are_their_stored_values_and_have_words() -> None:
    for reason in NotApplicable:
        assert reason == reason.value
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", reason.value)
        assert len(reason.words.split()) >= 4
        assert NotApplicable(reason.value) is reason
    assert len({reason.words for reason in NotApplicable}) == len(NotApplicable)


def test_silence_is_every_reason_that_does_not_hang_on_the_answer() -> None:
    hanging = {reason for reason in NotApplicable if not is_silent(reason.value)}
    assert hanging == {
        NotApplicable.SOURCE_ANSWER,
        NotApplicable.NO_FOLLOW_UP,
        NotApplicable.SLOT_IN_ENTITY,
        NotApplicable.NO_ROOM,
    }
    assert is_silent("of another release")


def test_reasons_are_written_as_bare_strings_nowhere_else() -> None:
    values = {reason.value for reason in NotApplicable}
    package = Path(mt_gate.__file__).parent
    for path in package.rglob("*.py"):
        if path.name == "domain.py" and path.parent == package:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in values), path
