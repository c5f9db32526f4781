"""Replacing one phrase by another keeps every entity.

Source: Yu et al., ESEC/FSE 2023 (TIN), similar sentence generation, phrase level.
    source     Bergen is a coastal town in Norway.
    follow-up  Bergen is a seaside town in Norway.

Suites are built with a table of exchanges, and with language models where these are named.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.stated import SpansMapped, judge
from mt_gate.tasks import ner

RELATION = MetamorphicRelation(
    id="ner/phrase-replacement",
    title="One phrase replaced",
    description=(
        "A phrase is replaced by another of its kind. The other names stay the same, so each "
        "must keep its label, and no new name may appear."
    ),
    paper="Yu et al., ESEC/FSE 2023 (TIN), similar sentence generation, phrase level",
    before="Bergen is a coastal town in Norway.",
    after="Bergen is a seaside town in Norway.",
    holds=judge(SpansMapped(only_kept=True), ner.TASK),
)
