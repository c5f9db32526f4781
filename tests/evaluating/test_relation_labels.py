from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.evaluating.labelled import read_labelled
from mt_gate.evaluating.relation_labels import AGAIN, LabelFormat, labelled_pairs
from mt_gate.tasks.relation_extraction import is_right

TOKENS: dict[str, Any] = {
    "tokens": ["Anna", "Berg", "lives", "in", "Oslo", "."],
    "head": {"text": "Anna Berg", "start": 0, "end": 2, "type": "PERSON"},
    "tail": {"text": "Oslo", "start": 4, "end": 5, "type": None},
}


def written(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return path


def read(path: Path, *lines: object, distant: bool = False) -> Any:
    return labelled_pairs(written(path / "a.jsonl", *lines), LabelFormat(distant=distant))


def test_both_kinds_of_label(tmp_path: Path) -> None:
    line = {**TOKENS, "auto_labels": ["lives", "born"], "manual_labels": []}
    (found,), again = read(tmp_path, line)
    assert found.input == {
        "text": "Anna Berg lives in Oslo.",
        "head": [0, 9, "PERSON"],
        "tail": [19, 23, ""],
    }
    assert (found.head, found.tail) == ("annaberg", "oslo")
    assert (found.auto, found.manual) == ({"lives", "born"}, set())
    assert again == {}


@pytest.mark.parametrize(
    ("distant", "auto", "manual"), [(False, None, {"lives"}), (True, {"lives"}, None)]
)
def test_a_plain_relation(distant: bool, auto: Any, manual: Any, tmp_path: Path) -> None:
    text = {"text": "Anna in Oslo", "head": {"start": 8, "end": 12, "id": "Q585"}}
    line = {**text, "tail": {"start": 0, "end": 4, "qid": "Q1"}, "relation": "lives"}
    (found,), _ = read(tmp_path, line, distant=distant)
    assert (found.auto, found.manual) == (auto, manual)
    assert (found.head, found.tail) == ("q585", "q1")


@pytest.mark.parametrize("none", ["NA", "no_relation", "N/A", "Other", "none", ""])
def test_no_relation_is_no_label(none: str, tmp_path: Path) -> None:
    (found,), _ = read(tmp_path, {**TOKENS, "relation": none})
    assert found.manual == set()


def test_lines_of_one_sentence_are_put_together(tmp_path: Path) -> None:
    lines = [
        {**TOKENS, "relation": "lives"},
        {**TOKENS, "relation": "NA"},
        {**TOKENS, "relation": "born"},
        {**TOKENS, "head": TOKENS["tail"], "tail": TOKENS["head"], "relation": "home_of"},
    ]
    (one, other), again = read(tmp_path, *lines)
    assert one.manual == {"lives", "born"}
    assert other.manual == {"home_of"}
    assert one.bag != other.bag
    assert again == {AGAIN: 2}


def test_unclear_spacing_leaves_nothing_out(tmp_path: Path) -> None:
    tokens = ["Anna", "/", "Bo", "in", "Oslo", "*"]
    line = {"tokens": tokens, "head": {"start": 0, "end": 1}, "tail": {"start": 4, "end": 5}}
    (found,), _ = read(tmp_path, {**line, "relation": "x"})
    assert found.input["text"] == "Anna / Bo in Oslo *"
    assert found.input["tail"] == [13, 17, ""]


def test_samples_of_one_bag_are_one_cluster(tmp_path: Path) -> None:
    other = {**TOKENS, "tokens": ["ANNA", "Berg", "left", "for", "Oslo", "."], "relation": "NA"}
    path = written(tmp_path / "a.jsonl", {**TOKENS, "relation": "lives"}, other)
    one, two = read_labelled(path, "re").samples
    assert one.cluster == two.cluster
    assert one.gold == {"relations": ["lives"]}
    assert two.gold == {"relations": ["no_relation"]}
    assert is_right(two.gold, {"relation": "NA"})
    assert not is_right(one.gold, {"relation": "NA"})
    assert is_right(one.gold, {"relation": "lives"})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "line 1: no label of any kind"),
        ({"relation": "x", "tokens": None}, "line 1: neither tokens nor text"),
        ({"relation": "x", "tail": {"start": 5, "end": 9}}, "line 1: tail spans tokens 5 to 9"),
        ({"relation": "x", "tail": {"start": 1, "end": 3}}, "overlap"),
        ({"auto_labels": "x"}, "line 1: auto_labels is not a list"),
        ({"relation": 3}, "line 1: relation is 3; expected a string"),
    ],
)
def test_an_unfit_line_is_told(change: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(CannotJudge) as told:
        read(tmp_path, {**TOKENS, **change})
    assert words in str(told.value)
    assert "\n" not in str(told.value)


def test_other_forms_are_read_too(tmp_path: Path) -> None:
    line = {"text": "Anna in Oslo", "relation": "lives", "h": {"pos": [0, 4], "id": "Q1"}}
    path = written(tmp_path / "a.txt", {**line, "t": {"pos": [8, 12], "id": "Q585"}})
    (found,), _ = labelled_pairs(path, LabelFormat("opennre", distant=True))
    assert (found.head, found.tail) == ("q1", "q585")
    assert (found.auto, found.manual) == ({"lives"}, None)
    with pytest.raises(UsageError, match="--format nyt"):
        labelled_pairs(path, LabelFormat("nyt"))
    with pytest.raises(UsageError, match="takes no --patch"):
        labelled_pairs(path, LabelFormat(patch=path))
    with pytest.raises(CannotJudge, match="no such file"):
        labelled_pairs(tmp_path / "none", LabelFormat("opennre"))


def test_a_file_without_a_line_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotJudge, match="no labelled sentence"):
        read(tmp_path)


SPANS = st.fixed_dictionaries({"start": st.integers(-1, 4), "end": st.integers(-1, 5)})
LINES = st.fixed_dictionaries(
    {"head": SPANS, "tail": SPANS, "relation": st.sampled_from(["x", "NA"])},
    optional={
        "tokens": st.lists(st.text(max_size=4), max_size=5),
        "text": st.text(max_size=9),
        "auto_labels": st.lists(st.text(max_size=3), max_size=2),
    },
)


@given(LINES)
def test_any_line_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, line: Any) -> None:
    path = written(tmp_path_factory.mktemp("lines") / "a.jsonl", line)
    with contextlib.suppress(CannotJudge):
        (found,), _ = labelled_pairs(path)
        text = found.input["text"]
        for start, end, _ in (found.input["head"], found.input["tail"]):
            assert text[start:end]
