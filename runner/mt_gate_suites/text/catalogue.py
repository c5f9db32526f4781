"""All built-in relations over texts, in the order of suites."""

from __future__ import annotations

from importlib import import_module

from mt_gate.tasks.table import TASKS
from mt_gate_suites.text.relation import TextRelation

_FAMILIES = {
    "surface": (
        "keyboard_typo letter_swap ocr_confusion homoglyph zero_width combining_marks "
        "letter_spacing leetspeak letter_masking letter_case repeated_letters dropped_diacritics "
        "emoji"
    ),
    "same": (
        "contraction neutral_sentence name_replacement place_replacement number_replacement "
        "dialect_spelling politeness reported_speech request_opening word_replacement "
        "phrase_replacement voice_change pair_order"
    ),
    "directional": ("negation intensifier hedge temporal_shift another_view concession question"),
    "inference": (
        "lexical_overlap subsequence constituent hypernym quantifier number_comparison "
        "added_detail added_claim negated_hypothesis contradiction_order"
    ),
}
"""Modules by folder, each with one relation."""

RELATIONS: tuple[TextRelation, ...] = tuple(
    import_module(f"mt_gate_suites.text.{family}.{name}").RELATION
    for family, names in _FAMILIES.items()
    for name in names.split()
)

BY_NAME: dict[str, TextRelation] = {relation.name: relation for relation in RELATIONS}


def relations_for(task: str) -> tuple[TextRelation, ...]:
    """Return the relations whose transformations edit the inputs of a task."""
    return tuple(relation for relation in RELATIONS if relation.serves(TASKS[task]))
