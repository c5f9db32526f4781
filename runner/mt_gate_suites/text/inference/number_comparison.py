"""Changes a number in the hypothesis to one that the premise rules out."""

from __future__ import annotations

from collections.abc import Iterator

from mt_gate_suites.lexicons.numbers import CARDINALS
from mt_gate_suites.lexicons.reading import ordered, rows
from mt_gate_suites.text.inference.templates import NO_LONGER_ENTAILED, PEOPLE, sampled
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup

_GETTING = ordered("text/inference", "getting")
_THINGS = rows("text/inference", "things", 2)
_SMALLEST, _LARGEST = 4, 18
_STEPS = (1, 2)


def _groups() -> Iterator[TemplateGroup]:
    for at, person in enumerate(PEOPLE):
        for verb in _GETTING:
            things = _THINGS[at % len(_THINGS)][0]
            for number in range(_SMALLEST, _LARGEST + 1):
                opening = f"The {person} {verb}"
                premise = f"{opening} {CARDINALS[number]} {things}."
                for step in _STEPS:
                    less, more = CARDINALS[number - step], CARDINALS[number + step]
                    for words, true, false in (
                        ("more than", less, more),
                        ("fewer than", more, less),
                    ):
                        yield TemplateGroup(
                            PairOfTexts(premise, f"{opening} {words} {true} {things}."),
                            PairOfTexts(premise, f"{opening} {words} {false} {things}."),
                            words.replace(" ", "-"),
                        )


RELATION = TextRelation(
    name="number-comparison",
    title="Numeric comparison (not entailed)",
    description=(
        "Changes a number in the hypothesis to one that the premise rules out. The prediction must "
        "not be entailment."
    ),
    paper="Naik et al., COLING 2018 (stress tests), numerical reasoning",
    before=("The judge bought seven chairs. / The judge bought more than five chairs."),
    after=("The judge bought seven chairs. / The judge bought more than nine chairs."),
    transformation=sampled(_groups),
    output=NO_LONGER_ENTAILED,
)
