"""Combine two pairs that share an argument into a third pair.

Source: Sun et al., Algorithms 2023, section 3.2.3.
    first      Peterson leaves behind his wife, Kelly, and their daughter Celine.
               (Peterson, Kelly) per:spouse
    second     (Peterson, Celine) per:children
    follow-up  (Kelly, Celine) per:children

The first source's relation is symmetric, such as between spouses. If the ontology states it, a
relation of one spouse to a third entity also holds for the other: they share children, but not
titles. Nothing is combined if the types of the first two entities do not fit the relation, or if
the third entity may be one of them.
"""

from __future__ import annotations

import re

from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.relations.base import (
    AnsweredInput,
    Combination,
    ExecutedGroup,
    FirstSource,
    FollowUp,
    Input,
    Judgement,
    MetamorphicRelation,
)
from mt_gate.relations.re.labels import judged, ontology_of
from mt_gate.tasks.relation_extraction import HEAD, TAIL, TEXT, Argument, argument, make_input

_GLOSS = re.compile(
    r"""\s*(?:['"”,]\s*)?(?:\(\s*['"“]?|(?:or|named|called|known as|formerly|born|née|also)\s+"""
    r"""['"“]?|\(?(?:also )?(?:known as|called)\s+['"“]?)"""
)
"""Text between two names of one entity: ``(``, ``born``."""


def combination(shared: str) -> Combination:
    """Return how to build follow-ups from two sources with the same ``shared`` argument."""
    other = TAIL if shared == HEAD else HEAD

    def seconds(first: FirstSource) -> tuple[Input, ...]:
        ontology = ontology_of(first.context)
        value, relation = first.source.input, first.output["relation"]
        taken = [argument(value, HEAD), argument(value, TAIL)]
        if not ontology.is_symmetric(relation):
            return ()
        if not ontology.fits(relation, *(entity.type for entity in taken)):
            return ()
        common = argument(value, shared)
        thirds = (Argument(*entity) for entity in first.source.entities)
        return tuple(
            _pair(value[TEXT], shared, common, third)
            for third in thirds
            if not any(may_be_one(value[TEXT], third, entity) for entity in taken)
        )

    def follow_ups(first: FirstSource, answered: tuple[AnsweredInput, ...]) -> tuple[FollowUp, ...]:
        ontology = ontology_of(first.context)
        value = first.source.input
        remaining = argument(value, other)
        whole = (Block(0, 0, len(value[TEXT])),)
        built = []
        for second in answered:
            relation, third = second.output["relation"], argument(second.input, other)
            allowed = ontology.types(relation, other)
            fits = not allowed or not third.type or third.type in allowed
            if fits and ontology.shares(first.output["relation"], relation, shared):
                follow_up = _pair(value[TEXT], shared, remaining, third)
                built.append(FollowUp(follow_up, whole, second))
        return tuple(built)

    return Combination(seconds, follow_ups)


def _pair(text: str, shared: str, common: Argument, third: Argument) -> Input:
    return make_input(text, common, third) if shared == HEAD else make_input(text, third, common)


def seconds_relation(case: ExecutedGroup) -> Judgement:
    """Return satisfied if the follow-up's label means the same as the second source's label."""
    if case.second is None:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)
    wanted = case.second.output["relation"]
    return judged(ontology_of(case.context), wanted, case.follow_up_output["relation"])


def may_be_one(text: str, one: Argument, other: Argument) -> bool:
    """Whether two mentions may be one entity: overlap, shared name, initials, or a gloss.

    >>> text = "The United Nations (UN) met Anna Berg; Berg spoke."
    >>> [may_be_one(text, Argument(4, 18), Argument(20, 22)),
    ...  may_be_one(text, Argument(28, 37), Argument(39, 43)),
    ...  may_be_one(text, Argument(4, 18), Argument(28, 37))]
    [True, True, False]
    """
    first, second = sorted((one, other))
    if second.start < first.end or _GLOSS.fullmatch(text[first.end : second.start]):
        return True
    names = (text[mention.start : mention.end] for mention in (one, other))
    words = [re.findall(r"[^\W_]+", re.sub(r"['’]s\b|\.", "", name).casefold()) for name in names]
    shorter, longer = sorted(words, key=len)
    small = {"of", "the", "and", "for", "in", "de"}
    initials = "".join(word[0] for word in longer if word not in small)
    return set(shorter) <= set(longer) or initials == "".join(shorter)


COMBINE_SHARED_HEAD = MetamorphicRelation(
    id="re/combine-shared-head",
    title="Composition with shared head",
    description=(
        "Combines a symmetric relation of A and B, such as spouses, with a relation of A to C, "
        "such as a child. The relation of A to C must also be predicted of B to C."
    ),
    paper="Sun et al., Algorithms 2023, MR-C1",
    before=(
        "[Peterson: A] leaves behind his wife, [Kelly: B], and their daughter [Celine: C]. "
        "Predicted: A and B are spouses, and C is a child of A."
    ),
    after="The pair of B and C. Expected: C is a child of B.",
    holds=seconds_relation,
    combine=combination(HEAD),
)
COMBINE_SHARED_TAIL = MetamorphicRelation(
    id="re/combine-shared-tail",
    title="Composition with shared tail",
    description=(
        "Combines a symmetric relation of A and B, such as two names of one company, with a "
        "relation of C to B, such as an employer. The relation of C to B must also be predicted "
        "of C to A."
    ),
    paper="Sun et al., Algorithms 2023, MR-C2",
    before=(
        "[Liu: C], chairman of the [Banking Commission: B] ([CBRC: A]), hosts a meeting. "
        "Predicted: A and B are names of one body, and B employs C."
    ),
    after="The pair of C and A. Expected: A employs C.",
    holds=seconds_relation,
    combine=combination(TAIL),
)
