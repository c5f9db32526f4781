"""All relations, in the order of suites and reports."""

from __future__ import annotations

from collections.abc import Collection

from mt_gate.relations import boolq
from mt_gate.relations.base import MetamorphicRelation, has_known_answers, known_answer
from mt_gate.relations.ner import entity_shuffle
from mt_gate.relations.ner.known_entities import KNOWN_ENTITIES
from mt_gate.relations.re import combination, labels
from mt_gate.relations.stated import SpansMapped, judge
from mt_gate.tasks import ner
from mt_gate.tasks.spec import TaskSpec

_OUTSIDE = "Entities outside the edit must keep their labels, and no new one may appear there."
TOKEN_REPLACEMENT = MetamorphicRelation(
    id="ner/token-replacement",
    title="Word substitution",
    description=f"Replaces a verb or adjective with another of its kind. {_OUTSIDE}",
    paper="Yu et al., ESEC/FSE 2023 (TIN), similar sentence generation, token level",
    before="Anna purchased a house in Oslo.",
    after="Anna bought a house in Oslo.",
    holds=judge(SpansMapped(only_kept=True), ner.TASK),
)
PHRASE_REPLACEMENT = MetamorphicRelation(
    id="ner/phrase-replacement",
    title="Phrase substitution",
    description=f"Replaces a phrase with another of its kind. {_OUTSIDE}",
    paper="Yu et al., ESEC/FSE 2023 (TIN), similar sentence generation, phrase level",
    before="Bergen is a coastal town in Norway.",
    after="Bergen is a seaside town in Norway.",
    holds=judge(SpansMapped(only_kept=True), ner.TASK),
)
STRUCTURAL = MetamorphicRelation(
    id="ner/structural",
    title="Statement to question",
    description=(
        "Turns a statement into a yes/no question. The entities and their labels must not change."
    ),
    paper="Yu et al., ESEC/FSE 2023 (TIN), structural transformation",
    before="Belarus shares a border with Russia.",
    after="Does Belarus share a border with Russia?",
    holds=judge(SpansMapped(), ner.TASK),
    fixed_edit=True,
)

RELATIONS: tuple[MetamorphicRelation, ...] = (
    TOKEN_REPLACEMENT,
    PHRASE_REPLACEMENT,
    STRUCTURAL,
    entity_shuffle.RELATION,
    boolq.ANTONYM_ADJECTIVE,
    boolq.TENSE_CHANGE,
    boolq.BEFORE_AFTER,
    boolq.NEGATION_TAG,
    boolq.SYNONYM_ADJECTIVE,
    boolq.ADVERBIAL_POSITION,
    boolq.VOICE_CHANGE,
    # Off by default, so they come last of their task: suites keep this order.
    *boolq.COMPOSITIONS,
    labels.SAME_TYPE,
    labels.COARSER_TYPE,
    labels.CO_RELATED_TYPE,
    labels.TYPE_LABEL,
    labels.COREFERENT,
    labels.SWAP_SYMMETRIC,
    labels.SWAP_ANTISYMMETRIC,
    combination.COMBINE_SHARED_HEAD,
    combination.COMBINE_SHARED_TAIL,
)

BY_ID: dict[str, MetamorphicRelation] = {relation.id: relation for relation in RELATIONS}


def relations_of(task: str) -> tuple[MetamorphicRelation, ...]:
    """Return the relations of a task, in the order of ``RELATIONS``."""
    return tuple(relation for relation in RELATIONS if relation.id.startswith(f"{task}/"))


def known_answers(task: TaskSpec, labels: Collection[str] = ()) -> tuple[MetamorphicRelation, ...]:
    """Return the relations of right answers that a suite of a task may have."""
    if task.spans:
        return KNOWN_ENTITIES
    return (known_answer(task, labels),) if has_known_answers(task) else ()
