"""Suites from a user's own sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.language import Language

from cases import table
from mt_gate.base.errors import CANNOT_JUDGE, PASS
from mt_gate.suites.format import GROUPS, HEAD, SOURCES, read_suite

SENTENCES = [
    "Belarus shares a border with Russia.",
    "Twitter was the obvious solution for London and Paris.",
    "The company was founded by Anna Weber and John Miller in Berlin.",
    "The company was founded by ANNA Weber and John Miller in Berlin!",
    "Is Berlin a city?",
    "lol",
    "It rained for a long time.",
    "The river flows through Vienna and Budapest.",
]


@pytest.fixture
def pipeline(nlp: Language) -> str:
    return f"{nlp.meta['lang']}_{nlp.meta['name']}"


@pytest.fixture
def build(command: Callable, pipeline: str, tmp_path: Path) -> Callable:
    (tmp_path / "own.txt").write_text("\n".join(SENTENCES) + "\n")

    def run(*extra: object, out: str = "suite") -> object:
        flags = ("--sources", tmp_path / "own.txt", "--name", "own", "--pipeline", pipeline)
        return command("suite", "build", *(extra or flags), "--out", tmp_path / out)

    return run


def test_own_sentences(build: Callable, command: Callable, tmp_path: Path) -> None:
    answer = build()
    assert answer.code == PASS, answer
    suite = read_suite(tmp_path / "suite")
    texts = {source.id: source.input["text"] for source in suite.sources}
    questions = {texts[group.source]: group.follow_up["text"] for group in suite.groups}
    assert questions[SENTENCES[0]] == "Does Belarus share a border with Russia?"
    assert SENTENCES[7] not in questions, "its question changes nothing beside a name"
    refused = set(SENTENCES[4:7])
    assert not refused & set(texts.values()), "a question, a scrap, and a sentence without names"
    near = [text for text in texts.values() if text.casefold().startswith("the company")]
    assert len(near) <= 1, "sentences that differ in case and marks only are one"
    shuffled = [texts[source.id] for source in suite.sources if source.bind]
    assert SENTENCES[7] in shuffled
    assert SENTENCES[0] in texts.values()
    assert command("suite", "verify", tmp_path / "suite").code == PASS
    shown = command("suite", "show", tmp_path / "suite", "--groups", 9)
    assert "Does Belarus share a border with Russia?" in shown.out


def test_the_same_bytes_again(build: Callable, tmp_path: Path) -> None:
    build(out="one")
    build(out="two")
    for name in (HEAD, SOURCES, GROUPS, "LICENCES.md"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_recipe(build: Callable, pipeline: str, tmp_path: Path) -> None:
    row = {"id": "w-1", "passage": f"{SENTENCES[0]} {SENTENCES[7]}"}
    (tmp_path / "passages.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "recipe.toml").write_text(
        'name = "p"\ntask = "ner"\nversion = "7"\nseed = 1\ndescription = ""\n'
        '[[corpus]]\nname = "P"\nfile = "passages.jsonl"\nkind = "passages"\n'
        'licence = "CC0"\nattribution = "nobody"\nrelations = ["ner/entity-shuffle"]\n'
    )
    recipe = ("--recipe", tmp_path / "recipe.toml", "--data", tmp_path, "--pipeline", pipeline)
    answer = build(*recipe)
    assert answer.code == PASS, answer
    suite = read_suite(tmp_path / "suite")
    assert suite.head.version == "7"
    assert not suite.groups, "the corpus serves another relation only"
    assert [source.id for source in suite.sources]
    assert "CC0" in (tmp_path / "suite" / "LICENCES.md").read_text()


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    table(__file__, "bad_input"),
)
def test_bad_input(
    command: Callable, pipeline: str, tmp_path: Path, flags: tuple[str, ...], code: int, words: str
) -> None:
    (tmp_path / "own.txt").write_text("\n".join(SENTENCES) + "\n")
    (tmp_path / "scraps.txt").write_text("lol\nno names in here.\n")
    (tmp_path / "broken.toml").write_text("name = 3\n")
    answer = command("suite", "build", *flags, "--out", "suite", "--pipeline", pipeline)
    assert answer.code == code, answer
    assert words in answer.err.splitlines()[-1]
    assert not (tmp_path / "suite").exists()


def test_the_papers_rules_edit_more(
    build: Callable, pipeline: str, tmp_path: Path, wordnet_folder: str
) -> None:
    assert build().code == PASS
    flags = ("--sources", tmp_path / "own.txt", "--name", "own", "--pipeline", pipeline)
    paper = ("--filters", "paper", "--wordnet", wordnet_folder)
    answer = build(*flags, *paper, out="paper")
    assert answer.code == PASS, answer
    assert "no noun phrase to replace" in answer.out
    assert not build(*flags, *paper, "--quiet", out="paper").out
    strict, rules = (read_suite(tmp_path / name) for name in ("suite", "paper"))
    assert len(rules.groups) > len(strict.groups)
    assert (strict.identity.filters, rules.identity.filters) == ("", "paper")
    assert all(relation.precision is None for relation in rules.head.relations)


def test_pipeline_missing(command: Callable, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("\n".join(SENTENCES))
    answer = command("suite", "build", "--sources", "own.txt", "--out", "s", "--pipeline", "xx_no")
    assert answer.code == CANNOT_JUDGE
    assert "python -m spacy download xx_no" in answer.err


@pytest.fixture
def tools(
    causal_folder: Path, encoder_folder: Path, wordnet_folder: str, tmp_path: Path
) -> tuple[object, ...]:
    """Language tools; their weights are random, so what they choose is too."""
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'name = "r"\ntask = "ner"\nversion = "1"\nseed = 1\ndescription = ""\n'
        '[[corpus]]\nname = "P"\nfile = "own.txt"\nkind = "text"\nlicence = "CC0"\n'
        'attribution = "nobody"\n'
        "[filters]\nsimilarity = -1.0\nnaturalness_fall = 1.0\nfit = -99.0\n"
    )
    (tmp_path / "own.txt").write_text("\n".join(WORDY) + "\n")
    named = ("--causal-lm", causal_folder, "--encoder", encoder_folder)
    return ("--recipe", recipe, "--data", tmp_path, *named, "--wordnet", wordnet_folder)


WORDY = [
    "Anna Weber purchased a small house in Berlin.",
    "John Miller sold the old house near Vienna and rented a small cottage.",
    "The famous teacher from London repaired the house and the cottage.",
    "Boris Novak repaired a small cottage, and the teacher purchased it in Paris.",
]


def test_words_and_phrases_are_replaced(
    build: Callable, tools: tuple[object, ...], pipeline: str, tmp_path: Path
) -> None:
    answer = build(*tools, "--pipeline", pipeline, "--cache", tmp_path / "kept")
    assert answer.code == PASS, answer
    suite = read_suite(tmp_path / "suite")
    texts = {source.id: source.input["text"] for source in suite.sources}
    made = [group for group in suite.groups if group.relation.endswith("-replacement")]
    assert made
    for group in made:
        source, follow_up = texts[group.source], group.follow_up["text"]
        assert source != follow_up
        for name in ("Anna Weber", "John Miller", "Boris Novak", "Berlin", "Vienna", "Paris"):
            assert (name in source) == (name in follow_up)
    assert "causal LM" in suite.head.tools["fit"]
    assert suite.head.thresholds["similarity"] == -1.0


def test_a_build_goes_on_where_it_was_killed(
    build: Callable, tools: tuple[object, ...], pipeline: str, tmp_path: Path
) -> None:
    for out, cached in (("whole", "one"), ("again", "one"), ("cold", "two")):
        build(*tools, "--pipeline", pipeline, "--cache", tmp_path / cached, out=out)
    for name in (HEAD, SOURCES, GROUPS):
        whole = (tmp_path / "whole" / name).read_bytes()
        assert (tmp_path / "again" / name).read_bytes() == whole
        assert (tmp_path / "cold" / name).read_bytes() == whole


def test_a_stock_of_phrases_gives_no_sources(
    build: Callable, pipeline: str, tmp_path: Path
) -> None:
    (tmp_path / "more.txt").write_text("The river flows through Oslo and Bergen.\n")
    (tmp_path / "recipe.toml").write_text(
        'name = "p"\ntask = "ner"\nversion = "7"\nseed = 1\ndescription = ""\n'
        '[[corpus]]\nname = "P"\nfile = "own.txt"\nkind = "text"\nlicence = "CC0"\n'
        'attribution = "nobody"\n'
        '[[corpus]]\nname = "M"\nfile = "more.txt"\nkind = "text"\nlicence = "CC0"\n'
        'attribution = "nobody"\nsources = false\n'
    )
    recipe = ("--recipe", tmp_path / "recipe.toml", "--data", tmp_path, "--pipeline", pipeline)
    assert build(*recipe).code == PASS
    suite = read_suite(tmp_path / "suite")
    assert {source.origin for source in suite.sources} == {"P"}
    assert [corpus.name for corpus in suite.head.sources] == ["P"]


def test_caps_are_in_the_suite(build: Callable, pipeline: str, tmp_path: Path) -> None:
    start = "Anna Weber met the founder of the old company, John Miller, in the town of "
    towns = ("Berlin", "Vienna", "Paris")
    (tmp_path / "own.txt").write_text("".join(f"{start}{town}.\n" for town in towns))
    text = (
        'name = "c"\ntask = "ner"\nversion = "1"\nseed = 1\ndescription = ""\n'
        '[[corpus]]\nname = "P"\nfile = "own.txt"\nkind = "text"\nlicence = "CC0"\n'
        'attribution = "nobody"\n[caps]\ngroups_per_source = 2\nnear_duplicates = 0.6\n'
        '[caps.relations."ner/structural"]\nedit_share = 1\n'
    )
    (tmp_path / "recipe.toml").write_text(text)
    recipe = ("--recipe", tmp_path / "recipe.toml", "--data", tmp_path, "--pipeline", pipeline)
    answer = build(*recipe)
    assert answer.code == PASS, answer
    suite = read_suite(tmp_path / "suite")
    result = {one.id: one for one in suite.head.relations}
    structural = result["ner/structural"]
    assert structural.groups == result["ner/entity-shuffle"].sources == 1
    assert structural.left_out == {"near-duplicate text": 2}
