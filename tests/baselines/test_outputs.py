"""A baseline's answers: kept whole, found by input, and a note where they do not fit."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.made import built
from mt_gate.base.files import canonical
from mt_gate.baselines import outputs as baseline_answers
from mt_gate.baselines.outputs import (
    NOT_STORED,
    OutputsFault,
    compared_rows,
    digest,
    note_on_fault,
    open_outputs,
    outputs_path,
    parse_outputs,
)
from mt_gate.baselines.schema import Baseline, BaselineSource, read_baseline
from mt_gate.baselines.writing import in_memory, record_pair
from mt_gate.domain import Verdict
from mt_gate.results.result import BaselineOutputs, Change, GroupRow
from mt_gate.results.store import as_rows

LOC = {"entities": [[0, 4, "LOC"]]}
NOTHING: dict[str, Any] = {"entities": []}


def group(number: int, **more: Any) -> GroupRow:
    fields = {
        "id": f"{number:016x}",
        "relation": "swap",
        "source_id": f"s{number}",
        "verdict": Verdict.VIOLATED,
        "source": {"text": f"Oslo {number}"},
        "follow_up": {"text": f"In Oslo {number}"},
        "source_output": LOC,
        "follow_up_output": NOTHING,
    }
    return GroupRow(**{**fields, **more})


ROWS = [group(number) for number in range(5)]


def record(folder: Path, rows: list[GroupRow]) -> tuple[Baseline, bytes]:
    """Record; return the baseline and the packed answers as read."""
    path = folder / "ner.json"
    record_pair(path, built(rows), rows)
    return read_baseline(path), outputs_path(path).read_bytes()


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Baseline, bytes]:
    return record(tmp_path, ROWS)


def named(baseline: Baseline, text: bytes) -> tuple[Baseline, bytes]:
    """Pack a text that the baseline names, whatever it says."""
    sha256 = hashlib.sha256(text).hexdigest()
    return msgspec.structs.replace(baseline, answers_sha256=sha256), gzip.compress(text)


inputs = st.dictionaries(st.text(max_size=3), st.text(max_size=5), max_size=2)
outputs = st.none() | st.dictionaries(
    st.sampled_from(["answer", "entities"]),
    st.text(max_size=5) | st.floats(0, 1) | st.lists(st.integers(-9, 9), max_size=3),
    max_size=2,
)


@given(st.lists(st.tuples(inputs, outputs), max_size=12))
def test_stored_answers_are_read_again(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[dict[str, str], Any]]
) -> None:
    answers = {json.dumps(value, sort_keys=True): (value, output) for value, output in pairs}
    rows = [
        group(number, follow_up=value, follow_up_output=output, source_output=None)
        for number, (value, output) in enumerate(answers.values())
    ]
    actual = parse_outputs(*reversed(record(tmp_path_factory.mktemp("pair"), rows)))
    assert len(actual.packed) == sum(output is not None for _, output in answers.values())
    for value, output in answers.values():
        assert actual.to(value) == output
        text = actual.packed.get(digest(canonical(value)))
        assert (text and json.loads(text)) == output


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    one = record(tmp_path / "a", ROWS)[1]
    assert record(tmp_path / "b", ROWS[::-1])[1] == one
    assert one[3] == 0, "no name in the header"
    assert one[4:8] == bytes(4), "no time in the header"


def compared(
    rows: list[GroupRow],
    baseline: Baseline,
    data: bytes | None,
    changes: Mapping[str, Change] | None = None,
) -> tuple[list[GroupRow], str]:
    if changes is None:
        changes = {row.id: row.change for row in rows if row.change is not None}
    path, source = Path("nowhere") / "ner.json", BaselineSource(outputs=data)
    lines, by_relation = as_rows(rows), {group(0).relation: changes}
    if not baseline.answers_sha256:
        return [*compared_rows(lines, by_relation, None)], NOT_STORED
    try:
        outputs = open_outputs(baseline, path, source)
        return [*compared_rows(lines, by_relation, outputs)], ""
    except OutputsFault as fault:
        note = note_on_fault(fault, "ner.answers.gz")
        return [*compared_rows(lines, by_relation, None)], note


def test_only_what_is_shown_carries_answers(pair: tuple[Baseline, bytes]) -> None:
    quiet = {"verdict": Verdict.SATISFIED, "change": Change.OK}
    rows = [
        group(0, change=Change.NEW),
        group(1, change=Change.STILL),
        group(2, verdict=Verdict.SATISFIED, change=Change.FIXED),
        group(3),
        group(4, **quiet),
        group(4, verdict=Verdict.NOT_APPLICABLE, reason="vacuous"),
    ]
    actual, note = compared(rows, *pair)
    assert note == ""
    assert [row.before for row in actual] == [
        *[BaselineOutputs(source=LOC, follow_up=NOTHING)] * 4,
        None,
        None,
    ]
    assert actual[4] == rows[4]


def test_what_an_earlier_comparison_left_is_gone(pair: tuple[Baseline, bytes]) -> None:
    old = BaselineOutputs(source={"entities": []})
    quiet = {"verdict": Verdict.SATISFIED, "before": old}
    rows = [group(1, change=Change.OK, **quiet), group(2, change=Change.NEW, **quiet)]
    for changes in ({row.id: Change.OK for row in rows}, {}):
        actual, _ = compared(rows, *pair, changes)
        assert [(row.change, row.before) for row in actual] == [(changes.get(rows[0].id), None)] * 2


def test_a_baseline_without_answers_says_how_to_have_them(pair: tuple[Baseline, bytes]) -> None:
    old = msgspec.structs.replace(pair[0], answers_sha256="")
    actual, note = compared(ROWS, old, pair[1])
    assert actual == ROWS
    assert note.startswith("The baseline has no stored predictions")
    assert "mt-gate baseline record" in note


def bomb() -> bytes:
    return gzip.compress(b" " * (baseline_answers.MAX_UNPACKED + 10))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda _: None, "does not exist"),
        (lambda _: b"", "belongs to another baseline"),
        (lambda data: data[: len(data) // 2], "ner.answers.gz is truncated or not gzip"),
        (
            lambda _: b"version https://git-lfs.github.com/spec/v1\n",
            "ner.answers.gz is truncated or not gzip",
        ),
        (lambda data: gzip.compress(gzip.decompress(data) + b"x\n"), "inputs without a prediction"),
        (lambda data: gzip.compress(gzip.decompress(data)[:-1]), "belongs to another baseline"),
        (lambda _: bomb(), "too large when unpacked"),
        (lambda _: b"x" * (baseline_answers.MAX_PACKED + 1), "is larger than"),
        (lambda _: gzip.compress(b'{"format":1}\n'), "is not as expected"),
        (lambda _: gzip.compress(b"[" * 9000 + b"\n"), "is not as expected"),
    ],
)
def test_answers_that_do_not_fit_are_a_note(
    pair: tuple[Baseline, bytes], spoil: Any, words: str
) -> None:
    actual, note = compared(ROWS, pair[0], spoil(pair[1]))
    assert actual == ROWS
    assert words in note
    assert note.startswith("Reports do not show the baseline's predictions: ner.answers.gz ")


def head(baseline: Baseline, **more: Any) -> bytes:
    fields = {
        "format": 1,
        "suite_sha256": baseline.suite.sha256,
        "checkpoint_fingerprint": baseline.runs[0].checkpoint.fingerprint,
        "answers": 1,
    }
    return json.dumps({**fields, **more}).encode() + b"\n"


KNOWN = digest(canonical(ROWS[0].source))


@pytest.mark.parametrize(
    ("more", "rest", "words"),
    [
        ({"format": 2}, b"", "has format 2"),
        ({"suite_sha256": "0" * 64}, b"", "another suite or checkpoint"),
        ({"checkpoint_fingerprint": "x"}, b"", "another suite or checkpoint"),
        ({"answers": -1}, b"", "not as expected"),
        ({"answers": 10**9}, b"", "not as expected"),
        ({"more": 1}, b"", "not as expected"),
        ({"answers": 3}, b"{}\n{}\n{}\n", "prediction without inputs"),
        ({}, b"{}\n" + KNOWN[:-1] + b"\n", "prediction without inputs"),
        ({}, b"{}\n" + KNOWN[:-1] + b"?\n", "prediction without inputs"),
        ({}, b"{}\n" + KNOWN * 2 + b"\n", "two predictions for one input"),
        ({}, b"{}\n" + KNOWN + b"\nmore\n", "inputs without a prediction"),
        ({}, b"[]\n" + KNOWN + b"\n", "an invalid prediction"),
        ({}, b"{\n" + KNOWN + b"\n", "an invalid prediction"),
        ({}, b'{"a":"\xff"}\n' + KNOWN + b"\n", "an invalid prediction"),
        ({}, b"[" * 9000 + b"\n" + KNOWN + b"\n", "an invalid prediction"),
    ],
)
def test_hostile_text_that_the_baseline_names_is_a_note(
    pair: tuple[Baseline, bytes], more: dict[str, Any], rest: bytes, words: str
) -> None:
    baseline, data = named(pair[0], head(pair[0], **more) + rest)
    actual, note = compared(ROWS, baseline, data)
    assert actual == ROWS
    assert words in note


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_answers_or_a_fault(data: bytes, packed: bool) -> None:
    baseline, packed_data = named(built(ROWS), head(built(ROWS)) + data)
    with suppress(OutputsFault):
        parse_outputs(packed_data if packed else data, baseline)


@pytest.mark.parametrize("limit", ["MAX_INPUTS", "MAX_UNPACKED", "MAX_PACKED"])
def test_answers_too_large_to_read_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    data = record(tmp_path, ROWS)[1]
    size = {
        "MAX_INPUTS": 2 * len(ROWS),
        "MAX_UNPACKED": len(gzip.decompress(data)),
        "MAX_PACKED": len(data),
    }[limit]
    monkeypatch.setattr(baseline_answers, limit, size)
    baseline, data = record(tmp_path, ROWS)
    assert len(parse_outputs(data, baseline).packed) == 2 * len(ROWS)
    monkeypatch.setattr(baseline_answers, limit, size - 1)
    path = tmp_path / "ner.json"
    words = record_pair(path, built(ROWS), ROWS)
    assert words.startswith(
        "Predictions were not stored, so reports cannot show them: ner.answers.gz "
    )
    assert f"would have {size} " in words
    assert [*tmp_path.iterdir()] == [path]
    assert read_baseline(path).answers_sha256 == ""
    actual = in_memory(built(ROWS), ROWS, "base")
    assert (actual.data, actual.outputs) == (path.read_bytes(), None)


def test_a_kill_between_the_two_leaves_a_baseline_that_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def once(self: Path, target: Path) -> Path:
        if target.suffix == ".json":
            raise Killed
        return replace(self, target)

    old, _ = record(tmp_path, ROWS)
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", once)
    with pytest.raises(Killed):
        record(tmp_path, ROWS[:3])
    monkeypatch.undo()
    assert read_baseline(tmp_path / "ner.json") == old
    _, note = compared(ROWS, old, (tmp_path / "ner.answers.gz").read_bytes())
    assert "belongs to another baseline, or was changed" in note
