"""A relation that holds both ways stays when head and tail are exchanged.

Source: Sun et al., Algorithms 2023, MR-S1.
    source     Lily (head) is Mary's (tail) sister.  per:siblings
    follow-up  Lily (tail) is Mary's (head) sister.  per:siblings
"""

from __future__ import annotations

from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import Input, MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition


def _symmetric(ontology: Ontology, label: str, _: Input, __: Input) -> str | None:
    return label if ontology.is_symmetric(label) else None


RELATION = MetamorphicRelation(
    id="re/swap-symmetric",
    title="Head and tail exchanged, relation both ways",
    description=(
        "Head and tail are exchanged if the relation holds both ways, such as siblings. "
        "The relation stays."
    ),
    paper="Sun et al., Algorithms 2023, MR-S1",
    before="[Lily: head] is [Mary: tail]’s sister.",
    after="[Lily: tail] is [Mary: head]’s sister.",
    holds=answers(_symmetric),
    fixed_edit=True,
    scarce=True,
    when=condition(_symmetric),
)
