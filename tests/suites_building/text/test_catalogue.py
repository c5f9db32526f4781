"""Every relation over texts is whole, and its example is what it makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from spacy.language import Language

import mt_gate_suites.text
from mt_gate.tasks.table import TASKS
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.text.catalogue import BY_NAME, RELATIONS, relations_for
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import (
    OfDocs,
    OfOneText,
    OfPair,
    OfTemplates,
    OfText,
    PairOfTexts,
    chooser,
)

PACKAGE = Path(mt_gate_suites.text.__path__[0])
NAMED = r'(?:^|name=|_relation\(\n +)"([a-z]+(?:-[a-z]+)*)",\n'
"""The name of a relation in a record."""
SEEDS = range(150)


def test_every_relation_is_in_the_table_once() -> None:
    folders = ("surface", "same", "directional")
    files = [path for name in folders for path in (PACKAGE / name).glob("[a-z]*.py")]
    names = [name for file in files for name in re.findall(NAMED, file.read_text())]
    assert sorted(names) == sorted(BY_NAME)
    assert len(RELATIONS) == len(BY_NAME) >= 25


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda one: one.name)
def test_the_example_is_what_it_makes(relation: TextRelation, nlp: Language) -> None:
    """For some seed, of those whose edits are chosen."""
    how, before, after = relation.transformation, relation.before, relation.after
    assert not isinstance(how, OfTemplates)
    if isinstance(how, OfPair):
        first, second = before.split(" / ")
        assert [" / ".join(one.pair) for one in how.rewrites(PairOfTexts(first, second))] == [after]
        return
    assert after in {one.text for one in made_by_some_seed(how, relation.name, before, nlp)}


def made_by_some_seed(how: OfOneText, name: str, text: str, nlp: Language) -> Iterator[Rewrite]:
    """Yield what a relation makes of a text by any of some seeds, parsed once."""
    if isinstance(how, OfDocs):
        yield from how.rewrites([nlp(text)], nlp)[0]
        return
    doc = nlp(text)
    for choose in (chooser(seed, name, text) for seed in SEEDS):
        if isinstance(how, OfText):
            yield from how.rewrites(text, choose)
        else:
            yield from how.rewrites(doc, choose)


def test_surface_relations_serve_every_task() -> None:
    surface = tuple(one for one in RELATIONS if one.surface)
    assert len(surface) >= 10
    for task in TASKS:
        assert relations_for(task) == (RELATIONS if task == "text" else surface)
