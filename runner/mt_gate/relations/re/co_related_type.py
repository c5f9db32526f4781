"""Words that mean the same under another type keep the relation.

Source: Sun et al., Algorithms 2023, MR-R3.
    source     Jupp, 46 (NUMBER), works in the lab.              per:age
    follow-up  Jupp, 46 years old (DURATION), works in the lab.  per:age
or the same words under another type: US, a nationality and a country. Nothing
follows where the relation cannot be between the new types, or the old ones: the
scheme then has another label for what is said.
"""

from __future__ import annotations

from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import Input, MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition
from mt_gate.tasks.relation_extraction import ARGUMENTS, argument


def _same_of_both(ontology: Ontology, label: str, source: Input, follow_up: Input) -> str | None:
    if ontology.read(label) is None:
        return None
    kinds = [[argument(value, name).type for name in ARGUMENTS] for value in (source, follow_up)]
    return label if all(ontology.fits(label, *pair) for pair in kinds) else None


RELATION = MetamorphicRelation(
    id="re/co-related-type",
    title="Same meaning, another type",
    description=(
        "Head or tail gets words of another type, or only another type, with the same "
        "meaning. The relation stays."
    ),
    paper="Sun et al., Algorithms 2023, MR-R3",
    before="[Jupp], [46], works in the lab.",
    after="[Jupp], [46 years old], works in the lab.",
    holds=answers(_same_of_both),
    builder="mt_gate.building.re.co_related.change:transform",
    scarce=True,
    when=condition(_same_of_both),
)
