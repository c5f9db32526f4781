"""Two pairs that share their head make a third, with the second pair's relation.

Source: Sun et al., Algorithms 2023, MR-C1.
    first      Peterson leaves behind his wife, Kelly, and their daughter Celine.
               (Peterson, Kelly) per:spouse
    second     (Peterson, Celine) per:children
    follow-up  (Kelly, Celine) per:children
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.re.combination import combination, seconds_relation
from mt_gate.tasks.relation_extraction import HEAD

RELATION = MetamorphicRelation(
    id="re/combine-shared-head",
    title="Two pairs with one head",
    description=(
        "A first pair’s relation is symmetric; its head also has a relation to a third entity. "
        "The first pair’s tail must have it to the third, too."
    ),
    paper="Sun et al., Algorithms 2023, MR-C1",
    before="[Peterson] leaves behind his wife, Kelly, and their daughter [Celine].",
    after="Peterson leaves behind his wife, [Kelly], and their daughter [Celine].",
    holds=seconds_relation(),
    combine=combination(HEAD),
)
