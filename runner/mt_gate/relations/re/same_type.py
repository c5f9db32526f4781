"""Another entity of its type in place of the head or the tail keeps the relation.

Source: Sun et al., Algorithms 2023, MR-R1.
    source     French filmmaker Claude dies at 80.    per:origin
    follow-up  American filmmaker Claude dies at 80.  per:origin
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition, same

RELATION = MetamorphicRelation(
    id="re/same-type",
    title="Another name of its type",
    description=(
        "Head or tail is replaced by another name of its type. The sentence says the same about "
        "both, so the relation stays."
    ),
    paper="Sun et al., Algorithms 2023, MR-R1",
    before="[French] filmmaker [Claude] dies at 80.",
    after="[American] filmmaker [Claude] dies at 80.",
    holds=answers(same),
    scarce=True,
    when=condition(same),
)
