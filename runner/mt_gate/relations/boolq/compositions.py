"""Two relations applied one after the other, as relations of their own.

Source: Chen et al., ESEC/FSE 2021, section 9 (future work). The output relation
is that of the first, read on by the second. Off by default: a run takes them
where ``--relations`` names them.
"""

from __future__ import annotations

from itertools import combinations
from types import ModuleType

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.boolq import (
    adverbial_position,
    antonym_adjective,
    before_after,
    negation_tag,
    synonym_adjective,
    tense_change,
    voice_change,
)
from mt_gate.relations.boolq.answers import Expected, answers, then

# The order in which two are applied: what reads the question's shape before what changes it most.
_IN_ORDER = (
    antonym_adjective,
    synonym_adjective,
    before_after,
    tense_change,
    adverbial_position,
    negation_tag,
    voice_change,
)
# A synonym of the antonym that was just put in is a second guess at one word.
_LEFT_OUT = ((antonym_adjective, synonym_adjective),)


def _composed(first: ModuleType, second: ModuleType, expected: Expected) -> MetamorphicRelation:
    one, two = first.RELATION, second.RELATION
    return MetamorphicRelation(
        id=f"{one.id}+{two.id.partition('/')[2]}",
        title=f"{one.title}; {two.title[0].lower()}{two.title[1:]}",
        description=f"First: {one.description} Then: {two.description}",
        paper=f"{one.paper}; then {two.paper.rpartition(' ')[2]} (section 9)",
        before=one.before,
        after=one.after,
        holds=answers(expected),
        parts=(one, two),
        fixed_edit=one.fixed_edit and two.fixed_edit,
        default=False,
    )


RELATIONS = tuple(
    _composed(first, second, expected)
    for first, second in combinations(_IN_ORDER, 2)
    if (expected := then(first.EXPECTED, second.EXPECTED)) is not None
    if (first, second) not in _LEFT_OUT
)
