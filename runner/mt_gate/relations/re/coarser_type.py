"""A state or country in place of its city turns the relation into the coarser one.

Source: Sun et al., Algorithms 2023, MR-R2.
    source     Richard was born in San Francisco.      per:city_of_birth
    follow-up  Richard was born in the United States.  per:country_of_birth
"""

from __future__ import annotations

from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import Input, MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition
from mt_gate.tasks.relation_extraction import ARGUMENTS, argument


def _coarser(ontology: Ontology, label: str, source: Input, follow_up: Input) -> str | None:
    for name in ARGUMENTS:
        kind = argument(follow_up, name).type
        if kind != argument(source, name).type:
            return ontology.coarser(label, name, kind)
    return None


RELATION = MetamorphicRelation(
    id="re/coarser-type",
    title="A city’s state or country",
    description=(
        "A city is replaced by the state or country that it is in. The relation to the larger "
        "place is expected: country of birth for city of birth."
    ),
    paper="Sun et al., Algorithms 2023, MR-R2",
    before="[Richard] was born in [San Francisco].",
    after="[Richard] was born in [the United States].",
    holds=answers(_coarser),
    scarce=True,
    when=condition(_coarser),
)
