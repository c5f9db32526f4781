"""Suites of sentences with names: what is turned, what is bound, what is left out."""

from __future__ import annotations

from pathlib import Path

from spacy.language import Language

from mt_gate_suites.builder_api import Built, no_progress
from mt_gate_suites.ner.builder import build_ner
from mt_gate_suites.recipe import CorpusFile, Recipe

TURNED = "Belarus shares a border with Russia."
BOUND = "Ah, what Anna Weber and John Miller did in Berlin!"
BOTH = "The company was founded by Anna Weber and John Miller in Berlin."
SENTENCES = [TURNED, BOUND, BOTH, "It rained for a long time.", "lol", "Is Berlin a city?"]


def build(nlp: Language, folder: Path, *served: tuple[str, ...], **more: object) -> Built:
    """Build from a corpus, or from one for each group of relations that one serves."""
    (folder / "own.txt").write_text("\n".join(SENTENCES) + "\n")
    corpora = tuple(
        CorpusFile(name=f"c{at}", file="own.txt", kind="text", licence="CC0",
                   attribution="nobody", relations=relations)
        for at, relations in enumerate(served or ((),))
    )  # fmt: skip
    start = {"name": "r", "task": "ner", "version": "1", "seed": 1, "description": ""}
    recipe = Recipe(corpus=corpora, **start, **more)  # type: ignore[arg-type]
    return build_ner(recipe, folder, nlp, lambda _: None, None, no_progress)


def texts(built: Built, *, bound: bool) -> set[str]:
    return {source.input["text"] for source in built.sources if bool(source.bind) == bound}


def test_sentences_are_turned_or_bound_or_both(nlp: Language, tmp_path: Path) -> None:
    built = build(nlp, tmp_path)
    assert built.relations == (
        "ner/token-replacement",
        "ner/phrase-replacement",
        "ner/structural",
        "ner/entity-shuffle",
    )
    follow_ups = {group.follow_up["text"] for group in built.groups}
    assert "Does Belarus share a border with Russia?" in follow_ups
    assert BOTH in texts(built, bound=True)
    assert not set(SENTENCES[3:]) & (texts(built, bound=True) | texts(built, bound=False))
    assert (built.tools, built.thresholds) == ({}, {}), "no language tools were named"


def test_a_corpus_serves_the_relations_that_it_names(nlp: Language, tmp_path: Path) -> None:
    questions = build(nlp, tmp_path, ("ner/structural",))
    assert questions.groups
    assert texts(questions, bound=True) == set()
    names = build(nlp, tmp_path, ("ner/entity-shuffle",))
    assert not names.groups
    assert {source.bind for source in names.sources} == {("ner/entity-shuffle",)}


def test_refused_sentences_are_left_out(nlp: Language, tmp_path: Path) -> None:
    every = build(nlp, tmp_path)
    name = every.groups[0].source
    (tmp_path / "refused.tsv").write_text(f"{name}\tno name\n")
    left = build(nlp, tmp_path, refused=str(tmp_path / "refused.tsv"))
    assert name not in {source.id for source in left.sources}
    assert {group.id for group in left.groups} < {group.id for group in every.groups}
