"""How much a repair mended, where labels tell what is right (TIN, section 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class EntityAnswers(NamedTuple):
    """What a stretch was said to be, is held to be after repair, and is; None is no entity."""

    said: str | None
    repaired: str | None
    right: str | None


class Counts(NamedTuple):
    """Answers by whether they were right before and are after: ``ft`` was mended."""

    ft: int
    tf: int
    tt: int
    ff: int

    @property
    def err2cor(self) -> float | None:
        """Share of the errors that were mended, in [0, 1]; None where there was none."""
        return _ratio(self.ft, self.ft + self.ff)

    @property
    def cor2err(self) -> float | None:
        """Share of the right answers that were spoilt, in [0, 1]; None where there was none."""
        return _ratio(self.tf, self.tt + self.tf)

    @property
    def error_reduction(self) -> float | None:
        """Errors mended less answers spoilt, over the errors; at most 1, negative for harm."""
        return _ratio(self.ft - self.tf, self.ft + self.ff)


def measure(answers: Iterable[EntityAnswers]) -> Counts:
    """Count the answers."""
    counts = Counter((a.said == a.right, a.repaired == a.right) for a in answers)
    return Counts(
        ft=counts[False, True],
        tf=counts[True, False],
        tt=counts[True, True],
        ff=counts[False, False],
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
