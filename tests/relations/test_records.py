"""One record a relation: what it names is there, and another takes a record, a builder, a row."""

from __future__ import annotations

import pytest

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import RELATIONS
from mt_gate.relations.stated import StatedJudge

BUILT = [relation for relation in RELATIONS if relation.builder]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.id)
def test_follow_ups_come_from_one_place(relation: MetamorphicRelation) -> None:
    """From a builder, from two other relations in a row, or from what the system answers."""
    ways = (bool(relation.builder), bool(relation.parts), relation.at_run_time)
    assert sum(ways) == 1


@pytest.mark.parametrize("relation", BUILT, ids=lambda relation: relation.id)
def test_every_builder_resolves(relation: MetamorphicRelation) -> None:
    pytest.importorskip("spacy", reason="needs mt-gate[suite]")
    from mt_gate.base.lazy import resolve
    from mt_gate.building.boolq.transformation import OfPassage, OfQuestions

    found = resolve(relation.builder)
    assert callable(found) or isinstance(found, OfPassage | OfQuestions)
    task = relation.id.partition("/")[0]
    assert relation.builder.startswith(f"mt_gate.building.{task}.")


def test_what_must_hold_is_data_but_where_labels_have_meanings() -> None:
    """Those of task re ask an ontology what a label means: that is code."""
    by_code = {one.id for one in RELATIONS if not isinstance(one.holds, StatedJudge)}
    assert {name.partition("/")[0] for name in by_code} == {"re"}
