"""Similar noun phrases (TIN, section 3.1.1, phrase level)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.language.encoder import EncoderSimilarity
from mt_gate.language.tools import DIGITS, Fill, Slot


class Sense2VecPhrases:
    """Nearest phrases in sense2vec vectors, as in the paper; the user downloads the vectors."""

    def __init__(self, folder: Path) -> None:
        """Load the vectors. Raises CannotJudge: the package or the vectors are missing."""
        self.name = f"sense2vec {folder.name}"
        try:
            from sense2vec import Sense2Vec

            self._vectors = Sense2Vec().from_disk(folder)
        except ImportError:
            raise CannotJudge("sense2vec is not installed. Run pip install sense2vec") from None
        except (OSError, ValueError, KeyError) as error:
            raise CannotJudge(
                f"{folder} has no sense2vec vectors ({reported(error, 200)}). Pass another folder."
            ) from None

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase up to ``top`` others, scored by cosine in [-1, 1]."""
        return [self._similar(phrase, top) for phrase in phrases]

    def _similar(self, phrase: str, top: int) -> list[Fill]:
        key = self._vectors.get_best_sense(phrase, ["NOUN"])
        if key is None:
            return []
        similar = self._vectors.most_similar([key], n=4 * top)
        split = [(*self._vectors.split_key(other), likeness) for other, likeness in similar]
        nouns = [(text, likeness) for text, sense, likeness in split if sense == "NOUN"]
        fills = dict.fromkeys(
            Fill(text.lower(), round(float(likeness), DIGITS)) for text, likeness in nouns
        )
        return [fill for fill in fills if fill.text != phrase][:top]


class PhraseBank:
    """Nearest noun phrases of the corpora, by an encoder.

    It replaces sense2vec if that is not available. Every proposal occurs as a noun phrase in a
    corpus.
    """

    def __init__(self, phrases: Sequence[str], encoder: EncoderSimilarity) -> None:
        """Embed the phrases, each without context."""
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
