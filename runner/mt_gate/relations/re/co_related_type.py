"""Words that mean the same under another type keep the relation.

Source: Sun et al., Algorithms 2023, MR-R3.
    source     Jupp, 46 (NUMBER), works in the lab.              per:age
    follow-up  Jupp, 46 years old (DURATION), works in the lab.  per:age
Nothing follows where the relation cannot be between the new types, or the old
ones: the scheme then has another label for what is said.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.re.answers import answers, condition, same_of_both_types

RELATION = MetamorphicRelation(
    id="re/co-related-type",
    title="Same meaning, another type",
    description=(
        "Head or tail gets words of another type with the same meaning. The relation stays."
    ),
    paper="Sun et al., Algorithms 2023, MR-R3",
    before="[Jupp], [46], works in the lab.",
    after="[Jupp], [46 years old], works in the lab.",
    holds=answers(same_of_both_types),
    scarce=True,
    when=condition(same_of_both_types),
)
