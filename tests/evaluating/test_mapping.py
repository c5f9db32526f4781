from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.relation_labels import MAX_MAPPING, UNMAPPED, name_labels, read_mapping

TABLES = {
    "a.tsv": "# x\nfr/capital\tcapital\nus/capital\tcapital\n\nspoken\t\nseat\tcity\tsystem\n",
    "a.csv": '"fr/capital",capital\nus/capital, capital\nspoken,\nseat,city,system\n',
    "a.json": json.dumps(
        {
            "fr/capital": "capital",
            "us/capital": "capital",
            "spoken": None,
            "system": {"seat": "city"},
        }
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_labels_are_merged_and_deleted(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TABLES[name])
    found = read_mapping(path)
    assert found.name == name
    labels = ("fr/capital", "us/capital", "spoken", "seat", "other/x", "NA")
    put = ["capital", "capital", "no_relation", "city", "other/x", "no_relation"]
    assert [found.of_system(label) for label in labels] == put
    assert found.of_file("seat") == "seat"
    assert found.of_file("spoken") == "no_relation"
    assert found.unused(["fr/capital", "seat"], ["us/capital"]) == ["spoken"]


def test_a_label_is_looked_up_once(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("a\tb\nb\tc\n")
    assert read_mapping(path).of_file("a") == "b"


def test_without_a_table_labels_stay() -> None:
    assert UNMAPPED.of_file("x") == "x"
    assert UNMAPPED.of_system("N/A") == "no_relation"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.tsv", "a\n", "line 1: 1 parts"),
        ("a.tsv", "a\tb\tboth\n", "line 1: 3 parts"),
        ("a.tsv", "a\tb\n\ta\n", "line 2: label ''"),
        ("a.tsv", "a\tb\na\tc\n", "line 2: 'a' occurs twice"),
        ("a.tsv", "# nothing\n", "no label"),
        ("a.tsv", "a\t" + "b" * 300, "1 to 200 characters"),
        ("a.csv", 'a,"b\n', "line 1"),
        ("a.json", "[]", "not as expected"),
        ("a.json", '{"a": {"b": "c"}}', "'a' holds an object"),
        ("a.json", '{"a": "b", "file": {"a": "c"}}', "'a' occurs twice"),
    ],
)
def test_an_unfit_table_is_told(name: str, text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    if words == "line 1":  # csv takes an open quote to the end of the file
        assert read_mapping(path).of_file("a") == "b"
        return
    with pytest.raises(CannotJudge) as told:
        read_mapping(path)
    assert words in str(told.value)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)


def test_missing_large_and_binary_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    with pytest.raises(CannotJudge, match="no such file"):
        read_mapping(path)
    path.write_bytes(b"a\t\xff\n")
    with pytest.raises(CannotJudge, match="not UTF-8"):
        read_mapping(path)
    path.write_bytes(b"a" * (MAX_MAPPING + 1))
    with pytest.raises(CannotJudge, match="at most"):
        read_mapping(path)


@given(st.binary(max_size=80), st.sampled_from(["a.tsv", "a.csv", "a.json"]))
def test_any_bytes_are_a_table_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    path = tmp_path_factory.mktemp("table") / name
    path.write_bytes(data)
    with contextlib.suppress(CannotJudge):
        read_mapping(path)


def test_many_labels_are_counted() -> None:
    assert name_labels(["b", "a"]) == "a, b"
    assert name_labels([f"{n:02}" for n in range(50)]).endswith("39 and 10 more")
