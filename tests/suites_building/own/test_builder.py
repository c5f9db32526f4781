"""Suites of a user's own relations, sources and pairs: whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from mt_gate.base.errors import UsageError
from mt_gate.domain import Source
from mt_gate.relations.stated import Falls, Same
from mt_gate.suites.format import SuiteFile, read_suite
from mt_gate.tasks.table import TASKS
from mt_gate_suites.own.builder import FEW, build_pairs, build_relations, preview
from mt_gate_suites.own.pairs import Pairs, read_pairs
from mt_gate_suites.own.relations_file import output_of, read_relations
from mt_gate_suites.own.sources import read_sources

DOCS = Path(__file__).parents[3] / "docs" / "own-relations"
SAME = {"kind": "same"}


def unescape(cell: str) -> str:
    return json.loads(f'"{cell}"')


def say(_: str) -> None:
    pass


def build(relations: str, tmp_path: Path, texts: str = "I want it.\nYou want it.\n") -> SuiteFile:
    path, sources, out = tmp_path / "r.toml", tmp_path / "texts.txt", tmp_path / "out"
    path.write_text(relations)
    sources.write_text(texts)
    files = (sources,) if texts else ()
    return build_relations(path, files, out, say, name="own", licence="mine", pipeline="none")


def one(more: str, output: str = '{ kind = "same" }') -> str:
    return f'[[relation]]\nname = "one"\ntitle = "One"\noutput = {output}\n{more}\n'


def test_the_file_of_the_docs_builds_the_same_suite_twice(tmp_path: Path) -> None:
    relations, files = DOCS / "relations.toml", (DOCS / "texts.txt",)
    for name in ("a", "b"):
        out = tmp_path / name
        build_relations(relations, files, out, say, name="own", licence="mine", pipeline="none")
    suite = read_suite(tmp_path / "a")
    assert [relation.id for relation in suite.head.relations] == [
        f"text/{name}"
        for name in ("please-left-out", "everyday-words", "greeting", "denied", "typo")
    ]
    assert all(relation.groups for relation in suite.head.relations)
    assert suite.head.labels == ("toxic", "fine")
    assert {corpus.name for corpus in suite.head.sources} == {"texts.txt", "templates"}
    for file in ("suite.json", "sources.jsonl.gz", "groups.jsonl.gz", "LICENCES.md"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


@cases("own/refused-builds")
def test_refused_builds(tmp_path: Path, relations: str, sources: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        build(unescape(relations), tmp_path, unescape(sources))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_rule_that_fires_everywhere_must_say_so(tmp_path: Path) -> None:
    texts = "".join(f"Text {at} wants it.\n" for at in range(FEW + 1))
    rule = one("words = { wants = 'needs' }")
    with pytest.raises(UsageError, match="relation 'one' matches all 21 texts"):
        build(rule, tmp_path, texts)
    head = build(f"{rule}everywhere = true\n", tmp_path, texts)
    assert head.relations[0].groups == FEW + 1
    with pytest.raises(UsageError, match="makes a text of 1048577 characters from"):
        build(one("insert = { sentences = ['Hi.'] }"), tmp_path, "a " * ((1 << 19) - 1))


def test_a_preview_of_each_relation(tmp_path: Path) -> None:
    shown = preview(DOCS / "relations.toml", (DOCS / "texts.txt",), "none", 2).split("\n")
    at = shown.index("text/please-left-out (same): 2 edited texts of 2 of 10 sources")
    before, after = shown[at + 1 : at + 3]
    assert before.startswith("  - Could you please ")
    assert after == before.replace("  - ", "  + ").replace("please ", "")
    (tmp_path / "r.toml").write_text(one('words = { zebra = "horse" }'))
    actual = preview(tmp_path / "r.toml", (DOCS / "texts.txt",), "none")
    assert actual == "text/one (same): 0 edited texts of 0 of 10 sources"


@cases("own/refused-files")
def test_refused_files(tmp_path: Path, file: str, message: str) -> None:
    path = tmp_path / "relations.toml"
    path.write_text(unescape(file))
    with pytest.raises(UsageError) as error:
        read_relations(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@cases("own/refused-outputs")
def test_refused_outputs(output: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        output_of(json.loads(output), TASKS["text"], ("a", "b"), "file.toml")
    assert str(error.value).startswith("file.toml: ")
    assert message in str(error.value)


def sources(tmp_path: Path, text: str, task: str = "text") -> list[Source]:
    (tmp_path / "texts.txt").write_text(text)
    return read_sources((tmp_path / "texts.txt",), TASKS[task])


def test_sources_are_lines_or_json_lines(tmp_path: Path) -> None:
    text = '\ufeffOne.\n\n{"text": "Two.", "second": "Deux."}\n{"id": 7, "text": "Three."}\nOne.\n'
    assert [(one.id, one.input) for one in sources(tmp_path, text)] == [
        ("texts-1", {"text": "One."}),
        ("texts-3", {"text": "Two.", "second": "Deux."}),
        ("7", {"text": "Three."}),
    ]
    (only,) = sources(tmp_path, '{"text": "One.", "second": null}\n')
    assert only.input == {"text": "One."}
    line = '{"question": "is it", "passage": "It is.", "answer": true}\n'
    (only,) = sources(tmp_path, line, "boolq")
    assert (only.input, only.gold) == ({"question": "is it", "passage": "It is."}, ("yes",))


@cases("own/refused-sources")
def test_refused_sources(tmp_path: Path, lines: str, task: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        sources(tmp_path, unescape(lines), task)
    assert message in str(error.value)


def pairs(tmp_path: Path, *rows: Any, task: str = "text") -> Pairs:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return read_pairs((path,), TASKS[task])


def pair(source: object = "It is.", follow_up: object = "It was.", **more: object) -> Any:
    return {"source": source, "follow_up": follow_up, **more}


def test_pairs(tmp_path: Path) -> None:
    falls = {"kind": "falls", "label": "a", "by": 0.1}
    actual = pairs(
        tmp_path,
        pair(relation="past", output=falls, title="In the past", stratum="be"),
        pair(follow_up="It had been.", relation="past"),
        pair({"text": "a b", "second": "c"}, {"text": "a b", "second": "d"}, output=SAME),
        pair("Is it?", output={"kind": "equals"}, gold=["a"]),
    )
    assert [(one.id, one.title, one.output) for one in actual.relations][:2] == [
        ("text/past", "In the past", Falls(label="a", by=0.1)),
        ("text/same", "Same", Same()),
    ]
    assert [one.id for one in actual.sources] == ["pairs-1", "pairs-2", "pairs-3"]
    assert [(one.source, one.stratum, one.gold) for one in actual.groups] == [
        ("pairs-1", "be", None),
        ("pairs-1", "", None),
        ("pairs-2", "", None),
        ("pairs-3", "", ("a",)),
    ]
    assert actual.groups[2].alignment == ((0, 0, 4),)
    questions = [{"question": one, "passage": "It is."} for one in ("is it", "was it")]
    row = pair(*questions, relation="before-after", output=SAME)
    with pytest.raises(UsageError, match="boolq/before-after is a built-in relation"):
        pairs(tmp_path, row, task="boolq")
    rows = [pair(output={"kind": "equals"}, gold=[label]) for label in ("a", "b")]
    with pytest.raises(UsageError, match=r"pairs.jsonl:2: an earlier line has the same pair"):
        pairs(tmp_path, *rows)


def test_pairs_of_one_sentence_share_a_cluster(tmp_path: Path) -> None:
    def input_of(text: str, head: list[object]) -> dict[str, object]:
        return {"text": text, "head": head, "tail": [18, 22, "CITY"]}

    heads = [0, 4, "PERSON"], [9, 14, "PERSON"]
    before, after = "Anna met Boris in Oslo.", "Anna saw Boris in Oslo."
    rows = [pair(input_of(before, one), input_of(after, one), output=SAME) for one in heads]
    actual = pairs(tmp_path, *rows, task="re")
    assert [one.input["head"] for one in actual.sources] == [*heads]
    assert [one.cluster for one in actual.sources] == ["", "pairs-1"]
    lines = "\n".join(json.dumps(input_of(before, one)) for one in heads)
    assert [one.cluster for one in sources(tmp_path, lines, "re")] == ["", "texts-1"]


@cases("own/refused-pairs")
def test_refused_pairs(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        pairs(tmp_path, *json.loads(rows))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_pairs_build_a_suite_or_nothing(tmp_path: Path) -> None:
    (tmp_path / ".mt-gate-suite-abcd_123").mkdir()  # what a killed build left
    (tmp_path / ".mine").mkdir()
    bad = tmp_path / "pairs.jsonl"
    bad.write_text((DOCS / "pairs.jsonl").read_text() + '{"source": "a"}\n')
    with pytest.raises(UsageError, match=r"pairs\.jsonl:4 has no follow_up"):
        build_pairs((bad,), tmp_path / "suite", say, task="text", name="p", licence="mine")
    files = (DOCS / "pairs.jsonl",)
    with pytest.raises(UsageError, match="suite was not written, because a run could not read"):
        build_pairs(files, tmp_path / "suite", say, task="text", name="x\ny", licence="mine")
    assert not (tmp_path / "suite").exists()
    build_pairs(files, tmp_path / "suite", say, task="text", name="pairs", licence="mine")
    suite = read_suite(tmp_path / "suite")
    assert [(one.id, one.groups) for one in suite.head.relations] == [
        ("text/passive", 2),
        ("text/past", 1),
    ]
    assert suite.head.labels == ("toxic",)
    assert {path.name for path in tmp_path.iterdir()} == {"pairs.jsonl", "suite", ".mine"}
