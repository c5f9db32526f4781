"""What passes from a transformation to a builder."""

from __future__ import annotations

from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Refusal, Rewrite
from mt_gate.domain import Block


def test_an_edit_is_a_rewrite_and_a_reason_is_none() -> None:
    made = edited("is it old", [(6, 9, "new")])
    assert made == Rewrite("is it new", (Block(0, 0, 6),))
    assert not isinstance(made, Refusal)
    assert Refusal("may-recur") != Refusal("no-single-event")
