"""Every relation, in the one fixed order in which suites and reports name them."""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq import (
    adverbial_position,
    antonym_adjective,
    before_after,
    compositions,
    negation_tag,
    synonym_adjective,
    tense_change,
    voice_change,
)
from mt_gate.relations.ner import entity_shuffle, phrase_replacement, structural, token_replacement
from mt_gate.relations.re import (
    co_related_type,
    coarser_type,
    combine_shared_head,
    combine_shared_tail,
    coreferent,
    same_type,
    swap_antisymmetric,
    swap_symmetric,
    type_label,
)

RELATIONS: tuple[MetamorphicRelation, ...] = (
    token_replacement.RELATION,
    phrase_replacement.RELATION,
    structural.RELATION,
    entity_shuffle.RELATION,
    antonym_adjective.RELATION,
    tense_change.RELATION,
    before_after.RELATION,
    negation_tag.RELATION,
    synonym_adjective.RELATION,
    adverbial_position.RELATION,
    voice_change.RELATION,
    # Off by default, so after all others of the task: suites keep this order.
    *compositions.RELATIONS,
    same_type.RELATION,
    coarser_type.RELATION,
    co_related_type.RELATION,
    type_label.RELATION,
    coreferent.RELATION,
    swap_symmetric.RELATION,
    swap_antisymmetric.RELATION,
    combine_shared_head.RELATION,
    combine_shared_tail.RELATION,
)

BY_ID: dict[str, MetamorphicRelation] = {relation.id: relation for relation in RELATIONS}


def relations_of(task: str) -> tuple[MetamorphicRelation, ...]:
    """Return the relations of a task, in the table's order."""
    return tuple(relation for relation in BY_ID.values() if relation.id.startswith(f"{task}/"))
