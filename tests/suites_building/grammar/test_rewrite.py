"""What passes from a transformation to a builder."""

from __future__ import annotations

from mt_gate.domain import Block
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


def test_an_edit_is_a_rewrite_and_a_reason_is_none() -> None:
    made = edited("is it old", [(6, 9, "new")])
    assert made == Rewrite("is it new", (Block(0, 0, 6),))
    assert not isinstance(made, Refusal)
    assert Refusal("may-recur") != Refusal("no-single-event")
