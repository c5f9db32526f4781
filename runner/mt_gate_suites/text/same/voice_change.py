"""Turns an active clause into the passive, or back."""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc

from mt_gate.domain import map_span
from mt_gate_suites.boolq.voice_change import voice_change
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.text.protected import protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfDoc


def transform(doc: Doc, _: Random) -> list[Rewrite]:
    """Return the text with the other voice in the first clause that surely allows it."""
    change = voice_change(doc, at_most=1)
    if change is None:
        return []
    unchanged_spans = (map_span(change.alignment, *span) for span in protected_spans(doc.text))
    return [change] if all(unchanged_spans) else []


RELATION = TextRelation(
    name="voice-change",
    title="Active/passive",
    description="Turns an active clause into the passive, or back. The prediction must not change.",
    paper=("Chen et al., ESEC/FSE 2021, MR2-3; Ribeiro et al., ACL 2020 (CheckList)"),
    before="The king built the house in 1990.",
    after="The house was built by the king in 1990.",
    transformation=OfDoc(transform),
)
