"""All built-in relations over texts, in the order of suites."""

from __future__ import annotations

from importlib import import_module

from mt_gate.tasks.table import TASKS
from mt_gate_suites.text.relation import TextRelation

_FAMILIES = {
    "surface": "letters letter_case dropped_diacritics emoji",
    "same": (
        "contraction neutral_sentence name_replacement place_replacement number_replacement "
        "dialect_spelling politeness reported_speech request_opening synonyms voice_change "
        "pair_order"
    ),
    "directional": "negation intensifier temporal_shift opinions",
}
"""Modules by folder, each with one relation or with several similar relations."""


def _load(module: str) -> tuple[TextRelation, ...]:
    loaded = import_module(f"mt_gate_suites.text.{module}")
    several: tuple[TextRelation, ...] = getattr(loaded, "RELATIONS", ())
    return several or (loaded.RELATION,)


RELATIONS: tuple[TextRelation, ...] = tuple(
    relation
    for family, names in _FAMILIES.items()
    for name in names.split()
    for relation in _load(f"{family}.{name}")
)

BY_NAME: dict[str, TextRelation] = {relation.name: relation for relation in RELATIONS}


def relations_for(task: str) -> tuple[TextRelation, ...]:
    """Return the relations whose transformations edit the inputs of a task."""
    return tuple(relation for relation in RELATIONS if relation.serves(TASKS[task]))
