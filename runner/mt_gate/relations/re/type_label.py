"""The same words under another type that is theirs too keep the relation.

Source: Sun et al., Algorithms 2023, MR-R3, where no word changes.
    source     US (NATIONALITY) actress Patricia Neal died.  per:origin
    follow-up  US (COUNTRY) actress Patricia Neal died.      per:origin
Nothing follows where the relation cannot be between the new types, or the old
ones; and a system that reads no types is not asked.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition, same_of_both_types

RELATION = MetamorphicRelation(
    id="re/type-label",
    title="Same words, another type",
    description=(
        "Head or tail keeps its words and gets another type that they have in the sentence. "
        "The relation stays. Only for systems that read types."
    ),
    paper="Sun et al., Algorithms 2023, MR-R3",
    before="[US: NATIONALITY] actress [Patricia Neal] died at home.",
    after="[US: COUNTRY] actress [Patricia Neal] died at home.",
    holds=answers(same_of_both_types),
    fixed_edit=True,
    when=condition(same_of_both_types),
)
