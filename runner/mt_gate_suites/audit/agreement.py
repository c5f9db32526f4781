"""How far two readers of the same groups agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from mt_gate_suites.audit.sheet import SheetLine

ACCEPTED = "ok"


class Agreement(NamedTuple):
    """Groups by who accepted them; doubtful is not accepted."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @classmethod
    def of(cls, lines: Sequence[SheetLine]) -> Self | None:
        """Count the marks of two readers; None where the lines do not have them."""
        if not all(line.reader_1 and line.reader_2 for line in lines):
            return None
        marks = [(line.reader_1 == ACCEPTED, line.reader_2 == ACCEPTED) for line in lines]
        kinds = ((True, True), (True, False), (False, True), (False, False))
        return cls(*(marks.count(kind) for kind in kinds))

    @property
    def groups(self) -> int:
        """How many groups both read."""
        return sum(self)

    @property
    def alike(self) -> float:
        """The share of groups that both judged alike, in [0, 1]."""
        return (self.both + self.neither) / self.groups

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance, at most 1 (Cohen 1960).

        None where both accepted all, or both none: chance alone then agrees everywhere.
        """
        first = (self.both + self.first_only) / self.groups
        second = (self.both + self.second_only) / self.groups
        chance = first * second + (1 - first) * (1 - second)
        return None if chance == 1 else (self.alike - chance) / (1 - chance)
