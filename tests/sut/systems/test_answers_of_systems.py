from __future__ import annotations

import itertools
import json
import shlex
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.command import (
    ANSWER,
    ENTITIES,
    MAX_ENTITY_LABEL,
    CommandSystem,
    EntityLine,
    Identity,
    read_line,
    settled_entities,
    settled_labels,
)
from mt_gate.tasks import boolq

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
LINES = st.one_of(
    st.binary(),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries(
        {}, optional={"id": JSON, "entities": JSON, "system": JSON, "other": JSON}
    ).map(lambda value: json.dumps(value).encode()),
)


@pytest.mark.parametrize(
    "line",
    [b"\xff\xfe", b"[" * 100_000, *map(str.encode, table(__file__, "anything_else_is_refused"))],
)
def test_anything_else_is_refused_in_one_short_line(line: bytes) -> None:
    with pytest.raises(CannotJudge, match=r'^c wrote .*Expected a line {"id": n') as caught:
        read_line(line, "c", ENTITIES)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


@given(LINES)
def test_any_line_is_an_answer_an_identity_or_refused(line: bytes) -> None:
    refusal, read = "", None
    try:
        read = read_line(line, "c", ENTITIES)
    except CannotJudge as error:
        refusal = str(error)
    assert refusal.isprintable()
    if isinstance(read, EntityLine):
        value = json.loads(line)
        assert value["id"] == read.id
        assert value["entities"] == [list(entity) for entity in read.entities or ()]
    elif isinstance(read, Identity):
        assert json.loads(line)["system"]["name"] == read.name
    else:
        assert refusal


REPLIES = """\
import json, sys
for line in sys.stdin:
    print(json.dumps({{"id": json.loads(line)["id"], **{reply!r}}}), flush=True)
"""


def predicted(folder: Path, reply: dict[str, Any]) -> Prediction:
    """Return the prediction of a program that sends the same reply to each question."""
    path = folder / "program.py"
    path.write_text(REPLIES.format(reply=reply))
    program = shlex.join([sys.executable, str(path)])
    with closing(CommandSystem(program, 30.0, exchange=ANSWER)) as system:
        [[(_, prediction)]] = system.predict([boolq.TASK.probe])
    return prediction


@pytest.mark.parametrize(
    ("reply", "output", "margin", "reason"), table(__file__, "predictions_of_a_program")
)
def test_predictions_of_a_program(
    tmp_path: Path, reply: dict[str, Any], output: dict | None, margin: str, reason: str
) -> None:
    assert predicted(tmp_path, reply) == Prediction(output, float(margin), reason)


@pytest.mark.parametrize(("reply", "words"), table(__file__, "replies_that_end_a_run"))
def test_replies_that_end_a_run(tmp_path: Path, reply: dict[str, Any], words: str) -> None:
    with pytest.raises(CannotJudge) as caught:
        predicted(tmp_path, reply)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


TEXT = "Anna met Boris in New York City."
SPANS = st.lists(st.tuples(st.integers(-2, 30), st.integers(-2, 30), st.sampled_from("ABC")))


def entities_of(entities: list) -> list:
    output = settled_entities(TEXT, entities, "here").output
    assert output is not None
    return output["entities"]


def test_of_overlapping_ones_the_longest_stays_then_the_first() -> None:
    assert entities_of([(18, 26, "LOC"), (18, 31, "GPE")]) == [[18, 31, "GPE"]]
    assert entities_of([(4, 10, "B"), (0, 6, "A")]) == [[0, 6, "A"]]
    assert entities_of([(0, 4, "FIRST"), (0, 4, "SECOND")]) == [[0, 4, "FIRST"]]


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 2), (0, 33), (40, 50)])
def test_spans_that_are_none_of_the_text(start: int, end: int) -> None:
    with pytest.raises(
        CannotJudge, match=f"here returned an entity from {start} to {end}, but the text ends at 32"
    ):
        entities_of([(start, end, "PER")])


@pytest.mark.parametrize("label", ["", "  ", "x" * (MAX_ENTITY_LABEL + 1)])
def test_labels_that_are_none(label: str) -> None:
    with pytest.raises(CannotJudge, match="label"):
        entities_of([(0, 4, label)])


@given(SPANS)
def test_entities_are_sorted_disjoint_and_of_the_answer(spans: list) -> None:
    inside = [span for span in spans if 0 <= span[0] < span[1]]
    if inside != spans:
        with pytest.raises(CannotJudge):
            entities_of(spans)
        return
    remaining = entities_of(spans)
    assert all(tuple(entity) in spans for entity in remaining)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(remaining))
    for start, end, _ in spans:  # what was dropped gave way to one at least as long
        assert any(a < end and start < b and b - a >= end - start for a, b, _ in remaining)


def test_each_label_once_and_the_likeliest_first() -> None:
    actual = settled_labels(["a", "b", "a"], {"a": 0.2, "b": 0.8}, "s")
    assert actual == Prediction({"labels": ["b", "a"], "scores": {"a": 0.2, "b": 0.8}})
    assert settled_labels([], {}, "s") == Prediction({"labels": [], "scores": {}})


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        ([" "], {}, "s returned the label ' '"),
        (["x" * 257], {}, "1 to 256 characters"),
        ([], {"": 0.5}, "1 to 256 characters"),
        ([], {"a": 1.5}, r"the score 1\.5 for 'a'\. Expected 0 to 1"),
        ([], {"a": float("nan")}, "the score nan for 'a'"),
        ([str(at) for at in range(10_001)], {}, "more than 10,000 labels"),
    ],
)
def test_other_labels_are_refused(labels: list[str], scores: dict[str, float], words: str) -> None:
    with pytest.raises(CannotJudge, match=words):
        settled_labels(labels, scores, "s")
