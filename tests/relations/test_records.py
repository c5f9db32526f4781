"""One record per relation: follow-ups come from one place, and what must hold is data."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import resolve_name
from typing import Any

import pytest

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import BY_ID, RELATIONS
from mt_gate.relations.stated import StatedJudge
from mt_gate.suites.format import SHIPPED, read_head, shipped_suites
from mt_gate_suites import builder_api


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.id)
def test_follow_ups_come_from_one_place(relation: MetamorphicRelation) -> None:
    """From a builder, from two other relations in a row, or from what the system answers."""
    ways = (relation.id in builder_api.TRANSFORMATIONS, bool(relation.parts), relation.at_run_time)
    assert sum(ways) == 1


def test_builders_are_of_relations_that_exist() -> None:
    assert builder_api.TRANSFORMATIONS.keys() | builder_api.WITH_TOOLS.keys() <= BY_ID.keys()


@pytest.mark.parametrize("relation", builder_api.TRANSFORMATIONS)
def test_every_builder_resolves(relation: str) -> None:
    pytest.importorskip("spacy", reason="needs mt-gate[suite]")
    path = builder_api.TRANSFORMATIONS[relation]
    assert callable(resolve_name(path))
    assert path.startswith(f"mt_gate_suites.{relation.partition('/')[0]}.")


def test_nothing_is_imported_before_its_use() -> None:
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        "from mt_gate.relations.catalogue import RELATIONS; "
        "from mt_gate_suites.builder_api import TRANSFORMATIONS as BUILDERS; "
        "assert RELATIONS and BUILDERS; "
        "print([name for name in sys.modules if name in ('mt_gate_suites.ner', 'spacy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_what_must_hold_is_data_but_where_labels_have_meanings() -> None:
    """Those of task re ask an ontology what a label means: that is code."""
    by_code = {one.id for one in RELATIONS if not isinstance(one.holds, StatedJudge)}
    assert {name.partition("/")[0] for name in by_code} == {"re"}


def records() -> dict[str, Any]:
    """Return every record that has a title, by the id of its relation."""
    pytest.importorskip("spacy", reason="needs mt-gate[suite]")
    import hatecheck_derived
    import inference_cases
    from mt_gate_suites.templates import edits
    from mt_gate_suites.text import catalogue

    every = (*catalogue.RELATIONS, *inference_cases.RELATIONS)
    texts = {f"text/{one.name}": one for one in every}
    texts |= {f"ner/{one.name}": one for one in edits.RELATIONS}
    return BY_ID | texts | {one.id: one for one in hatecheck_derived.DERIVED}


@pytest.mark.parametrize("suite", shipped_suites())
def test_shipped_suites_have_the_texts_of_the_code(suite: str) -> None:
    known = records()
    stored = {one.id: one for one in read_head(SHIPPED / suite).relations if one.title}
    for name, one in stored.items():
        code = known[name]
        assert (one.title, one.description) == (code.title, code.description)
