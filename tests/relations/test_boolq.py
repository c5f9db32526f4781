"""Yes and no: what each relation over questions expects, alone and after another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from making_answers import answer, judged
from mt_gate.relations import boolq
from mt_gate.relations.base import ExecutedGroup, MetamorphicRelation
from mt_gate.relations.boolq import INVERTED, INVERTED_YES, SAME, VOICE_CHANGE, Expected, then
from mt_gate.relations.catalogue import BY_ID

TABLES = st.sampled_from([SAME, INVERTED, INVERTED_YES])
PAIRS = ("yes yes", "yes no", "no yes", "no no")
SATISFIED, VIOLATED, NOT = "satisfied", "violated", "not-applicable"


@pytest.mark.parametrize(
    ("name", "verdicts"),
    table(__file__, "what_follows_from_an_answer"),
)
def test_what_follows_from_an_answer(name: str, verdicts: list[str]) -> None:
    relation = BY_ID[f"boolq/{name}"]
    assert [judged(relation, *pair.split()).verdict for pair in PAIRS] == verdicts


QUESTION = "does x own y"
BEFORE = {"question": QUESTION, "passage": "X owns Y. It is old and rich."}
AFTER = {"question": QUESTION, "passage": "Y is owned by X. It is old and rich."}


@pytest.mark.parametrize(
    ("source_read", "follow_up_read", "applicable"),
    [
        (None, None, True),
        (len("X owns Y."), len("Y is owned by X."), True),
        (len("X owns"), len("Y is owned by X."), False),
        (len("X owns Y."), len("Y is owned by"), False),
    ],
)
def test_an_edit_that_was_cut_off_is_not_judged(
    source_read: int | None, follow_up_read: int | None, applicable: bool
) -> None:
    outputs = [
        answer("yes", **({} if read is None else {"read": read}))
        for read in (source_read, follow_up_read)
    ]
    judgement = VOICE_CHANGE.holds(ExecutedGroup(BEFORE, AFTER, *outputs, ()))
    assert judgement.reason == ("" if applicable else "edit-cut-off")


def test_a_cut_passage_does_not_matter_where_the_question_was_edited() -> None:
    after = {**BEFORE, "question": "does x really own y"}
    case = ExecutedGroup(BEFORE, after, answer("yes", read=1), answer("yes", read=1), ())
    assert VOICE_CHANGE.holds(case).verdict == "satisfied"


@given(TABLES, TABLES, TABLES)
def test_composing_is_associative(a: Expected, b: Expected, c: Expected) -> None:
    assert then(then(a, b), c) == then(a, then(b, c))
    assert then(SAME, a) == then(a, SAME) == a


@pytest.mark.parametrize("composed", boolq.COMPOSITIONS, ids=lambda relation: relation.id)
def test_compositions_are_off_by_default_and_name_their_parts(
    composed: MetamorphicRelation,
) -> None:
    first, second = composed.parts
    assert not composed.default
    assert composed.id == f"{first.id}+{second.id.removeprefix('boolq/')}"
    assert {first.id, second.id} <= BY_ID.keys()
