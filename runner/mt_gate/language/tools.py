"""Interfaces of language tools, for models and word lists alike.

TIN (ESEC/FSE 2023), section 3.1: a masked language model proposes words, an encoder says how alike
two stretches are in their sentences, and a language model says how natural a sentence is. Each is
an interface here, so that a suite can be built with what a machine has.

Every tool answers in batches, gives the same answer to the same question, and
has a ``name`` with model and version: it goes into ``suite.json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

DIGITS = 4
"""Decimals stored of a score: below them machines differ."""


class Slot(NamedTuple):
    """A stretch of a sentence, as half-open character span."""

    text: str
    start: int
    end: int

    @property
    def filler(self) -> str:
        """Words in the slot."""
        return self.text[self.start : self.end]

    def filled(self, filler: str) -> Slot:
        """Return the slot of the sentence with another filler."""
        text = self.text[: self.start] + filler + self.text[self.end :]
        return Slot(text, self.start, self.start + len(filler))


class Fill(NamedTuple):
    """A candidate for a slot; a higher score fits better.

    Scores compare within one slot. A masked language model gives its logit, a causal one the
    natural logarithm of the sentence's probability with the filler over that with what stood there.
    """

    text: str
    score: float


class Named(Protocol):
    """A tool or a resource."""

    @property
    def name(self) -> str:
        """Model or resource, and version."""
        ...


class Fillers(Named, Protocol):
    """Proposes words for slots that hold one word."""

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[str]]:
        """Return for each slot up to ``top`` words to look at: quicker than ``fill``."""
        ...

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        """Return for each slot up to ``top`` candidates, best first, without what is there."""
        ...


class Fit(Named, Protocol):
    """Says how well fillers of a word or more fit into slots."""

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        """Return for each slot the ``top`` fillers that look best at a glance, best first."""
        ...

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        """Return for each slot its best fillers, at most ``top``, best first.

        The score is the natural logarithm of the sentence's probability with the
        filler over that with what is there: 0 is as good, -4 far less likely.
        """
        ...


class Phrases(Named, Protocol):
    """Proposes phrases that are like a noun phrase without its determiner."""

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase up to ``top`` others, scored by likeness in [-1, 1]."""
        ...


class Similarity(Named, Protocol):
    """Says how alike two stretches are, each within its sentence."""

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        """Return the cosine of the contextual embeddings of each pair, in [-1, 1]."""
        ...


class Naturalness(Named, Protocol):
    """Says how natural a sentence is."""

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        """Return 0.6 x least + 0.4 x mean probability of each sentence's tokens, in [0, 1]."""
        ...
