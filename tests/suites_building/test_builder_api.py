"""Which relations a recipe builds."""

from __future__ import annotations

import pytest

from mt_gate.base.errors import UsageError
from mt_gate_suites.builder_api import wanted_relations
from mt_gate_suites.recipe import CorpusFile, Recipe

CORPUS = CorpusFile(name="c", file="c.txt", kind="text", licence="CC0", attribution="nobody")


def recipe(task: str = "ner", **more: object) -> Recipe:
    start = {"name": "r", "version": "1", "seed": 1, "description": "", "corpus": (CORPUS,)}
    return Recipe(task=task, **start, **more)  # type: ignore[arg-type]


REPLACING = ["ner/token-replacement", "ner/phrase-replacement"]
TOOLLESS = ["ner/structural", "ner/entity-shuffle"]


@pytest.mark.parametrize(
    ("requested", "wanted"),
    [
        ((), REPLACING + TOOLLESS),
        (("ner/entity-shuffle", "ner/structural"), TOOLLESS),
        (("ner/phrase-replacement",), ["ner/phrase-replacement"]),
    ],
)
def test_wanted_relations_stand_in_the_catalogues_order(
    requested: tuple[str, ...], wanted: list[str]
) -> None:
    assert wanted_relations(recipe(relations=requested)) == wanted


def test_compositions_are_built_where_they_are_named_alone() -> None:
    composed = "boolq/synonym-adjective+negation-tag"
    assert composed not in wanted_relations(recipe("boolq"))
    requested = recipe("boolq", relations=(composed,))
    assert wanted_relations(requested) == [composed]


@pytest.mark.parametrize(
    ("requested", "said"),
    [
        (("ner/before-after",), r"Task ner has no relation 'ner/before-after'\. It has"),
        (("boolq/before-after",), "Task ner has"),
    ],
)
def test_what_cannot_be_built(requested: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        wanted_relations(recipe(relations=requested))
