"""Relations whose follow-up must have a label that follows from the source's."""

from __future__ import annotations

from cases import cases
from making_relations import KBP37, TACRED, judged, when
from mt_gate.domain import Verdict
from mt_gate.relations.catalogue import BY_ID

CONTEXTS = {"tacred": TACRED, "kbp37": KBP37, "blind": TACRED._replace(reads_types=False)}


@cases("relations/re")
def test_what_follows(
    relation: str, scheme: str, before: str, said: str, after: str, label: str, verdict: str
) -> None:
    """The last column is the verdict, the label that was expected, or why nothing follows."""
    record, context = BY_ID[f"re/{relation}"], CONTEXTS[scheme]
    reason = when(record, context, before, said, after)
    if reason:
        assert reason == verdict
        return
    actual = judged(record, context, before, said, after, label)
    if actual.verdict is Verdict.SATISFIED:
        assert verdict == "satisfied"
    else:
        assert (actual.verdict, actual.unmatched) == (Verdict.VIOLATED, {"expected": verdict})
