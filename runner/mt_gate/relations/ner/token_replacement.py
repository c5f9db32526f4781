"""Replacing one verb or adjective by another keeps every entity.

Source: Yu et al., ESEC/FSE 2023 (TIN), similar sentence generation, token level.
    source     The new track broadens the reach of Oslo.
    follow-up  The new track extends the reach of Oslo.

Suites are built with a table of exchanges, and with language models where these are named.
"""

from __future__ import annotations

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.stated import SpansMapped, judge
from mt_gate.tasks import ner

RELATION = MetamorphicRelation(
    id="ner/token-replacement",
    title="One word replaced",
    description=(
        "A verb or adjective is replaced by another of its kind. The other names stay the same, so "
        "each must keep its label, and no new name may appear."
    ),
    paper="Yu et al., ESEC/FSE 2023 (TIN), similar sentence generation, token level",
    before="Anna purchased a house in Oslo.",
    after="Anna bought a house in Oslo.",
    holds=judge(SpansMapped(only_kept=True), ner.TASK),
)
