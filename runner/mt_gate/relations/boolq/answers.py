"""Output relations over yes and no, and what follows from two of them applied in turn."""

from __future__ import annotations

from collections.abc import Mapping

from mt_gate.relations.base import Judge
from mt_gate.relations.stated import Becomes, Same, judge
from mt_gate.tasks.boolq import NO, TASK, YES

Expected = Same | Becomes

SAME = Same()
INVERTED = Becomes(labels={YES: NO, NO: YES})
INVERTED_YES = Becomes(labels={YES: NO})
"""What excludes a yes says nothing of a no: both questions may be answered by no."""
_KEPT: Mapping[str, str] = {YES: YES, NO: NO}


def then(first: Expected | None, second: Expected | None) -> Expected | None:
    """Return what is expected of two relations applied one after the other; None for nothing."""
    if first is None or second is None:
        return None
    after = _table(second)
    found = {source: after[middle] for source, middle in _table(first).items() if middle in after}
    if found == _KEPT:
        return SAME
    return Becomes(labels=found) if found else None


def answers(expected: Expected) -> Judge:
    """Return the judge of the follow-up's answer."""
    return judge(expected, TASK)


def _table(expected: Expected) -> Mapping[str, str]:
    return _KEPT if isinstance(expected, Same) else expected.labels
