from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.sut.systems.json_lines import (
    ENTITIES,
    LABELS,
    Answer,
    EntityLine,
    Identity,
    LabelLine,
    read_line,
    request,
)

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


def test_a_request_is_one_line_whatever_the_text() -> None:
    line = request(7, {"text": "Zoë said:\n“no” 😀\u2028"}, ENTITIES)
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"id": 7, "text": "Zoë said:\n“no” 😀\u2028"}


def test_an_answer() -> None:
    found = read_line(b'{"id": 3, "entities": [[0, 4, "PER"]]}', "c", ENTITIES)
    assert found == Answer(3, EntityLine(id=3, entities=[(0, 4, "PER")]))
    line = b'{"entities":[],"id":0,"score":0.5,"labels":7}\r'
    assert read_line(line, "c", ENTITIES) == Answer(0, EntityLine(id=0, entities=[]))


def test_labels() -> None:
    line = b'{"id": 3, "labels": ["toxic"], "scores": {"toxic": 0.75, "fair": 1}}'
    scores = {"toxic": 0.75, "fair": 1.0}
    found = LabelLine(id=3, labels=["toxic"], scores=scores)
    assert read_line(line, "c", LABELS) == Answer(3, found)
    bare = read_line(b'{"id": 3, "labels": []}', "c", LABELS)
    assert bare == Answer(3, LabelLine(id=3, labels=[]))


def test_a_pair_is_sent_with_both_texts() -> None:
    value = {"text": "a", "second": "b", "note": "by hand"}
    assert json.loads(request(1, value, LABELS)) == {"id": 1, "text": "a", "second": "b"}
    assert json.loads(request(1, {"text": "a"}, LABELS)) == {"id": 1, "text": "a"}


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": 1, "scores": {"a": 0.5}}',
        b'{"id": 1, "labels": "toxic"}',
        b'{"id": 1, "labels": [1]}',
        b'{"id": 1, "labels": [], "scores": {"a": "high"}}',
        b'{"id": 1, "labels": [], "scores": [0.5]}',
        b'{"id": 1, "entities": []}',
    ],
)
def test_other_answers_to_a_text_are_refused(line: bytes) -> None:
    with pytest.raises(CannotJudge, match=r'expected a line {"id": n, "labels"'):
        read_line(line, "c", LABELS)


def test_who_it_is() -> None:
    line = b'{"system": {"name": "mine", "fingerprint": "v1"}}'
    assert read_line(line, "c", ENTITIES) == Identity("mine", "v1")
    assert read_line(b'{"system": {"name": "mine"}}', "c", ENTITIES) == Identity("mine", "")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"loading model ...",
        b"[]",
        b"{}",
        b'{"id": 1}',
        b'{"id": 1, "entities": null}',
        b'{"id": "1", "entities": []}',
        b'{"id": 1, "entities": [[0, 4]]}',
        b'{"id": 1, "entities": [[0, 4, "PER", 0.9]]}',
        b'{"id": 1, "entities": [[0.5, 4, "PER"]]}',
        b'{"id": 1, "entities": [["0", 4, "PER"]]}',
        b'{"id": 1, "entities": [{"start": 0, "end": 4, "label": "PER"}]}',
        b'{"id": 1, "entities": [[0, 4, null]]}',
        b'{"id": 99999999999999999999999, "entities": []}',
        b'{"id": 1, "entities": []} trailing',
        b'{"system": {"name": ""}}',
        b'{"system": {}}',
        b'{"system": {"name": "x"}, "id": 1, "entities": []}',
        b'{"id": 1, "entities": [[0, 4, "\\ud800"]]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_anything_else_is_refused_in_one_short_line(line: bytes) -> None:
    with pytest.raises(CannotJudge, match=r'^c: wrote .*expected a line {"id": n') as caught:
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
    if isinstance(read, Answer):
        value = json.loads(line)
        assert isinstance(read.line, EntityLine)
        assert value["id"] == read.id
        assert value["entities"] == [list(entity) for entity in read.line.entities or ()]
    elif isinstance(read, Identity):
        assert json.loads(line)["system"]["name"] == read.name
    else:
        assert refusal


@given(st.integers(0, 10**9), st.text())
def test_round_trip(number: int, text: str) -> None:
    assert json.loads(request(number, {"text": text}, ENTITIES)) == {"id": number, "text": text}
