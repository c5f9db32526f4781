"""Small deterministic language tools: they are the interface, without a model behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mt_gate.language.tools import Fill, Slot
from mt_gate.repairing.vote import RepairTools, Scores
from mt_gate.results.result import RepairSettings

SETTINGS = RepairSettings(scores="logit", top=50, min_score=5.5, min_cosine=0.45)


class Words:
    """Fills by a table of words; records the requests."""

    name = "words 1"

    def __init__(self, table: Mapping[str, Sequence[tuple[str, float]]]) -> None:
        self.table = table
        self.requests: list[Slot] = []

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        self.requests += slots
        return [[Fill(*item) for item in self.table.get(slot.filler, ())][:top] for slot in slots]


class Alike:
    """Answers by a function of the two fillers."""

    name = "alike 1"

    def __init__(self, cosine: Callable[[str, str], float] = lambda _a, _b: 0.9) -> None:
        self.cosine = cosine
        self.requests: list[tuple[Slot, Slot]] = []

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        self.requests += pairs
        return [self.cosine(a.filler, b.filler) for a, b in pairs]


def tools(
    table: Mapping[str, Sequence[tuple[str, float]]],
    cosine: Callable[[str, str], float] = lambda _a, _b: 0.9,
    scores: Scores = Scores.LOGIT,
) -> RepairTools:
    return RepairTools(Words(table), Alike(cosine), scores)
