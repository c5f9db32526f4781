"""Noun phrases of the corpora themselves, near each other by an encoder.

It does the work of sense2vec (TIN, section 3.1.1, phrase level) where that is
not to be had: what is proposed was written by somebody, and as a noun phrase.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from mt_gate.language.encoder import EncoderSimilarity
from mt_gate.language.tools import DIGITS, Fill, Slot


class PhraseBank:
    """The nearest of a fixed set of phrases."""

    def __init__(self, phrases: Sequence[str], encoder: EncoderSimilarity) -> None:
        """Embed the phrases, each alone."""
        self._phrases = list(dict.fromkeys(phrases))
        self._encoder = encoder
        self._vectors = self._embed(self._phrases)
        self.name = f"{len(self._phrases)} phrases of the corpora by {encoder.name}"

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase up to ``top`` others, scored by cosine in [-1, 1]."""
        if not self._phrases or not phrases:
            return [[] for _ in phrases]
        likeness = self._embed(phrases) @ self._vectors.T
        return [
            self._nearest(phrase, line, top) for phrase, line in zip(phrases, likeness, strict=True)
        ]

    def _nearest(self, phrase: str, likeness: torch.Tensor, top: int) -> list[Fill]:
        values, places = likeness.topk(min(top + 1, len(self._phrases)))
        fills = [
            Fill(self._phrases[place], round(value, DIGITS))
            for value, place in zip(values.tolist(), places.tolist(), strict=True)
        ]
        others = [fill for fill in fills if fill.text != phrase]
        return sorted(others, key=lambda fill: (-fill.score, fill.text))[:top]

    def _embed(self, phrases: Sequence[str]) -> torch.Tensor:
        return torch.stack(
            self._encoder.embed([Slot(p, 0, len(p)) for p in phrases] or [Slot("-", 0, 1)])
        )
