"""Corpora of relations in the forms they are published in; every bad row is one clear line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.relation_corpora.reading import FORMATS, read_relations
from mt_gate.relation_corpora.row import Mark, RowFault, row_of_tokens
from mt_gate.tasks.relation_extraction import fault, make_input

TOKENS = ["Ann", "Lee", "was", "born", "in", "Oslo", ",", "Norway", "."]
TEXT = "Ann Lee was born in Oslo, Norway."
TACRED = {
    "id": "a1",
    "token": TOKENS,
    "subj_start": 0,
    "subj_end": 1,
    "subj_type": "PERSON",
    "obj_start": 5,
    "obj_end": 5,
    "obj_type": "CITY",
    "relation": "per:city_of_birth",
}
FEWREL = {"tokens": TOKENS, "h": ["ann lee", "Q1", [[0, 1]]], "t": ["oslo", "Q2", [[5], [7]]]}
WIKI20 = {
    "token": TOKENS,
    "h": {"name": "Ann Lee", "id": "Q1", "pos": [0, 2]},
    "t": {"name": "Oslo", "id": "Q2", "pos": [5, 6]},
    "relation": "place of birth",
}
NYT10 = {
    "text": "Ann Lee was born in Oslo , Norway .",
    "h": {"name": "Ann Lee", "id": "m1", "pos": [0, 7]},
    "t": {"name": "Oslo", "id": "m2", "pos": [20, 24]},
    "relation": "/people/person/place_of_birth",
}
OWN = {
    "tokens": TOKENS,
    "head": {"text": "Ann Lee", "start": 0, "end": 2, "type": "PERSON"},
    "tail": {"text": "Oslo", "start": 5, "end": 6},
    "relation": "born-in",
}
LETTERS = {"text": TEXT, "head": {"start": 0, "end": 7}, "tail": {"start": 20, "end": 24}}
SEMEVAL = (
    '8\t"The <e1>lid</e1> of the <e2>box</e2>, he said, was red."\n'
    "Component-Whole(e1,e2)\nComment: none\n\n"
    '9\t"A <e2>press</e2> made the <e1>oil</e1>."\nOther\nComment:\n'
)
KBP37 = (
    '0\t"<e1> Ann Lee </e1> was born in <e2> Oslo </e2> , Norway ."\n'
    "per:city_of_birth(e1,e2)\n\n"
    '7\t"<e2> Ann Lee </e2> was born in <e1>  </e1> Norway ."\nno_relation\n'
)


Write = Callable[[object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a text, or JSON."""

    def write(value: object, name: str = "corpus.txt") -> Path:
        path = tmp_path / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("form", "value", "relation", "kinds", "entities"),
    [
        ("tacred", [TACRED], "per:city_of_birth", ("PERSON", "CITY"), ("Ann Lee", "Oslo")),
        ("fewrel", {"P19": [FEWREL]}, "P19", ("", ""), ("Q1", "Q2")),
        ("opennre", WIKI20, "place of birth", ("", ""), ("Q1", "Q2")),
        ("opennre", NYT10, "/people/person/place_of_birth", ("", ""), ("m1", "m2")),
        ("jsonl", OWN, "born-in", ("PERSON", ""), ("Ann Lee", "Oslo")),
        ("kbp37", KBP37, "per:city_of_birth(e1,e2)", ("", ""), ("Ann Lee", "Oslo")),
    ],
)
def test_formats(
    write: Write,
    form: str,
    value: object,
    relation: str,
    kinds: tuple[str, str],
    entities: tuple[str, str],
) -> None:
    (row,) = read_relations(write(value), form)
    assert row.text == TEXT
    assert row.as_written
    assert [row.text[a.start : a.end] for a in (row.head, row.tail)] == ["Ann Lee", "Oslo"]
    assert (row.head.type, row.tail.type) == kinds
    assert row.relations == (relation,)
    assert (row.head_entity, row.tail_entity) == entities


def test_semeval_is_as_written(write: Write) -> None:
    first, second = read_relations(write(SEMEVAL), "semeval")
    assert first.text == "The lid of the box, he said, was red."
    assert first.relations == ("Component-Whole(e1,e2)",)
    assert first.id == "corpus-8"
    assert [second.text[a.start : a.end] for a in (second.head, second.tail)] == ["oil", "press"]


def test_published_empty_rows_of_kbp37_are_left_out_and_reported(write: Write) -> None:
    result: list[str] = []
    list(read_relations(write(KBP37), "kbp37", left_out=result.append))
    assert result == ["7 (line 4)"]


def test_retacred_is_what_its_patch_names(write: Any) -> None:
    corpus = write([TACRED, TACRED | {"id": "a2"}])
    patch = write({"a2": "no_relation"}, "patch.json")
    (row,) = read_relations(corpus, "retacred", patch)
    assert (row.id, row.relations) == ("a2", ("no_relation",))


def test_a_patch_of_tacred_revisited_leaves_the_others(write: Any) -> None:
    corpus = write([TACRED, TACRED | {"id": "a2"}])
    patch = write([{"id": "a2", "relation": "per:origin"}], "patch.json")
    rows = read_relations(corpus, "retacred", patch)
    assert [row.relations for row in rows] == [("per:city_of_birth",), ("per:origin",)]


def test_unclear_spacing_falls_back_to_blanks(write: Write) -> None:
    tokens = ["Ann", "Lee", "/", "Bob", "Ray", "left", "."]
    value = OWN | {"tokens": tokens, "tail": {"start": 3, "end": 5}}
    (row,) = read_relations(write(value), "jsonl")
    assert row.text == "Ann Lee / Bob Ray left ."
    assert not row.as_written
    assert row.text[row.tail.start : row.tail.end] == "Bob Ray"


def test_text_next_to_tokens_is_the_sentence_as_written(write: Write) -> None:
    value = OWN | {"text": "Ann Lee was born  in Oslo , Norway ."}
    (row,) = read_relations(write(value), "jsonl")
    assert row.text == value["text"]
    assert row.text[row.tail.start : row.tail.end] == "Oslo"


def test_characters_of_a_text(write: Write) -> None:
    head, tail = {"start_char": 0, "end_char": 7}, {"start_char": 20, "end_char": 24, "qid": "Q2"}
    (row,) = read_relations(write({"text": TEXT, "head": head, "tail": tail}), "jsonl")
    assert (row.head, row.tail_entity, row.relations) == ((0, 7, ""), "Q2", ())
    labels = {"text": TEXT, "head": head, "tail": tail, "manual": ["a", "b"]}
    (row,) = read_relations(write(labels), "jsonl", labels="manual")
    assert row.relations == ("a", "b")


def test_the_comma_of_a_date_is_clear(write: Write) -> None:
    tokens = ["Ann", "left", "Oslo", "on", "June", "16", ",", "1988", "."]
    value = OWN | {
        "tokens": tokens,
        "head": {"start": 0, "end": 1},
        "tail": {"start": 4, "end": 8},
    }
    (row,) = read_relations(write(value), "jsonl")
    assert row.text == "Ann left Oslo on June 16, 1988."
    assert row.text[row.tail.start : row.tail.end] == "June 16, 1988"


def test_packed_files(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(OWN).encode()))
    assert [row.id for row in read_relations(path, "jsonl")] == ["corpus-1"]


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        (
            "tacred",
            [TACRED | {"obj_end": 9}],
            "row a1: tail spans tokens 5 to 10, but there are 9. Fix or remove the",
        ),
        ("tacred", [TACRED | {"obj_start": 1}], "head 0 to 7 and tail 4 to 24 overlap"),
        ("tacred", [TACRED | {"obj_type": "FISH"}], "row a1: tail is of type 'FISH'. Known: "),
        ("tacred", [TACRED | {"subj_start": "0"}], "subj_start is '0', expected a whole number"),
        ("tacred", [TACRED | {"token": "Ann"}], "token is not a list of strings"),
        ("tacred", [{"id": "a9"}], "row a9: token, relation is missing, expected"),
        ("tacred", [TACRED, TACRED], "the id 'a1' occurs twice"),
        ("tacred", ["a"], "row 0: it is of type str, expected a JSON object"),
        ("tacred", TACRED, "JSON of type dict. Expected a list"),
        ("tacred", "[{", "not JSON"),
        ("tacred", "", "not JSON"),
        ("fewrel", {"P19": [FEWREL | {"h": ["x", "Q1", []]}]}, "row P19-0: h is ['x', 'Q1', []]"),
        ("fewrel", {"P19": [FEWREL | {"h": ["x", "Q1", [[0, 2]]]}]}, "[0, 2], expected consec"),
        ("fewrel", [FEWREL], "expected a JSON object from relations"),
        ("opennre", WIKI20 | {"h": {"pos": [0]}}, "row at line 1: pos of h is [0], expected"),
        ("opennre", NYT10 | {"t": {"pos": [20, 99]}}, "tail spans 20 to 99, but the text has 35"),
        ("opennre", NYT10 | {"t": {"pos": [5, 12]}}, "head 0 to 7 and tail 5 to 12 overlap"),
        ("opennre", {k: v for k, v in NYT10.items() if k != "text"}, "neither token nor text"),
        ("jsonl", OWN | {"head": {"start": 3, "end": 3}}, "head spans tokens 3 to 3"),
        ("jsonl", OWN | {"head": {"start": True, "end": 2}}, "start of head is True"),
        ("jsonl", OWN | {"head": [0, 2]}, "it is of type list, expected a JSON object"),
        ("jsonl", OWN | {"relation": 4}, "relation is 4, expected a string"),
        (
            "jsonl",
            OWN | {"tokens": [*TOKENS[:5], " ", *TOKENS[6:]]},
            "tail spans only white space",
        ),
        ("jsonl", OWN | {"entities": [[0, 1, "PERSON"]]}, "but entities need text"),
        ("jsonl", LETTERS | {"entities": "Anna"}, "expected a list of [start, end, type]"),
        ("jsonl", LETTERS | {"entities": [[0, 4]]}, "expected [start, end, type]"),
        ("jsonl", LETTERS | {"entities": [[0, 99, "PERSON"]]}, "expected a span and a type"),
        ("jsonl", LETTERS | {"entities": [[0, 4, ""]]}, "expected a span and a type"),
        ("jsonl", LETTERS | {"entities": [[0, 4, "PERSONS"]]}, "Known: "),
        ("jsonl", LETTERS | {"entities": [[0.5, 4, "PERSON"]]}, "expected a whole number"),
        ("jsonl", "nonsense", "line 1: not JSON"),
        ("jsonl", "[" * 100_000, "line 1: not JSON"),
        (
            "semeval",
            '1\t"The <e1>lid</e1> was red."\nOther\n',
            "row 1 (line 1): the marker <e2>",
        ),
        (
            "semeval",
            '1\t"<e1>a</e1> <e1>b</e1> <e2>c</e2>"\nOther\n',
            "<e1> occurs twice",
        ),
        ("semeval", '1\t"<e1>a <e2>b</e1> c</e2>"\nOther\n', "overlap"),
        ("semeval", '1\t"<e1>a</e1> <e2>b</e2>"\n', "line 1: the sentence has no relation"),
        (
            "semeval",
            SEMEVAL.replace("Component-Whole(e1,e2)\nComment: none\n", ""),
            "line 3: this is a sent",
        ),
        ("semeval", "hello\n", "line 1: unknown form, expected a number, a tab"),
        ("kbp37", KBP37.replace("</e2> ,", ","), "the marker </e2> is missing"),
    ],
)
def test_bad_input_is_one_line_that_names_the_row(
    write: Write, form: str, value: object, expected: str
) -> None:
    path = write(value)
    with pytest.raises(CannotJudge) as failure:
        list(read_relations(path, form))
    message = str(failure.value)
    assert expected in message
    assert str(path) in message
    assert "\n" not in message


def test_damaged_bytes(tmp_path: Path) -> None:
    for name, data, actual in (
        ("a.jsonl", b"\xff\xfe{}", "line 1 is not UTF-8"),
        ("b.jsonl.gz", gzip.compress(b"{}" * 999)[:20], "truncated or not gzip"),
        ("c.jsonl.gz", b"plain", "truncated or not gzip"),
        ("d.jsonl", b"x" * (5 << 20), "line 1 has over"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CannotJudge, match=actual):
            list(read_relations(tmp_path / name, "jsonl"))


@pytest.mark.parametrize("form", FORMATS)
def test_a_missing_file(form: str, tmp_path: Path) -> None:
    patch = tmp_path / "patch.json" if form == "retacred" else None
    with pytest.raises(UsageError, match="does not exist"):
        list(read_relations(tmp_path / "none", form, patch))


def test_flags_out_of_place(write: Any) -> None:
    path = write([TACRED])
    with pytest.raises(UsageError, match=r"format 'xml'\. Known: jsonl"):
        list(read_relations(path, "xml"))
    with pytest.raises(UsageError, match="needs a --patch"):
        list(read_relations(path, "retacred"))
    with pytest.raises(UsageError, match="takes no --patch"):
        list(read_relations(path, "tacred", path))


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"b7": "x"}, "none of its 1 ids is in"),
        ("x", "not a patch, expected"),
        ([3], "it is of type int"),
    ],
)
def test_a_patch_that_does_not_fit(write: Any, patch: object, expected: str) -> None:
    corpus, named = write([TACRED]), write(json.dumps(patch), "patch.json")
    with pytest.raises(CannotJudge, match=expected):
        list(read_relations(corpus, "retacred", named))


@given(
    st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=12),
    st.tuples(*[st.integers(-1, 13)] * 4),
)
def test_a_row_is_sound_or_refused(tokens: list[str], ends: tuple[int, ...]) -> None:
    marks = Mark(*ends[:2]), Mark(*ends[2:])
    try:
        row = row_of_tokens("a", tokens, marks, ["x"])
    except RowFault:
        return
    assert not fault(make_input(row.text, row.head, row.tail))
    for mark, argument in zip(marks, (row.head, row.tail), strict=True):
        words, actual = (
            "".join(tokens[mark.start : mark.end]),
            row.text[argument.start : argument.end],
        )
        assert [c for c in words if c.isalnum()] == [c for c in actual if c.isalnum()]


def test_real_corpora(shared: Path) -> None:
    rows = list(read_relations(shared / "data" / "re" / "kbp37_test.jsonl.gz", "jsonl"))
    assert len(rows) == 3379
    assert all(not fault(make_input(row.text, row.head, row.tail)) for row in rows)


def test_readers_load_no_parser() -> None:
    program = "import sys, mt_gate.relation_corpora.reading; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"
