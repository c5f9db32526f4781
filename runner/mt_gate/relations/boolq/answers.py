"""Output relations over yes and no: what the follow-up's answer must be, given the source's.

Each is a table, so that two can be composed: the second reads what the first
expects. None says that nothing is expected, which makes a group not applicable.
"""

from __future__ import annotations

from collections.abc import Mapping

from mt_gate.domain import NotApplicable, Verdict
from mt_gate.relations.base import ExecutedGroup, Input, Judge, Judgement, Output
from mt_gate.tasks.boolq import NO, PASSAGE, YES

Expected = Mapping[str, str | None]

SAME: Expected = {YES: YES, NO: NO}
INVERTED: Expected = {YES: NO, NO: YES}
INVERTED_YES: Expected = {YES: NO, NO: None}
"""What excludes a yes says nothing of a no: both questions may be answered by no."""


def then(first: Expected, second: Expected) -> Expected:
    """Return what is expected of two relations applied one after the other."""
    return {source: second.get(middle or "") for source, middle in first.items()}


def answers(expected: Expected) -> Judge:
    """Return the output relation that holds where the follow-up's answer is the expected one."""

    def holds(case: ExecutedGroup) -> Judgement:
        wanted = expected[case.source_output["answer"]]
        if wanted is None:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)
        if _cut_off(case):
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.EDIT_CUT_OFF)
        kept = case.follow_up_output["answer"] == wanted
        return Judgement(Verdict.SATISFIED if kept else Verdict.VIOLATED)

    return holds


def _cut_off(case: ExecutedGroup) -> bool:
    """Whether an edit of the passage lies where either input was cut."""
    before, after = case.source[PASSAGE], case.follow_up[PASSAGE]
    if before == after:
        return False
    kept = _common_ending(before, after)
    return _unread(case.source, case.source_output, kept) or _unread(
        case.follow_up, case.follow_up_output, kept
    )


def _unread(given: Input, output: Output, kept: int) -> bool:
    """Whether a passage was read less far than its edits reach."""
    read = output.get("read")
    return read is not None and read < len(given[PASSAGE]) - kept


def _common_ending(left: str, right: str) -> int:
    length = 0
    for a, b in zip(reversed(left), reversed(right), strict=False):
        if a != b:
            break
        length += 1
    return length
