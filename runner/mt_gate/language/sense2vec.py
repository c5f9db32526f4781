"""Similar noun phrases by sense2vec, as in the paper (TIN, section 3.1.1, phrase level)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.language.tools import DIGITS, Fill


class Sense2VecPhrases:
    """Phrases near a phrase in vectors that the user has downloaded."""

    def __init__(self, folder: Path) -> None:
        """Load the vectors. Raises CannotJudge: the package or the vectors are missing."""
        self.name = f"sense2vec {folder.name}"
        self._vectors = _load(folder)

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


def _load(folder: Path) -> Any:
    try:
        from sense2vec import Sense2Vec

        return Sense2Vec().from_disk(folder)
    except ImportError:
        raise CannotJudge("sense2vec is not installed. Run pip install sense2vec") from None
    except (OSError, ValueError, KeyError) as error:
        raise CannotJudge(
            f"{folder} has no sense2vec vectors ({reported(error, 200)}). Pass another folder."
        ) from None
