"""Right answers as corpora of each kind state them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import UsageError
from mt_gate.domain import Group, Source
from mt_gate.relations.stated import Becomes, Equals, IsNot, OutputRelation, Same, When
from mt_gate.suites.format import SuiteRelation
from mt_gate_suites.known_answers import KnownAnswer, read_known_answers, with_answers
from mt_gate_suites.recipe import CorpusFile, Recipe


def recipe(kind: str, task: str, label: str = "", **more: Any) -> Recipe:
    named = {"file": "" if kind == "templates" else "file.jsonl", **more}
    corpus = CorpusFile(name="c", kind=kind, licence="CC0", attribution="me", **named)
    return Recipe(
        name="r", task=task, version="1", seed=1, description="", corpus=(corpus,), label=label
    )


def known(
    of: Recipe,
    data: Path,
    relations: Sequence[SuiteRelation] = (),
    groups: Sequence[Group] = (),
) -> dict[str, KnownAnswer]:
    return read_known_answers(of, data, relations, groups)


def lines(folder: Path, *rows: dict[str, Any]) -> None:
    (folder / "file.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_a_label_of_a_published_text(tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_text("text,category\nwhere is it,arrival\n")
    actual = known(recipe("published", "text", format="banking77"), tmp_path)
    slices = {"domain": "banking", "intent": "arrival"}
    assert actual == {"banking77-1": KnownAnswer(("arrival",), slices)}


def test_in_a_suite_about_a_label_others_have_none(tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_text("text,category\nbad,hateful\ngood,fine\n")
    actual = known(recipe("published", "text", "hateful", format="banking77"), tmp_path)
    assert [actual[f"banking77-{i}"].gold for i in (1, 2)] == [("hateful",), ()]


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


@pytest.mark.parametrize(
    ("output", "gold"),
    [
        (IsNot(labels={"entailment": ("entailment",)}), ("entailment",)),
        (Becomes(labels={"entailment": "neutral"}), ("entailment",)),
        (Same(labels=("contradiction",), when=When(label="contradiction")), ("contradiction",)),
        (Same(), None),
        (Equals(), None),
        (Becomes(labels={"a": "b", "b": "a"}), None),
    ],
)
def test_a_template_starts_from_the_label_of_its_relation(
    tmp_path: Path, output: OutputRelation, gold: tuple[str, ...] | None
) -> None:
    relation = SuiteRelation(id="text/r", groups=1, sources=1, title="R", output=output)
    group = Group(id="g", relation="text/r", source="s", follow_up={"text": "b"})
    actual = known(recipe("templates", "text"), tmp_path, [relation], [group])
    assert actual.get("s", KnownAnswer(("none",))).gold == (gold or ("none",))


def test_sources_get_theirs_and_keep_their_own() -> None:
    stated = Source(id="b", input={}, origin="o", gold=("x",))
    sources = [Source(id="a", input={}, origin="o"), stated]
    actual = with_answers(sources, {"a": KnownAnswer(("y",), {"kind": "z"})})
    assert (actual[0].gold, actual[0].slices) == (("y",), {"kind": "z"})
    assert actual[1] == stated
