"""Another mention of the same entity as head or tail keeps the relation.

Source: Sun et al., Algorithms 2023, MR-R4.
    source     John is a father, he (tail) loves his child Mary (head).  per:parents
    follow-up  John (tail) is a father, he loves his child Mary (head).  per:parents
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition, same

RELATION = MetamorphicRelation(
    id="re/coreferent",
    title="Another mention of the same",
    description=(
        "Head or tail moves to another mention of the same person or thing, such as "
        "a pronoun. The relation stays."
    ),
    paper="Sun et al., Algorithms 2023, MR-R4",
    before="John is a father, [he] loves his child [Mary].",
    after="[John] is a father, he loves his child [Mary].",
    holds=answers(same),
    scarce=True,
    when=condition(same),
)
