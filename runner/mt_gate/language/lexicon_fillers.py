"""Candidate words from lexicons, scored by a language model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from mt_gate.language.forms import tags
from mt_gate.language.tools import Fill, Fit, Named, Slot

WEIGHED = 10
"""Least number of a slot's candidates that ``fill`` scores, chosen by ``expected``."""


class Lexicon(Named, Protocol):
    """Proposes words that could replace a word."""

    def related(self, word: str) -> Iterable[str]:
        """Yield forms that could replace ``word``, in a fixed order."""
        ...


class LexiconFillers:
    """Proposes related words of the same inflection, best fit first."""

    def __init__(self, lexicons: Sequence[Lexicon], fit: Fit) -> None:
        """Use the words of ``lexicons`` in turn, scored by ``fit``."""
        self._lexicons = lexicons
        self._fit = fit
        self.name = " + ".join([*(lexicon.name for lexicon in lexicons), fit.name])

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[str]]:
        """Return for each slot the ``top`` related words that ``expected`` ranks best."""
        return self._fit.expected([(slot, self._candidates(slot.filler)) for slot in slots], top)

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        """Return for each slot up to ``top`` candidates, best first."""
        proposed = self.propose(slots, max(top, WEIGHED))
        return self._fit.fit(list(zip(slots, proposed, strict=True)), top)

    def _candidates(self, word: str) -> list[str]:
        """Return the distinct words that lexicons propose, with the case of ``word``."""
        wanted = tags(word.lower())
        known = (new for lexicon in self._lexicons for new in lexicon.related(word))
        fitting = (
            new
            for new in known
            if (len(new) > 1 and new.replace("-", "").isalpha())
            and (not wanted or not wanted.isdisjoint(tags(new.lower())))
        )
        cased = dict.fromkeys(_cased_like(word, new) for new in fitting)
        return [new for new in cased if new.lower() != word.lower()]


def _cased_like(model: str, word: str) -> str:
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if model[:1].isupper() else word.lower()
