"""Relations of premise and hypothesis by natural logic: hypernyms, quantifiers, numbers, details.

Source: MacCartney and Manning, IWCS 2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mt_gate.relations.stated import Becomes, Same, When
from mt_gate_suites.grammar.rewrite import article_for
from mt_gate_suites.lexicons.numbers import CARDINALS
from mt_gate_suites.lexicons.reading import ordered, rows
from mt_gate_suites.text.inference.templates import (
    ACTS,
    CONTRADICTION,
    DEEDS,
    ENTAILMENT,
    NEUTRAL,
    NO_LONGER_ENTAILED,
    PEOPLE,
    sampled,
    sampled_by_kind,
    two_people,
)
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import PairOfTexts, TemplateGroup

_KINDS = rows("text/inference", "kinds", 2)
_THINGS = [
    (things, adjectives.split()) for things, adjectives in rows("text/inference", "things", 2)
]
_GETTING = ordered("text/inference", "getting")
_DONE = ordered("text/inference", "done")
_UPWARD = ordered("text/inference", "upward")
_DOWNWARD = ordered("text/inference", "downward")
_NEARBY = ordered("text/inference", "nearby")
_DETAILS = ordered("text/inference", "details")
_SMALLEST, _LARGEST = 4, 18
_STEPS = (1, 2)


class Detailed(NamedTuple):
    """The same said in two voices, without the full stop, and a detail that neither says."""

    said: str
    said_otherwise: str
    detail: str
    stratum: str


class Denial(NamedTuple):
    """A premise with what follows from it, and what contradicts it."""

    premise: str
    follows: str
    ruled_out: str
    stratum: str


def detailed() -> Iterator[Detailed]:
    """Yield all statements that the words make, each with one of the details."""
    for at, (one, other) in enumerate(two_people()):
        for number, (past, participle) in enumerate(ACTS):
            detail = _DETAILS[(at * 7 + number) % len(_DETAILS)]
            active = f"The {other} {past} the {one}"
            passive = f"The {one} was {participle} by the {other}"
            yield Detailed(passive, active, detail, "passive")
            yield Detailed(active, passive, detail, "active")


def denials() -> Iterator[Denial]:
    """Yield all premises that the words make, with what follows and what is ruled out."""
    for at, (one, other) in enumerate(two_people()):
        deed, (past, participle) = DEEDS[at % len(DEEDS)], ACTS[at % len(ACTS)]
        near = _NEARBY[at % len(_NEARBY)]
        yield Denial(
            f"The {one} {near} the {other} {deed}.",
            f"Somebody {deed}.",
            f"Nobody {deed}.",
            "subject-pronoun",
        )
        yield Denial(
            f"The {one} was {participle} by the {other}.",
            f"The {other} {past} somebody.",
            f"The {other} {past} nobody.",
            "object-pronoun",
        )
    for things, adjectives in _THINGS:
        for adjective in adjectives:
            for done in _DONE:
                for some in _UPWARD:
                    yield Denial(
                        f"{some} {adjective} {things} {done}.",
                        f"Some {things} {done}.",
                        f"No {things} {done}.",
                        "subject-quantifier",
                    )


def _hypernyms() -> Iterator[TemplateGroup]:
    for person in PEOPLE:
        for verb in _GETTING:
            for nouns in _KINDS:
                one, other = (
                    f"The {person} {verb} {article_for(noun.split()[0])} {noun}." for noun in nouns
                )
                yield TemplateGroup(PairOfTexts(one, other), PairOfTexts(other, one), nouns[1])


def _quantifiers() -> Iterator[TemplateGroup]:
    for things, adjectives in _THINGS:
        for adjective in adjectives:
            for done in _DONE:
                for up in _UPWARD:
                    for down in _DOWNWARD:
                        few = {word: f"{word} {adjective} {things} {done}." for word in (up, down)}
                        all_of = {word: f"{word} {things} {done}." for word in (up, down)}
                        yield TemplateGroup(
                            PairOfTexts(few[up], all_of[up]),
                            PairOfTexts(few[down], all_of[down]),
                            "downward-monotone",
                        )
                        yield TemplateGroup(
                            PairOfTexts(all_of[down], few[down]),
                            PairOfTexts(all_of[up], few[up]),
                            "upward-monotone",
                        )


def _comparisons() -> Iterator[TemplateGroup]:
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


def _detailed_premises() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        hypothesis = f"{otherwise}."
        yield TemplateGroup(
            PairOfTexts(f"{said}.", hypothesis),
            PairOfTexts(f"{said} {detail}.", hypothesis),
            stratum,
        )


def _detailed_hypotheses() -> Iterator[TemplateGroup]:
    for said, otherwise, detail, stratum in detailed():
        premise = f"{said}."
        yield TemplateGroup(
            PairOfTexts(premise, f"{otherwise}."),
            PairOfTexts(premise, f"{otherwise} {detail}."),
            stratum,
        )


def _denied_hypotheses() -> Iterator[TemplateGroup]:
    for premise, follows, ruled_out, stratum in denials():
        yield TemplateGroup(PairOfTexts(premise, follows), PairOfTexts(premise, ruled_out), stratum)


def _swapped_contradictions() -> Iterator[TemplateGroup]:
    for premise, _, ruled_out, stratum in denials():
        yield TemplateGroup(
            PairOfTexts(premise, ruled_out), PairOfTexts(ruled_out, premise), stratum
        )


RELATIONS = (
    TextRelation(
        name="hypernym",
        title="Hypernym to hyponym (not entailed)",
        description=(
            "Swaps premise and hypothesis, so that the hypothesis is more specific. The prediction "
            "must not be entailment."
        ),
        paper="LLMorph (Cho et al., ICSME 2025), hypernyms; MacCartney and Manning, IWCS 2009",
        before="The judge bought a guitar. / The judge bought an instrument.",
        after="The judge bought an instrument. / The judge bought a guitar.",
        transformation=sampled(_hypernyms),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="quantifier",
        title="Quantifier monotonicity",
        description=(
            "Replaces the quantifier with one of opposite monotonicity. The prediction must not be "
            "entailment."
        ),
        paper="MacCartney and Manning, IWCS 2009; Richardson et al., AAAI 2020",
        before="Some red cars were sold. / Some cars were sold.",
        after="No red cars were sold. / No cars were sold.",
        transformation=sampled(_quantifiers),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="number-comparison",
        title="Numeric comparison (not entailed)",
        description=(
            "Changes a number in the hypothesis to one that the premise rules out. The prediction "
            "must not be entailment."
        ),
        paper="Naik et al., COLING 2018 (stress tests), numerical reasoning",
        before="The judge bought seven chairs. / The judge bought more than five chairs.",
        after="The judge bought seven chairs. / The judge bought more than nine chairs.",
        transformation=sampled(_comparisons),
        output=NO_LONGER_ENTAILED,
    ),
    TextRelation(
        name="added-detail",
        title="Detail added to premise (still entailed)",
        description="Adds a place or time to the premise. The prediction must stay entailment.",
        paper="MacCartney and Manning, IWCS 2009, natural logic",
        before="The judge was thanked by the baker. / The baker thanked the judge.",
        after="The judge was thanked by the baker in the garden. / The baker thanked the judge.",
        transformation=sampled(_detailed_premises),
        output=Same(labels=(ENTAILMENT,), when=When(label=ENTAILMENT)),
    ),
    TextRelation(
        name="added-claim",
        title="Detail added to hypothesis (becomes neutral)",
        description=(
            "Adds a place or time to the hypothesis. The prediction must change from entailment to "
            "neutral."
        ),
        paper="MacCartney and Manning, IWCS 2009, natural logic",
        before="The judge was thanked by the baker. / The baker thanked the judge.",
        after="The judge was thanked by the baker. / The baker thanked the judge in the garden.",
        transformation=sampled(_detailed_hypotheses),
        output=Becomes(labels={ENTAILMENT: NEUTRAL}),
    ),
    TextRelation(
        name="negated-hypothesis",
        title="Negated hypothesis (becomes contradiction)",
        description=(
            "Negates the hypothesis. The prediction must change from entailment to contradiction."
        ),
        paper="Naik et al., COLING 2018 (stress tests), negation",
        before="The judge near the baker laughed. / Somebody laughed.",
        after="The judge near the baker laughed. / Nobody laughed.",
        transformation=sampled_by_kind(_denied_hypotheses),
        output=Becomes(labels={ENTAILMENT: CONTRADICTION}),
    ),
    TextRelation(
        name="contradiction-order",
        title="Contradiction in swapped order",
        description="Swaps the two contradictory texts. The prediction must stay contradiction.",
        paper="MacCartney and Manning, IWCS 2009, natural logic",
        before="The judge near the baker laughed. / Nobody laughed.",
        after="Nobody laughed. / The judge near the baker laughed.",
        transformation=sampled_by_kind(_swapped_contradictions),
        output=Same(labels=(CONTRADICTION,), when=When(label=CONTRADICTION)),
    ),
)
