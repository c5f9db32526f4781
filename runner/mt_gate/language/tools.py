"""Interfaces of language tools, which models or word lists implement.

They follow TIN (ESEC/FSE 2023), section 3.1. A masked language model proposes words. An encoder
measures the similarity of two spans in their sentences. A language model scores the naturalness of
a sentence. Each is an interface here, so that a suite can be built with the available tools.

Every tool works in batches and is deterministic. Its ``name`` has model and version, and is stored
in ``suite.json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

DIGITS = 4
"""Decimals of a stored score; further decimals differ between machines."""


class Slot(NamedTuple):
    """A half-open character span of a sentence."""

    text: str
    start: int
    end: int

    @property
    def filler(self) -> str:
        """Words in the slot."""
        return self.text[self.start : self.end]

    def filled(self, filler: str) -> Slot:
        """Return the slot in the sentence with a new filler."""
        text = self.text[: self.start] + filler + self.text[self.end :]
        return Slot(text, self.start, self.start + len(filler))


class Fill(NamedTuple):
    """A candidate for a slot; a higher score fits better.

    Scores are comparable only within one slot. A masked language model gives its logit. A causal
    language model gives the log ratio of the sentence's probabilities with new and old filler.
    """

    text: str
    score: float


class Named(Protocol):
    """A tool or a resource."""

    @property
    def name(self) -> str:
        """Name of the model or resource, with its version."""
        ...


class Fillers(Named, Protocol):
    """Proposes words for slots that hold one word."""

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[str]]:
        """Return for each slot up to ``top`` words; faster than ``fill``."""
        ...

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        """Return for each slot up to ``top`` candidates, best first, without the present filler."""
        ...


class Fit(Named, Protocol):
    """Scores how well fillers of one or more words fit into slots."""

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        """Return for each slot the ``top`` fillers by a fast preselection, best first."""
        ...

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        """Return for each slot its best fillers, at most ``top``, best first.

        The score is the log ratio of the sentence's probabilities with new and present filler: 0
        is equally likely, -4 far less likely.
        """
        ...


class Phrases(Named, Protocol):
    """Proposes phrases that are similar to a noun phrase without its determiner."""

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase up to ``top`` others, scored by similarity in [-1, 1]."""
        ...


class Similarity(Named, Protocol):
    """Measures the similarity of two spans, each within its sentence."""

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        """Return the cosine of the contextual embeddings of each pair, in [-1, 1]."""
        ...


class Naturalness(Named, Protocol):
    """Scores the naturalness of sentences."""

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        """Return 0.6 x least + 0.4 x mean probability of each sentence's tokens, in [0, 1]."""
        ...
