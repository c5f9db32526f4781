"""Suites of task text from sentences alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.relations.stated import Same, When
from mt_gate_suites.builder_api import no_progress
from mt_gate_suites.caps import Caps, RecipeCaps
from mt_gate_suites.recipe import CorpusFile, Recipe, recipe_of_files
from mt_gate_suites.text.builder import build_text, planned_relations


def recipe(tmp_path: Path, text: str, **more: object) -> Recipe:
    path = tmp_path / "sources.txt"
    path.write_text(text)
    made = recipe_of_files("text", "own", (path,), "", "unstated")
    return msgspec.structs.replace(made, **more)


def test_relations_without_a_label_are_built(tmp_path: Path, nlp: Language) -> None:
    built_from = recipe(tmp_path, "I don't know where my card is.\nTell me my balance.\n")
    said: list[str] = []
    built = build_text(built_from, tmp_path, nlp, said.append, None, no_progress)
    assert {"text/keyboard-typo", "text/contraction", "text/politeness"} <= set(built.relations)
    assert "text/negation" not in built.relations
    assert set(built.stated) == set(built.relations) == {g.relation for g in built.groups}
    assert said == ["sources.txt: 2 sentences"]


def test_named_relations_alone(tmp_path: Path, nlp: Language) -> None:
    built_from = recipe(tmp_path, "Where is it?\n", relations=("text/emoji",))
    built = build_text(built_from, tmp_path, nlp, lambda _: None, None, no_progress)
    assert built.relations == ("text/emoji",)


@pytest.mark.parametrize(
    ("relation", "message"),
    [("text/nothing", "Task text has text/keyboard-typo"), ("text/negation", "needs a label")],
)
def test_relations_that_cannot_be_built(tmp_path: Path, relation: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        planned_relations(recipe(tmp_path, "a", relations=(relation,)))


def test_texts_that_serve_nothing(tmp_path: Path, nlp: Language) -> None:
    built_from = recipe(tmp_path, "12\n", relations=("text/contraction",))
    with pytest.raises(CannotJudge, match="No relation can edit these texts"):
        build_text(built_from, tmp_path, nlp, lambda _: None, None, no_progress)


CASES = """\
{"id": "1", "text": "They are darn stupid.", "label": "hateful", "offensive": ["darn"]}
{"id": "2", "text": "I think they are darn stupid.", "label": "hateful"}
{"id": "3", "text": "They are never stupid.", "label": "non-hateful"}
{"id": "4", "text": "Theyare darn stupid.", "label": "hateful", "edit": false}
"""


def about_a_label(tmp_path: Path, *relations: str) -> Recipe:
    (tmp_path / "cases.jsonl").write_text(CASES)
    corpus = CorpusFile(
        name="cases",
        file="cases.jsonl",
        kind="labelled",
        licence="CC0",
        attribution="me",
    )
    return Recipe(
        name="own",
        task="text",
        version="1",
        seed=1,
        description="",
        corpus=(corpus,),
        relations=tuple(f"text/{name}" for name in relations),
        label="hateful",
        offensive=True,
    )


def test_a_suite_about_a_label(tmp_path: Path, nlp: Language) -> None:
    built_from = about_a_label(tmp_path, "letter-case", "negation")
    built = build_text(built_from, tmp_path, nlp, lambda _: None, None, no_progress)
    sources = {group.source for group in built.groups if group.relation == "text/letter-case"}
    assert sources == {"1", "2"}, "neither another label nor respelt cases"
    stays = Same(labels=("hateful",), when=When(label="hateful"))
    assert built.stated["text/letter-case"].output == stays
    assert (built.labels, built.offensive) == (("hateful",), {"darn"})


def test_a_corpus_that_serves_some_relations_alone(tmp_path: Path, nlp: Language) -> None:
    built_from = about_a_label(tmp_path, "emoji", "letter-case")
    corpora = [msgspec.structs.replace(c, relations=("text/emoji",)) for c in built_from.corpus]
    built_from = msgspec.structs.replace(built_from, corpus=tuple(corpora))
    built = build_text(built_from, tmp_path, nlp, lambda _: None, None, no_progress)
    assert built.relations == ("text/emoji",)


def test_caps_of_a_relation_that_is_none(tmp_path: Path) -> None:
    caps = RecipeCaps(relations={"text/nothing": Caps()})
    built_from = msgspec.structs.replace(about_a_label(tmp_path, "emoji"), caps=caps)
    with pytest.raises(UsageError, match="Unknown relation 'text/nothing'"):
        planned_relations(built_from)
