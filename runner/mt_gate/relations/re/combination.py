"""Two pairs that share an argument make a third pair: what both combinations have in common.

Source: Sun et al., Algorithms 2023, section 3.2.3.

The first source's relation holds both ways, as between spouses. What holds of
one of the two and a third entity then holds of the other and the third, where
the ontology says so: a child of one is a child of the other, a title is not.
Nothing is combined where the first two are of types between which the relation
cannot be, or the third may be one of the two.
"""

from __future__ import annotations

from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.relations.base import (
    AnsweredInput,
    Combination,
    ExecutedGroup,
    FirstSource,
    FollowUp,
    Input,
    Judge,
    Judgement,
)
from mt_gate.relations.re.answers import judged, ontology_of
from mt_gate.relations.re.one_thing import may_be_one
from mt_gate.tasks.relation_extraction import HEAD, TAIL, TEXT, Argument, argument, pair


def combination(shared: str) -> Combination:
    """Return how follow-ups are built where two sources share their ``shared`` argument."""
    other = TAIL if shared == HEAD else HEAD

    def seconds(first: FirstSource) -> tuple[Input, ...]:
        ontology = ontology_of(first.context)
        value = first.source.input
        if not ontology.is_symmetric(first.output["relation"]):
            return ()
        taken = [argument(value, HEAD), argument(value, TAIL)]
        if not ontology.fits(first.output["relation"], *(one.type for one in taken)):
            return ()
        common = argument(value, shared)
        thirds = (Argument(*entity) for entity in first.source.entities)
        return tuple(
            _pair(value[TEXT], shared, common, third)
            for third in thirds
            if not any(may_be_one(value[TEXT], third, one) for one in taken)
        )

    def follow_ups(first: FirstSource, asked: tuple[AnsweredInput, ...]) -> tuple[FollowUp, ...]:
        ontology = ontology_of(first.context)
        value = first.source.input
        remaining = argument(value, other)
        whole = (Block(0, 0, len(value[TEXT])),)
        return tuple(
            FollowUp(
                _pair(value[TEXT], shared, remaining, argument(second.input, other)),
                whole,
                second,
            )
            for second in asked
            if ontology.shares(first.output["relation"], second.output["relation"], shared)
            and _fits(first, second, argument(second.input, other), other)
        )

    return Combination(seconds, follow_ups)


def _fits(first: FirstSource, second: AnsweredInput, third: Argument, place: str) -> bool:
    """Whether the third entity is of a type that the second source's relation may have."""
    allowed = ontology_of(first.context).types(second.output["relation"], place)
    return not allowed or not third.type or third.type in allowed


def _pair(text: str, shared: str, common: Argument, third: Argument) -> Input:
    return pair(text, common, third) if shared == HEAD else pair(text, third, common)


def seconds_relation() -> Judge:
    """Return the output relation: the follow-up's label says what the second source's says."""

    def holds(case: ExecutedGroup) -> Judgement:
        if case.second is None:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)
        wanted = case.second.output["relation"]
        return judged(ontology_of(case.context), wanted, case.follow_up_output["relation"])

    return holds
