"""The form that every transformation of task re has."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import RESOURCES, is_aligned, sample
from mt_gate.base.lazy import resolve
from mt_gate.tasks.relation_extraction import fault, pair
from mt_gate_suites.builders import RELATIONS
from mt_gate_suites.re.transformation import Transformation

BUILT = [relation for relation in RELATIONS if relation.startswith("re/")]
TEXT = "[Anna Weber|PERSON], [46|NUMBER], has worked for the bank in [Boston|CITY]."


@pytest.mark.parametrize("relation", BUILT)
def test_a_sample_and_resources_make_sound_follow_ups(nlp: Language, relation: str) -> None:
    transformation: Transformation = resolve(RELATIONS[relation])
    source = sample(nlp, TEXT)
    for change in transformation(source, RESOURCES):
        assert not fault(pair(change.text, change.head, change.tail))
        assert is_aligned(source, change)


@pytest.mark.parametrize("relation", BUILT)
def test_without_types_only_the_pair_itself_may_change(nlp: Language, relation: str) -> None:
    transformation: Transformation = resolve(RELATIONS[relation])
    untyped = sample(nlp, "The [Isar|] flows into the [Danube|] there.")
    made = transformation(untyped, RESOURCES)
    assert bool(made) == relation.startswith("re/swap")
