"""Suites from sentences with marked pairs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.language import Language

from making_relations import TableSystem, marked
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE
from mt_gate.domain import Verdict
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import Context
from mt_gate.relations.catalogue import BY_ID
from mt_gate.running.evaluation import evaluate
from mt_gate.running.predicting import Cache, Predictor
from mt_gate.suites.format import Suite, read_suite
from mt_gate.tasks.relation_extraction import fault

Row = dict[str, object]


def row(name: str, text: str, head: str, tail: str, kinds: tuple[str, str] = ("", "")) -> Row:
    """Return a row of mt-gate's own form."""

    def place(words: str, kind: str) -> Row:
        start = text.index(words)
        result: Row = {"start": start, "end": start + len(words)}
        return result | ({"type": kind} if kind else {})

    one, other = place(head, kinds[0]), place(tail, kinds[1])
    return {"id": name, "text": text, "head": one, "tail": other, "relation": "related"}


BORN = "Barack Obama was born in Honolulu and married Michelle Robinson in Chicago."
ROWS = [
    row("born", BORN, "Barack Obama", "Honolulu", ("PERSON", "CITY")),
    row("wed", BORN, "Barack Obama", "Michelle Robinson"),
    row("again", BORN, "Honolulu", "Barack Obama"),
    row("lid", "The lid of the box was red, and nobody opened it.", "lid", "box"),
    row("work", "Peter Smith, 46, has worked for Stanford University.", "Peter Smith", "46"),
    row("bad", "lid of the box", "lid", "box"),
]


@pytest.fixture
def pipeline(nlp: Language) -> str:
    return f"{nlp.meta['lang']}_{nlp.meta['name']}"


@pytest.fixture
def build(command: Callable, pipeline: str, tmp_path: Path) -> Callable:
    lines = "".join(json.dumps(one) + "\n" for one in ROWS)
    (tmp_path / "own.jsonl").write_text(lines)

    def run(*extra: object, out: str = "suite") -> object:
        flags = ("--sources", tmp_path / "own.jsonl", "--task", "re", "--name", "own")
        return command(
            "suite", "build", *(extra or flags), "--pipeline", pipeline, "--out", tmp_path / out
        )

    return run


@pytest.fixture
def suite(build: Callable, command: Callable, tmp_path: Path) -> Suite:
    answer = build()
    assert answer.code == PASS, answer
    assert "1 faulty sentence skipped" in answer.err
    assert command("suite", "verify", tmp_path / "suite").code == PASS
    return read_suite(tmp_path / "suite")


def words(suite: Suite, name: str) -> list[str]:
    source = next(source for source in suite.sources if source.id == name)
    text = source.input["text"]
    return [text[start:end] for start, end, _ in (source.input["head"], source.input["tail"])]


def test_every_input_is_sound(suite: Suite) -> None:
    inputs = [source.input for source in suite.sources]
    inputs += [group.follow_up for group in suite.groups]
    assert not [fault(one) for one in inputs if fault(one)]


PETERSON = "Peterson leaves behind his wife, Kelly, and their daughter Celine."
"""Table 3 of Sun et al., Algorithms 2023: the example of MR-C1."""


def test_a_stated_type_binds_the_papers_example(build: Callable, tmp_path: Path) -> None:
    """The pipeline takes Celine for an organisation; the relation's code then has no third."""
    couple = row("c1", PETERSON, "Peterson", "Kelly", ("PERSON", "PERSON"))
    celine = PETERSON.index("Celine")
    name = "re/combine-shared-head"
    for entities, bound in (([], False), ([[celine, celine + 6, "PERSON"]], True)):
        (tmp_path / "c1.jsonl").write_text(json.dumps({**couple, "entities": entities}) + "\n")
        answer = build("--sources", tmp_path / "c1.jsonl", "--task", "re")
        assert answer.code == PASS, answer
        suite = read_suite(tmp_path / "suite")
        assert [source.id for source in suite.sources if name in source.bind][:1] == (
            ["c1"] if bound else []
        )
    first = "[Peterson|h PERSON] leaves behind his wife, [Kelly|t PERSON], and their daughter {}."
    second = "[Peterson|h PERSON] leaves behind his wife, Kelly, and their daughter {}."
    third = "Peterson leaves behind his wife, [Kelly|h PERSON], and their daughter {}."
    answers = {
        first.format("Celine"): "per:spouse",
        second.format("[Celine|t PERSON]"): "per:children",
        third.format("[Celine|t PERSON]"): "per:children",
    }
    system = TableSystem(answers)
    predictor = Predictor(system, Cache(tmp_path, system.cache_key), lambda *_: None)
    context = Context(open_ontology("tacred"))
    rows, _ = evaluate(suite, [BY_ID[name]], predictor, context)
    [judged] = [one for one in rows if one.source_id == "c1"]
    assert judged.follow_up == marked(third.format("[Celine|t PERSON]"))
    assert judged.verdict is Verdict.SATISFIED
    assert judged.second_output["relation"] == "per:children"


def test_real_sentences_serve_every_relation(
    build: Callable, command: Callable, shared: Path, tmp_path: Path
) -> None:
    lines = (shared / "data" / "re" / "kbp37_dev.jsonl").read_text().splitlines()[:400]
    (tmp_path / "kbp37.jsonl").write_text("\n".join(lines))
    answer = build("--sources", tmp_path / "kbp37.jsonl", "--task", "re")
    assert answer.code == PASS, answer
    assert command("suite", "verify", tmp_path / "suite").code == PASS
    suite = read_suite(tmp_path / "suite")
    assert len(suite.sources) > 200
    for relation in suite.head.relations:
        assert (relation.sources if relation.bound else relation.groups) > 0, relation.id


RECIPE = (
    'name = "r"\ntask = "re"\nversion = "7"\nseed = 1\ndescription = ""\n{more}'
    '[[corpus]]\nname = "Own"\nfile = "own.jsonl"\nkind = "relations"\nformat = "jsonl"\n'
    'licence = "CC0"\nattribution = "nobody"\n'
)


def test_nothing_takes_the_place_of_what_is_refused(build: Callable, tmp_path: Path) -> None:
    recipe = ("--recipe", tmp_path / "recipe.toml", "--data", tmp_path)
    more = "sources = 4\n"
    (tmp_path / "recipe.toml").write_text(RECIPE.format(more=more))
    build(*recipe)
    before = read_suite(tmp_path / "suite")
    source = before.sources[0].id
    group = next(group.id for group in before.groups if group.source != source)
    (tmp_path / "refused.tsv").write_text(f"{source}\tno pair\n{group}\tbad\n")
    (tmp_path / "recipe.toml").write_text(RECIPE.format(more=f'{more}refused = "refused.tsv"\n'))
    assert build(*recipe, out="less").code == PASS
    after = read_suite(tmp_path / "less")
    assert len(before.sources) == 4
    assert [one.id for one in after.sources] == [one.id for one in before.sources[1:]]
    others = [one.id for one in before.groups if one.source != source and one.id != group]
    assert [one.id for one in after.groups] == others


def test_sources_of_scarce_relations_come_first(build: Callable, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(RECIPE.format(more=""))
    recipe = ("--recipe", tmp_path / "recipe.toml", "--data", tmp_path)
    build(*recipe)
    every = read_suite(tmp_path / "suite")
    wanted = {group.source for group in every.groups if BY_ID[group.relation].scarce}
    assert 0 < len(wanted) < len(every.sources)
    (tmp_path / "recipe.toml").write_text(RECIPE.format(more=f"sources = {len(wanted)}\n"))
    build(*recipe, out="few")
    assert {source.id for source in read_suite(tmp_path / "few").sources} == wanted


@pytest.mark.parametrize(
    ("content", "flags", "code", "message"),
    [
        ({"head": 3}, (), CANNOT_JUDGE, "row at line 1: tail is missing, expected"),
        (ROWS[0] | {"tail": ROWS[0]["head"]}, (), CANNOT_JUDGE, "row born (line 1): head 0 to"),
        ({}, ("--format", "retacred"), USAGE, "has no 'patch', but format 'retacred' needs it"),
        ({}, ("--format", "tacred"), CANNOT_JUDGE, "JSON of type dict. Expected a list"),
        (ROWS[5], (), CANNOT_JUDGE, "No sentence is a usable source"),
    ],
)
def test_bad_input(
    build: Callable, tmp_path: Path, content: Row, flags: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "bad.jsonl").write_text(json.dumps(content))
    answer = build("--sources", tmp_path / "bad.jsonl", "--task", "re", *flags)
    assert answer.code == code, answer
    assert message in answer.err.splitlines()[-1]
    assert not (tmp_path / "suite").exists()


def test_what_other_rows_type_is_a_third_entity(build: Callable, tmp_path: Path) -> None:
    """The paper's Table 3: what one row of a sentence names serves the pair of another."""
    text = "Peterson leaves behind his wife, Kelly, and their daughter Celine."
    kinds = ("PERSON", "PERSON")
    rows = [row("wed", text, "Peterson", "Kelly", kinds), row("has", text, "Peterson", "Celine")]
    rows[1]["tail"]["type"] = "PERSON"
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    assert build().code == PASS
    (wed,) = [s for s in read_suite(tmp_path / "suite").sources if s.id == "wed"]
    assert "re/combine-shared-head" in wed.bind
    assert "Celine" in [text[one.start : one.end] for one in wed.entities]
