"""A user's sources, as lines or JSON lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.tasks.table import TASKS
from mt_gate_suites.own.sources import read_sources


def read(tmp_path: Path, text: str, task: str = "text") -> list[tuple[str, dict[str, str]]]:
    path = tmp_path / "texts.txt"
    path.write_text(text)
    return [(one.id, dict(one.input)) for one in read_sources((path,), TASKS[task])]


def test_lines_and_json_lines(tmp_path: Path) -> None:
    text = 'One.\n\n{"text": "Two.", "second": "Deux."}\n{"id": 7, "text": "Three."}\nOne.\n'
    assert read(tmp_path, text) == [
        ("texts-1", {"text": "One."}),
        ("texts-3", {"text": "Two.", "second": "Deux."}),
        ("7", {"text": "Three."}),
    ]
    assert read(tmp_path, '{"text": "One.", "second": null}\n') == [("texts-1", {"text": "One."})]


def test_inputs_of_two_texts(tmp_path: Path) -> None:
    line = '{"question": "is it", "passage": "It is.", "answer": true}\n'
    assert read(tmp_path, line, "boolq") == [
        ("texts-1", {"question": "is it", "passage": "It is."})
    ]


@pytest.mark.parametrize(
    ("text", "task", "message"),
    [
        ("", "text", "no source"),
        ("\n \n", "text", "no source"),
        ("{not json\n", "text", "texts.txt:1: no JSON object (Expecting property name"),
        ('a\n{"text": 1,}\n', "text", "double quotes at character 12); expected one in braces on"),
        ('{"second": "a"}\n', "text", "texts.txt:1: no usable text (its keys: 'second'); expected"),
        ('{"id": 7, "txt": "a"}\n', "text", "(its keys: 'id, txt'); expected text, not empty, of"),
        ('{"text": 7}\n', "text", "no usable text"),
        ('{"text": "a", "second": " "}\n', "text", "no usable text"),
        ("a line\n", "boolq", "expected an object with question, passage"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "text", "'a' stands there twice"),
        ('{"id": [], "text": "x"}\n', "text", "expected a short text"),
        ('{"text": null}\n', "text", "no usable text"),
        ('{"text": "a\\ud800"}\n', "text", "texts.txt:1: it has half of a character"),
        ('{"text": "a", "id": "\\ud800"}\n', "text", "texts.txt:1: it has half of a character"),
        ('a\n{"text": "a", "second": "b\\u0000"}\n', "text", "texts.txt:2: second has the control"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, task: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        read(tmp_path, text, task)
    assert message in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read_sources((tmp_path / "none",), TASKS["text"])
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_sources((tmp_path / "bytes",), TASKS["text"])


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert read(tmp_path, '\ufeff{"text": "One."}\n') == [("texts-1", {"text": "One."})]


def test_pairs_of_one_sentence_share_a_cluster(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    line = '{"text": "Anna met Boris in Oslo.", "head": [%s, "PERSON"], "tail": [18, 22, "CITY"]}\n'
    path.write_text(line % "0, 4" + line % "9, 14")
    assert [one.cluster for one in read_sources((path,), TASKS["re"])] == ["", "pairs-1"]
