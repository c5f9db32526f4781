"""Two pairs that share their tail make a third, with the second pair's relation.

Source: Sun et al., Algorithms 2023, MR-C2.
    first      Liu, chairman of the China Banking Regulatory Commission (CBRC), hosts a meeting.
               (CBRC, China Banking Regulatory Commission) org:alternate_names
    second     (Liu, China Banking Regulatory Commission) per:employee_of
    follow-up  (Liu, CBRC) per:employee_of
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.re.combination import combination, seconds_relation
from mt_gate.tasks.relation_extraction import TAIL

RELATION = MetamorphicRelation(
    id="re/combine-shared-tail",
    title="Two pairs with one tail",
    description=(
        "A first pair’s relation is symmetric; a third entity also has a relation to its tail. "
        "The third must have it to the first pair’s head, too."
    ),
    paper="Sun et al., Algorithms 2023, MR-C2",
    before="[Liu], chairman of the [Banking Commission] (CBRC), hosts a meeting.",
    after="[Liu], chairman of the Banking Commission ([CBRC]), hosts a meeting.",
    holds=seconds_relation(),
    combine=combination(TAIL),
)
