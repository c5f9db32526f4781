"""A relation with an inverse turns into it when head and tail are exchanged.

Source: Sun et al., Algorithms 2023, MR-S2.
    source     John (head) is Mary's (tail) father.  per:children
    follow-up  John (tail) is Mary's (head) father.  per:parents
"""

from __future__ import annotations

from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import Input, MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition
from mt_gate.tasks.relation_extraction import HEAD, TAIL, argument


def _inverse(ontology: Ontology, label: str, source: Input, _: Input) -> str | None:
    return ontology.inverse(label, argument(source, HEAD).type, argument(source, TAIL).type)


RELATION = MetamorphicRelation(
    id="re/swap-antisymmetric",
    title="Head and tail exchanged, relation one way",
    description=(
        "Head and tail are exchanged if the relation has an inverse, such as parent and child. "
        "The inverse is expected."
    ),
    paper="Sun et al., Algorithms 2023, MR-S2",
    before="[John: head] is [Mary: tail]’s father.",
    after="[John: tail] is [Mary: head]’s father.",
    holds=answers(_inverse),
    fixed_edit=True,
    when=condition(_inverse),
)
