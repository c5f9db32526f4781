"""The form of what a relation's record names, which every transformation of task re has."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, sample
from mt_gate.base.lazy import resolve
from mt_gate.building.re.transformation import Transformation
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.catalogue import relations_of
from mt_gate.tasks.relation_extraction import fault, pair

BUILT = [relation for relation in relations_of("re") if relation.builder]
TEXT = "[Anna Weber|PERSON], [46|NUMBER], has worked for the bank in [Boston|CITY]."


@pytest.mark.parametrize("relation", BUILT, ids=lambda relation: relation.id)
def test_a_sample_and_resources_make_sound_follow_ups(
    nlp: Language, relation: MetamorphicRelation
) -> None:
    transformation: Transformation = resolve(relation.builder)
    source = sample(nlp, TEXT)
    for change in transformation(source, RESOURCES):
        assert not fault(pair(change.text, change.head, change.tail))
        assert is_aligned(source, change)


@pytest.mark.parametrize("relation", BUILT, ids=lambda relation: relation.id)
def test_without_types_only_the_pair_itself_may_change(
    nlp: Language, relation: MetamorphicRelation
) -> None:
    transformation: Transformation = resolve(relation.builder)
    untyped = sample(nlp, "The [Isar|] flows into the [Danube|] there.")
    made = transformation(untyped, RESOURCES)
    assert bool(made) == relation.id.startswith("re/swap")
