"""Right answers as corpora of each kind state them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.domain import Source
from mt_gate_suites.known_answers import KnownAnswer, read_known_answers, with_answers
from mt_gate_suites.recipe import CorpusFile, Recipe


def recipe(kind: str, task: str, label: str = "", **more: Any) -> Recipe:
    named = {"file": "file.jsonl", **more}
    corpus = CorpusFile(name="c", kind=kind, licence="CC0", attribution="me", **named)
    return Recipe(
        name="r", task=task, version="1", seed=1, description="", corpus=(corpus,), label=label
    )


def known(of: Recipe, data: Path) -> dict[str, KnownAnswer]:
    return read_known_answers(of, data)


def lines(folder: Path, *rows: dict[str, Any]) -> None:
    (folder / "file.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_a_label_of_a_text(tmp_path: Path) -> None:
    lines(tmp_path, {"id": "a", "text": "where is it", "label": "arrival", "slices": {"x": "y"}})
    assert known(recipe("labelled", "text"), tmp_path) == {
        "a": KnownAnswer(("arrival",), {"x": "y"})
    }


def test_in_a_suite_about_a_label_others_have_none(tmp_path: Path) -> None:
    rows = ({"id": label, "text": "a", "label": label} for label in ("hateful", "fine"))
    lines(tmp_path, *rows)
    actual = known(recipe("labelled", "text", "hateful"), tmp_path)
    assert [actual[name].gold for name in ("hateful", "fine")] == [("hateful",), ()]


def test_answers_to_questions(tmp_path: Path) -> None:
    question = {"question": "is it", "passage": "It is."}
    lines(
        tmp_path,
        {**question, "id": "q1", "answer": True},
        {**question, "answer": False},
        {**question, "id": "q3", "answer": None},
        {**question, "id": "q4"},
    )
    actual = known(recipe("questions", "boolq"), tmp_path)
    assert actual == {
        "q1": KnownAnswer(("yes",), {"answer": "yes"}),
        "file-2": KnownAnswer(("no",), {"answer": "no"}),
    }


def pair(relation: str) -> dict[str, Any]:
    return {
        "id": "r1",
        "tokens": ["Anna", "married", "Boris"],
        "head": {"text": "Anna", "start": 0, "end": 1},
        "tail": {"text": "Boris", "start": 2, "end": 3},
        "relation": relation,
    }


@pytest.mark.parametrize(
    ("scheme", "relation", "gold"),
    [
        (
            "wikidata",
            "P26",
            {"wikidata:P26", "tacred:per:spouse", "retacred:per:spouse",
             "kbp37:per:spouse(e1,e2)", "wiki80:spouse"},
        ),
        ("wikidata", "P59", {"wikidata:P59", "wiki80:constellation"}),
        ("semeval2010", "Cause-Effect", {"semeval2010:Cause-Effect(e1,e2)"}),
        ("semeval2010", "Other", {"semeval2010:Other"}),
    ],
)  # fmt: skip
def test_relations_of_a_scheme(tmp_path: Path, scheme: str, relation: str, gold: set[str]) -> None:
    lines(tmp_path, pair(relation))
    of = recipe("relations", "re", format="jsonl", scheme=scheme)
    [actual] = known(of, tmp_path).values()
    assert {*actual.gold} == gold
    assert actual.slices == {"relation": actual.gold[0]}


def test_a_corpus_without_a_scheme_says_nothing(tmp_path: Path) -> None:
    lines(tmp_path, pair("P26"))
    assert known(recipe("relations", "re", format="jsonl"), tmp_path) == {}


def test_a_relation_that_its_scheme_lacks(tmp_path: Path) -> None:
    lines(tmp_path, pair("met"))
    with pytest.raises(UsageError, match="'met' is not in scheme"):
        known(recipe("relations", "re", format="jsonl", scheme="wikidata"), tmp_path)


def test_sources_get_theirs_and_keep_their_own() -> None:
    stated = Source(id="b", input={}, origin="o", gold=("x",))
    sources = [Source(id="a", input={}, origin="o"), stated]
    actual = with_answers(sources, {"a": KnownAnswer(("y",), {"kind": "z"})})
    assert (actual[0].gold, actual[0].slices) == (("y",), {"kind": "z"})
    assert actual[1] == stated
