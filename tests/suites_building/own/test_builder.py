"""Suites of a user's own relations: whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.errors import USAGE, UsageError
from mt_gate.suites.format import SuiteFile, read_suite
from mt_gate_suites.own.builder import FEW, build_pairs, build_relations

DOCS = Path(__file__).parents[3] / "docs" / "own-relations"
PIPELINE = "none-is-needed"


def say(_: str) -> None:
    pass


def build(relations: str, tmp_path: Path, texts: str = "I want it.\nYou want it.\n") -> SuiteFile:
    path, sources, out = tmp_path / "r.toml", tmp_path / "texts.txt", tmp_path / "out"
    path.write_text(relations)
    sources.write_text(texts)
    files = (sources,) if texts else ()
    return build_relations(path, files, out, say, name="own", licence="mine", pipeline=PIPELINE)


def one(more: str, output: str = '{ kind = "same" }') -> str:
    return f'[[relation]]\nname = "one"\ntitle = "One"\noutput = {output}\n{more}\n'


def test_the_file_of_the_docs_builds_a_suite(tmp_path: Path) -> None:
    files = (DOCS / "texts.txt",)
    out = tmp_path / "suite"
    build_relations(
        DOCS / "relations.toml", files, out, say, name="own", licence="mine", pipeline=PIPELINE
    )
    suite = read_suite(out)
    assert [relation.id for relation in suite.head.relations] == [
        "text/please-left-out",
        "text/everyday-words",
        "text/greeting",
        "text/denied",
        "text/typo",
    ]
    assert all(relation.groups for relation in suite.head.relations)
    assert suite.head.labels == ("toxic", "fine")
    assert {corpus.name for corpus in suite.head.sources} == {"texts.txt", "templates"}
    assert "mine" in (out / "LICENCES.md").read_text()


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        build_relations(
            DOCS / "relations.toml",
            (DOCS / "texts.txt",),
            tmp_path / name,
            say,
            name="own",
            licence="mine",
            pipeline=PIPELINE,
        )
    for file in ("suite.json", "sources.jsonl.gz", "groups.jsonl.gz"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_function_is_named_with_its_digest(tmp_path: Path) -> None:
    (tmp_path / "louder.py").write_text("def f(text, rng):\n    return [text.upper()]\n")
    head = build(one('function = "louder:f"'), tmp_path)
    tool = head.tools["function of text/one"]
    assert tool.startswith("louder:f sha256:")
    assert head.relations[0].groups == 2


def test_templates_alone_need_no_sources(tmp_path: Path) -> None:
    template = 'template = { source = "a {x}", follow_up = "b {x}" }\n[slots]\nx = ["c", "d"]'
    head = build(one(template), tmp_path, texts="")
    assert (head.relations[0].groups, head.relations[0].sources) == (2, 2)


def test_entities_of_task_ner_are_mapped(tmp_path: Path) -> None:
    relation = '[[relation]]\nname = "typo"\nuse = "keyboard-typo"\n'
    head = build(f'task = "ner"\n{relation}', tmp_path, "Anna lives in a beautiful house.\n")
    assert head.relations[0].id == "ner/typo"
    assert read_suite(tmp_path / "out").head.relations[0].output is not None


def test_questions_of_task_boolq_are_edited(tmp_path: Path) -> None:
    line = json.dumps({"question": "is it wanted", "passage": "We want it."})
    rule = one('words = { want = "need", wanted = "needed" }')
    build(f'task = "boolq"\n{rule}', tmp_path, f"{line}\n")
    (group,) = read_suite(tmp_path / "out").groups
    assert group.follow_up == {"question": "is it needed", "passage": "We want it."}
    build(f'task = "boolq"\n{rule}edits = "passage"\n', tmp_path, f"{line}\n")
    (group,) = read_suite(tmp_path / "out").groups
    assert group.follow_up == {"question": "is it wanted", "passage": "We need it."}


MAYBE = "words = { maybe = 'possibly' }"


def test_head_and_tail_of_task_re_move_with_the_text(tmp_path: Path) -> None:
    lines = [
        {"text": "Maybe Anna lives in Oslo.", "head": [6, 10, "PERSON"], "tail": [20, 24, "CITY"]},
        {"text": "Anna Maybe is in Oslo.", "head": [0, 10, "PERSON"], "tail": [17, 21, "CITY"]},
    ]
    texts = "".join(f"{json.dumps(line)}\n" for line in lines)
    build(f"task = 're'\n{one(MAYBE)}", tmp_path, texts)
    (group,) = read_suite(tmp_path / "out").groups
    assert group.follow_up == {
        "text": "Possibly Anna lives in Oslo.",
        "head": [9, 13, "PERSON"],
        "tail": [23, 27, "CITY"],
    }


AB = one("words = { a = 'b' }")
OVERLAP = "[[relation]]\nname = 'n'\nuse = 'lexical-overlap'\n"
LONG = "a " * ((1 << 19) - 1)
MANY = "".join(f"Text {at} wants it.\n" for at in range(FEW + 1))


@pytest.mark.parametrize(
    ("relations", "texts", "message"),
    [
        (one("words = { zebra = 'horse' }"), "a\n", "makes no follow-up of the 1 texts: it never"),
        (one("replace = { pattern = 'a', with = 'a' }"), "a\n", "or changes nothing"),
        (one("replace = { pattern = 'a', with = '' }"), "a\n", "is left without words"),
        (one("words = { wants = 'needs' }"), MANY, "fires on all 21 texts"),
        (one("words = { a = 'b' }"), "", "need sources; give --sources"),
        (one("function = 'json:dumps'"), "a\n", "the function"),
        (one("use = 'no-such'"), "a\n", "uses 'no-such'; relations that ship for task text"),
        ("[[relation]]\nname = 'n'\nuse = 'negation'\n", "a\n", "has no output; this one is of a"),
        (one("words = { a = 'b' }\nedits = 'third'"), "a\n", "edits 'third'; task text has text"),
        (f"task = 're'\n{AB}", "a\n", "expected an object with text, head, tail"),
        (f"task = 're'\n{AB}", '{"text": "a"}\n', "head is None; expected [start, end, type]"),
        (one("words = { a = 'b' }", '{ kind = "alike" }'), "a\n", "kind 'alike'"),
        (f"task = 'ner'\n{AB}", "a\n", "does not fit task ner"),
        (f"task = 'boolq'\n{AB.replace('one', 'before-after')}", "a\n", "relation of mt-gate's"),
        (
            f"labels = ['toxic']\n{OVERLAP}",
            "",
            "names label 'entailment'; labels of the suite: toxic",
        ),
        (one("insert = { sentences = ['Hi.'] }"), LONG, "makes 1048577 characters of"),
        (one("insert = { sentences = ['Hi.'] }\nmost = 2"), "a\n", "has most, which is of replace"),
        (one("use = 'emoji'\neverywhere = true"), "a\n", "has everywhere, which is of replace and"),
        (one("use = 'pair-order'\nonly_if = 'a'"), "a\n", "has only_if, and makes both texts"),
        (one("template = { source = 'a', follow_up = 'b' }\nedits = 'text'"), "", "has edits, and"),
    ],
)
def test_what_is_refused_leaves_nothing(
    tmp_path: Path, relations: str, texts: str, message: str
) -> None:
    with pytest.raises(UsageError) as error:
        build(relations, tmp_path, texts)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_rule_may_be_meant_to_fire_everywhere(tmp_path: Path) -> None:
    head = build(one("words = { wants = 'needs' }\neverywhere = true"), tmp_path, MANY)
    assert head.relations[0].groups == FEW + 1


def test_conditions_hold_of_relations_that_ship_and_of_functions(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def f(text, rng):\n    return [text.upper()]\n")
    for way in ("use = 'emoji'", "function = 'loud:f'"):
        build(one(f"{way}\nonly_if = '^I'"), tmp_path)
        (group,) = read_suite(tmp_path / "out").groups
        assert group.follow_up["text"].casefold().startswith("i want it.")


def test_a_suite_that_no_run_could_read_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    line = {"source": "a", "follow_up": "b", "output": {"kind": "same"}}
    path.write_text(json.dumps(line) + "\n")
    before = {*tmp_path.iterdir()}
    with pytest.raises(UsageError) as error:
        build_pairs((path,), tmp_path / "out", say, task="text", name="x\ny", licence="mine")
    assert str(error.value).startswith(f"{tmp_path / 'out'}: not written, since no run could read")
    assert "suite.json" in str(error.value)
    assert "\n" not in str(error.value)
    assert {*tmp_path.iterdir()} == before


def test_pairs_build_a_suite(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    build_pairs((DOCS / "pairs.jsonl",), out, say, task="text", name="pairs", licence="mine")
    suite = read_suite(out)
    assert [(one.id, one.groups) for one in suite.head.relations] == [
        ("text/passive", 2),
        ("text/past", 1),
    ]
    assert suite.head.labels == ("toxic",)


def test_a_bad_pair_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text((DOCS / "pairs.jsonl").read_text() + '{"source": "a"}\n')
    with pytest.raises(UsageError, match=r"pairs\.jsonl:4: a pair without follow_up"):
        build_pairs((path,), tmp_path / "out", say, task="text", name="p", licence="mine")
    assert not (tmp_path / "out").exists()


def test_what_a_killed_build_left_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".mt-gate-suite-abcd_123"
    left.mkdir()
    (left / "suite.json").write_text("{}")
    (tmp_path / ".mine").mkdir()
    out = tmp_path / "suite"
    build_pairs((DOCS / "pairs.jsonl",), out, say, task="text", name="pairs", licence="mine")
    assert {path.name for path in tmp_path.iterdir()} == {"suite", ".mine"}


def test_an_empty_out_is_not_the_working_folder(command: Callable, tmp_path: Path) -> None:
    before = {*tmp_path.iterdir()}
    refused = command("suite", "build", "--relations", DOCS / "pairs.jsonl", "--out", "")
    assert refused.code == USAGE
    assert refused.err == "mt-gate: --out is empty; name a path\n"
    assert {*tmp_path.iterdir()} == before
