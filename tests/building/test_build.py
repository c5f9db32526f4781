"""Suites from a user's own sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.language import Language

from mt_gate.errors import CANNOT_JUDGE, PASS, USAGE
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
    assert questions[SENTENCES[7]] == "Does the river flow through Vienna and Budapest?"
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
    [
        ((), USAGE, "--recipe or --sources"),
        (("--recipe", "nowhere"), USAGE, "ner-default"),
        (("--recipe", "broken.toml"), USAGE, "not a recipe"),
        (("--recipe", "ner-default", "--data", "nowhere"), USAGE, "no such file"),
        (("--sources", "nowhere.txt"), USAGE, "no such file"),
        (("--sources", "own.txt", "--kind", "passages"), USAGE, "not of kind passages"),
        (("--sources", "own.txt", "--task", "re"), USAGE, "cannot be built for it yet"),
        (("--sources", "scraps.txt"), CANNOT_JUDGE, "no sentence is a usable source"),
    ],
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


def test_pipeline_missing(command: Callable, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("\n".join(SENTENCES))
    answer = command("suite", "build", "--sources", "own.txt", "--out", "s", "--pipeline", "xx_no")
    assert answer.code == CANNOT_JUDGE
    assert "python -m spacy download xx_no" in answer.err
