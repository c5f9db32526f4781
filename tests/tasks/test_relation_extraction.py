from __future__ import annotations

from typing import Any

import pytest

from cases import table
from mt_gate.domain import Block
from mt_gate.tasks.relation_extraction import fault, with_text

FINE = {"text": "Anna is in Oslo.", "head": [0, 4, "PERSON"], "tail": [11, 15, ""]}


@pytest.mark.parametrize(
    ("change", "words"),
    table(__file__, "faulty_arguments_are_reported"),
)
def test_faulty_arguments_are_reported(change: dict[str, Any], words: str) -> None:
    assert not fault(FINE)
    message = fault({**FINE, **change})
    assert words in message
    assert len(message) < 600


def test_head_and_tail_move_with_an_edit_next_to_them() -> None:
    unchanged = (Block(0, 0, 5), Block(7, 8, 9))
    moved = with_text(FINE, "text", "Anna was in Oslo.", unchanged)
    assert moved == {"text": "Anna was in Oslo.", "head": [0, 4, "PERSON"], "tail": [12, 16, ""]}


def test_an_edit_of_head_or_tail_is_none() -> None:
    assert with_text(FINE, "text", "Anna is in 0slo.", (Block(0, 0, 11), Block(12, 12, 4))) is None
    assert with_text(FINE, "text", "An na is in Oslo.", (Block(0, 0, 2), Block(2, 3, 14))) is None
