"""The relations over labels with one source (Sun et al., Algorithms 2023).

Each derives the expected label of the follow-up from the source's label. The suite build edits the
sentences. MR-S1 and MR-S2 swap head and tail, MR-R1 to MR-R4 replace one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mt_gate.domain import NotApplicable, Verdict
from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import (
    Condition,
    Context,
    ExecutedGroup,
    Input,
    Judge,
    Judgement,
    MetamorphicRelation,
    PendingGroup,
)
from mt_gate.tasks.relation_extraction import ARGUMENTS, HEAD, TAIL, argument

Expected = Callable[[Ontology, str, Input, Input], str | None]
"""A function of ontology, source label, source and follow-up to the expected label, or None."""


def ontology_of(context: Context) -> Ontology:
    """Return the ontology of the system's labels; every run of task re has one."""
    assert context.ontology is not None, "task re needs an ontology"
    return context.ontology


def same(ontology: Ontology, label: str, _: Input, __: Input) -> str | None:
    """Expect the source's label, unless it is the label for no relation."""
    return None if ontology.read(label) is None else label


def same_of_both_types(
    ontology: Ontology, label: str, source: Input, follow_up: Input
) -> str | None:
    """Expect the source's label if it allows the types of both inputs.

    Otherwise the scheme has another label for this relation.
    """
    if ontology.read(label) is None:
        return None
    kinds = [[argument(value, name).type for name in ARGUMENTS] for value in (source, follow_up)]
    return label if all(ontology.fits(label, *pair) for pair in kinds) else None


def _coarser(ontology: Ontology, label: str, source: Input, follow_up: Input) -> str | None:
    for name in ARGUMENTS:
        kind = argument(follow_up, name).type
        if kind != argument(source, name).type:
            return ontology.coarser(label, name, kind)
    return None


def _inverse(ontology: Ontology, label: str, source: Input, _: Input) -> str | None:
    return ontology.inverse(label, argument(source, HEAD).type, argument(source, TAIL).type)


def _symmetric(ontology: Ontology, label: str, _: Input, __: Input) -> str | None:
    return label if ontology.is_symmetric(label) else None


def condition(expected: Expected) -> Condition:
    """Return the condition on the source output of a relation that expects ``expected``."""

    def when(before: PendingGroup) -> str:
        texts = [
            [value["text"], *(value[name][:2] for name in ARGUMENTS)]
            for value in (before.source, before.follow_up)
        ]
        if texts[0] == texts[1] and not before.context.reads_types:
            return NotApplicable.TYPES_UNREAD
        ontology, label = ontology_of(before.context), before.source_output["relation"]
        wanted = expected(ontology, label, before.source, before.follow_up)
        return NotApplicable.SOURCE_ANSWER if wanted is None else ""

    return when


def answers(expected: Expected) -> Judge:
    """Return a judge: satisfied if the follow-up's label means the same as the expected label."""

    def holds(case: ExecutedGroup) -> Judgement:
        ontology, label = ontology_of(case.context), case.source_output["relation"]
        wanted = expected(ontology, label, case.source, case.follow_up)
        if wanted is None:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)
        return judged(ontology, wanted, case.follow_up_output["relation"])

    return holds


def judged(ontology: Ontology, wanted: str, label: str) -> Judgement:
    """Return the verdict on a label, given the expected label."""
    if ontology.same(wanted, label):
        return Judgement(Verdict.SATISFIED)
    return Judgement(Verdict.VIOLATED, unmatched={"expected": wanted})


def _relation(expected: Expected, number: str, **more: Any) -> MetamorphicRelation:
    paper = f"Sun et al., Algorithms 2023, MR-{number}"
    return MetamorphicRelation(
        paper=paper, holds=answers(expected), when=condition(expected), **more
    )


SAME_TYPE = _relation(
    same,
    "R1",
    id="re/same-type",
    title="Entity replacement (same type)",
    description=(
        "Replaces the head or tail with another name of its type. The predicted relation must not "
        "change."
    ),
    before="[French] filmmaker [Claude] dies at 80.",
    after="[American] filmmaker [Claude] dies at 80.",
    scarce=True,
)
COARSER_TYPE = _relation(
    _coarser,
    "R2",
    id="re/coarser-type",
    title="City to state or country",
    description=(
        "Replaces a city with its state or country. The relation to the larger place is expected, "
        "such as country of birth for city of birth."
    ),
    before="[Richard] was born in [San Francisco].",
    after="[Richard] was born in [the United States].",
    scarce=True,
)
CO_RELATED_TYPE = _relation(
    same_of_both_types,
    "R3",
    id="re/co-related-type",
    title="Entity reworded (type changes)",
    description=(
        "Rewords the head or tail, so that it gets a related type: “46” is a number, “46 years "
        "old” a duration. The predicted relation must not change."
    ),
    before="[Jupp], [46], works in the lab.",
    after="[Jupp], [46 years old], works in the lab.",
    scarce=True,
)
# MR-R3 without a change of words, so it is skipped for a system that does not read types.
TYPE_LABEL = _relation(
    same_of_both_types,
    "R3",
    id="re/type-label",
    title="Type label changed (text unchanged)",
    description=(
        "Changes the type of the head or tail to another that fits, for models that read types. "
        "The predicted relation must not change."
    ),
    before="[US: NATIONALITY] actress [Patricia Neal] died at home.",
    after="[US: COUNTRY] actress [Patricia Neal] died at home.",
    fixed_edit=True,
)
COREFERENT = _relation(
    same,
    "R4",
    id="re/coreferent",
    title="Coreferent mention",
    description=(
        "Moves the head or tail to a coreferent mention, such as a pronoun. The predicted relation "
        "must not change."
    ),
    before="John is a father, [he] loves his child [Mary].",
    after="[John] is a father, he loves his child [Mary].",
    scarce=True,
)
SWAP_SYMMETRIC = _relation(
    _symmetric,
    "S1",
    id="re/swap-symmetric",
    title="Head/tail swap (symmetric relation)",
    description=(
        "Swaps head and tail of a symmetric relation, such as siblings. The predicted relation "
        "must not change."
    ),
    before="[Lily: head] is [Mary: tail]’s sister.",
    after="[Lily: tail] is [Mary: head]’s sister.",
    fixed_edit=True,
    scarce=True,
)
SWAP_ANTISYMMETRIC = _relation(
    _inverse,
    "S2",
    id="re/swap-antisymmetric",
    title="Head/tail swap (inverse relation)",
    description=(
        "Swaps head and tail of a relation that has an inverse, such as parent and child. The "
        "inverse relation must be predicted."
    ),
    before="[John: head] is [Mary: tail]’s father.",
    after="[John: tail] is [Mary: head]’s father.",
    fixed_edit=True,
)
