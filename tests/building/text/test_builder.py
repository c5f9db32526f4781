"""Suites of task text from sentences alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from spacy.language import Language

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.building.builder_api import no_progress
from mt_gate.building.recipe import Recipe, recipe_of_files
from mt_gate.building.text.builder import build_text, planned_relations


def recipe(tmp_path: Path, text: str, **more: object) -> Recipe:
    path = tmp_path / "sources.txt"
    path.write_text(text)
    made = recipe_of_files("text", "own", (path,), "", "unstated")
    return msgspec.structs.replace(made, **more)


def test_relations_without_a_label_are_built(tmp_path: Path, nlp: Language) -> None:
    given = recipe(tmp_path, "I don't know where my card is.\nTell me my balance.\n")
    said: list[str] = []
    built = build_text(given, tmp_path, nlp, said.append, None, no_progress)
    assert {"text/keyboard-typo", "text/contraction", "text/politeness"} <= set(built.relations)
    assert "text/negation" not in built.relations
    assert "text/hypernym" not in built.relations
    assert set(built.stated) == set(built.relations) == {g.relation for g in built.groups}
    assert said == ["sources.txt: 2 sentences"]


def test_named_relations_alone(tmp_path: Path, nlp: Language) -> None:
    given = recipe(tmp_path, "Where is it?\n", relations=("text/emoji",))
    built = build_text(given, tmp_path, nlp, lambda _: None, None, no_progress)
    assert built.relations == ("text/emoji",)


@pytest.mark.parametrize(
    ("relation", "message"),
    [("text/nothing", "task text has text/keyboard-typo"), ("text/negation", "is of a label")],
)
def test_relations_that_cannot_be_built(tmp_path: Path, relation: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        planned_relations(recipe(tmp_path, "a", relations=(relation,)))


def test_texts_that_serve_nothing(tmp_path: Path, nlp: Language) -> None:
    given = recipe(tmp_path, "12\n", relations=("text/contraction",))
    with pytest.raises(CannotJudge, match="no relation makes a follow-up"):
        build_text(given, tmp_path, nlp, lambda _: None, None, no_progress)
