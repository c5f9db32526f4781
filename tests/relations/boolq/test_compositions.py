"""Of two relations in a row, the second reads on what the first expects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_answers import judged
from mt_gate.relations.boolq import compositions
from mt_gate.relations.boolq.answers import INVERTED, INVERTED_YES, SAME, Expected, then
from mt_gate.relations.catalogue import BY_ID

TABLES = st.sampled_from([SAME, INVERTED, INVERTED_YES])


@pytest.mark.parametrize(
    ("name", "source", "follow_up", "verdict"),
    [
        ("synonym-adjective+adverbial-position", "yes", "yes", "satisfied"),
        ("synonym-adjective+adverbial-position", "no", "yes", "violated"),
        ("synonym-adjective+negation-tag", "no", "yes", "satisfied"),
        ("antonym-adjective+negation-tag", "yes", "yes", "satisfied"),
        ("antonym-adjective+negation-tag", "yes", "no", "violated"),
        ("antonym-adjective+negation-tag", "no", "yes", "not-applicable"),
        ("tense-change+voice-change", "no", "no", "not-applicable"),
    ],
)
def test_output_relations_are_composed(
    name: str, source: str, follow_up: str, verdict: str
) -> None:
    assert judged(BY_ID[f"boolq/{name}"], source, follow_up).verdict == verdict


@given(TABLES, TABLES, TABLES)
def test_composing_is_associative(a: Expected, b: Expected, c: Expected) -> None:
    assert then(then(a, b), c) == then(a, then(b, c))


@given(TABLES)
def test_the_same_answer_changes_no_other(table: Expected) -> None:
    assert then(SAME, table) == then(table, SAME) == table


def test_none_is_on_by_default_and_each_names_its_parts() -> None:
    for composed in compositions.RELATIONS:
        assert not composed.default
        first, second = composed.parts
        assert composed.id == f"{first.id}+{second.id.removeprefix('boolq/')}"
        assert first.id in BY_ID
        assert second.id in BY_ID


@pytest.mark.parametrize(
    "name", ["antonym-adjective+tense-change", "antonym-adjective+before-after"]
)
def test_what_expects_nothing_is_no_relation(name: str) -> None:
    assert f"boolq/{name}" not in BY_ID
