"""Every relation over texts that mt-gate ships, in the one order in which suites name them."""

from __future__ import annotations

from mt_gate.tasks.table import TASKS
from mt_gate_suites.text.directional import (
    another_view,
    concession,
    hedge,
    intensifier,
    negation,
    question,
    temporal_shift,
)
from mt_gate_suites.text.inference import (
    added_claim,
    added_detail,
    constituent,
    contradiction_order,
    hypernym,
    lexical_overlap,
    negated_hypothesis,
    number_comparison,
    quantifier,
    subsequence,
)
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.same import (
    contraction,
    dialect_spelling,
    name_replacement,
    neutral_sentence,
    number_replacement,
    pair_order,
    phrase_replacement,
    place_replacement,
    politeness,
    reported_speech,
    request_opening,
    voice_change,
    word_replacement,
)
from mt_gate_suites.text.surface import (
    combining_marks,
    dropped_diacritics,
    emoji,
    homoglyph,
    keyboard_typo,
    leetspeak,
    letter_case,
    letter_masking,
    letter_spacing,
    letter_swap,
    ocr_confusion,
    repeated_letters,
    zero_width,
)

RELATIONS: tuple[TextRelation, ...] = (
    keyboard_typo.RELATION,
    letter_swap.RELATION,
    ocr_confusion.RELATION,
    homoglyph.RELATION,
    zero_width.RELATION,
    combining_marks.RELATION,
    letter_spacing.RELATION,
    leetspeak.RELATION,
    letter_masking.RELATION,
    letter_case.RELATION,
    repeated_letters.RELATION,
    dropped_diacritics.RELATION,
    emoji.RELATION,
    contraction.RELATION,
    neutral_sentence.RELATION,
    name_replacement.RELATION,
    place_replacement.RELATION,
    number_replacement.RELATION,
    dialect_spelling.RELATION,
    politeness.RELATION,
    reported_speech.RELATION,
    request_opening.RELATION,
    word_replacement.RELATION,
    phrase_replacement.RELATION,
    voice_change.RELATION,
    pair_order.RELATION,
    negation.RELATION,
    intensifier.RELATION,
    hedge.RELATION,
    temporal_shift.RELATION,
    another_view.RELATION,
    concession.RELATION,
    question.RELATION,
    lexical_overlap.RELATION,
    subsequence.RELATION,
    constituent.RELATION,
    hypernym.RELATION,
    quantifier.RELATION,
    number_comparison.RELATION,
    added_detail.RELATION,
    added_claim.RELATION,
    negated_hypothesis.RELATION,
    contradiction_order.RELATION,
)

BY_NAME: dict[str, TextRelation] = {relation.name: relation for relation in RELATIONS}


def relations_for(task: str) -> tuple[TextRelation, ...]:
    """Return the relations whose transformations edit the inputs of a task."""
    return tuple(relation for relation in RELATIONS if relation.serves(TASKS[task]))
