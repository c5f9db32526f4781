"""Suites from boolean questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.language import Language

from cases import table
from mt_gate.base.errors import PASS, USAGE
from mt_gate.domain import Block
from mt_gate.relations.boolq import COMPOSITIONS
from mt_gate.suites.format import Suite, read_suite

WORDNET = Path("/usr/share/wordnet")
pytestmark = pytest.mark.skipif(
    not WORDNET.is_dir(), reason="no WordNet at /usr/share/wordnet; apt install wordnet-base"
)

ROWS = table(__file__, "rows")


@pytest.fixture
def build(command: Callable, nlp: Language, tmp_path: Path) -> Callable:
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    pipeline = f"{nlp.meta['lang']}_{nlp.meta['name']}"

    def run(*extra: object, out: str = "suite") -> object:
        own = ("--task", "boolq", "--kind", "questions", "--sources", tmp_path / "own.jsonl")
        flags = (*(extra or own), "--wordnet", WORDNET, "--pipeline", pipeline)
        return command("suite", "build", *flags, "--out", tmp_path / out)

    return run


def follow_ups(suite: Suite, relation: str) -> dict[str, str]:
    sources = {source.id: source for source in suite.sources}
    return {
        group.source: group.follow_up["question"]
        for group in suite.groups
        if group.relation == relation
        if group.follow_up["passage"] == sources[group.source].input["passage"]
    }


def test_own_questions(build: Callable, command: Callable, tmp_path: Path) -> None:
    answer = build()
    assert answer.code == PASS, answer
    suite = read_suite(tmp_path / "suite")
    assert follow_ups(suite, "boolq/antonym-adjective") == {
        "movie": "is scott and sid based on a fictional story",
        "sse": "is sse different from southern electric",
        "beans": "are navy beans and northern beans different",
    }
    assert follow_ups(suite, "boolq/synonym-adjective") == {
        "movie": "is scott and sid based on a real story",
    }
    assert follow_ups(suite, "boolq/adverbial-position") == {
        "red": "in canada, can you turn left on red",
    }
    assert follow_ups(suite, "boolq/before-after") == {
        "war": "was the peloponnesian war after the persian war",
    }
    assert follow_ups(suite, "boolq/tense-change") == {
        "season": "has there ever been a fifth season of mom",
    }
    negated = follow_ups(suite, "boolq/negation-tag")
    assert negated["card"] == "there is no such thing as a black card, is that right"
    voice = [group for group in suite.groups if group.relation == "boolq/voice-change"]
    turned = {group.source: group.follow_up["passage"] for group in voice}
    assert turned["sse"] == (
        "It is old. The SSE brand is now used by the company throughout the UK. That is all."
    )
    assert not {"name", "empty", "long", "faulty"} & {source.id for source in suite.sources}
    assert not any("+" in relation.id for relation in suite.head.relations), "off by default"
    group = next(g for g in suite.groups if g.relation == "boolq/adverbial-position")
    question, passage = "can you turn left on red in canada", ROWS[2]["passage"]
    assert group.alignment == (
        Block(0, len("in canada, "), len("can you turn left on red")),
        Block(25, 0, len("in canada")),
        Block(len(question), len(question) + 1, 1 + len(passage)),
    )
    assert command("suite", "verify", tmp_path / "suite").code == PASS
    shown = command("suite", "show", tmp_path / "suite", "--groups", 9)
    assert "is sse different from southern electric" in shown.out


def test_two_in_a_row(build: Callable, tmp_path: Path) -> None:
    recipe = tmp_path / "two.toml"
    recipe.write_text(
        'name = "two"\ntask = "boolq"\nversion = "1"\nseed = 1\ndescription = ""\n'
        'relations = ["boolq/antonym-adjective+negation-tag", '
        '"boolq/synonym-adjective+negation-tag", "boolq/negation-tag+voice-change"]\n'
        '[[corpus]]\nname = "own"\nfile = "own.jsonl"\nkind = "questions"\nlicence = "none"\n'
        'attribution = "own"\n'
    )
    assert build("--recipe", recipe, "--data", tmp_path).code == PASS
    suite = read_suite(tmp_path / "suite")
    assert follow_ups(suite, "boolq/synonym-adjective+negation-tag") == {
        "movie": "scott and sid is not based on a real story, is it right",
    }
    denied = follow_ups(suite, "boolq/antonym-adjective+negation-tag")
    assert "navy beans and northern beans are not different" in denied["beans"]
    assert "faulty" not in denied, "twix and mars are, they is not"
    both = next(g for g in suite.groups if g.relation == "boolq/negation-tag+voice-change")
    assert both.follow_up["question"] == (
        "am i right that sse is not the same as southern electric"
    )
    assert both.follow_up["passage"] != ROWS[3]["passage"] or both.source != "sse"
    assert {relation.id for relation in COMPOSITIONS} >= {
        relation.id for relation in suite.head.relations
    }


def test_a_later_corpus_fills_up_what_the_first_leaves_short(
    build: Callable, tmp_path: Path
) -> None:
    (tmp_path / "more.jsonl").write_text(
        "".join(json.dumps({**row, "id": f"more-{row['id']}"}) + "\n" for row in ROWS)
    )
    recipe = tmp_path / "two.toml"
    corpus = (
        '[[corpus]]\nname = "{0}"\nfile = "{0}.jsonl"\nkind = "questions"\nlicence = "none"\n'
        'attribution = "own"\n'
    )
    recipe.write_text(
        'name = "two"\ntask = "boolq"\nversion = "1"\nseed = 1\ndescription = ""\nenough = 2\n'
        'relations = ["boolq/antonym-adjective", "boolq/negation-tag"]\n'
        + corpus.format("own")
        + corpus.format("more")
    )
    assert build("--recipe", recipe, "--data", tmp_path).code == PASS
    suite = read_suite(tmp_path / "suite")
    assert {source.origin for source in suite.sources} == {"own"}, "both have two already"


@pytest.mark.parametrize(("line", "said"), table(__file__, "what_cannot_be_read_or_turned"))
def test_what_cannot_be_read_or_turned(
    build: Callable, tmp_path: Path, line: str, said: str
) -> None:
    (tmp_path / "own.jsonl").write_text(line + "\n")
    own = ("--task", "boolq", "--kind", "questions", "--sources", tmp_path / "own.jsonl")
    answer = build(*own)
    assert answer.code in {USAGE, 3}
    assert said in answer.err
    assert len(answer.err.strip().splitlines()[-1]) < 400
