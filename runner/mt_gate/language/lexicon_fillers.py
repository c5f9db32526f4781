"""Candidate words and phrases from lexicons, scored by a language model or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from zlib import crc32

from mt_gate.language.forms import tags
from mt_gate.language.tools import Fill, Fit, Named, Slot

_NOUNS = frozenset({"NN", "NNS"})
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


class LexiconPhrases:
    """Noun phrases with the head noun replaced by a related noun from lexicons.

    The similarity is not known, so it is 1.
    """

    def __init__(self, lexicons: Sequence[Lexicon]) -> None:
        """Use the words of ``lexicons`` in turn."""
        self._lexicons = lexicons
        self.name = " + ".join(lexicon.name for lexicon in lexicons)

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase up to ``top`` others, in the lexicons' order."""
        return [[Fill(new, 1.0) for new in dict.fromkeys(self._other(p))][:top] for p in phrases]

    def _other(self, phrase: str) -> Iterator[str]:
        modifiers, blank, head = phrase.rpartition(" ")
        if any("JJ" not in tags(word) for word in modifiers.split()):
            return  # the head of a compound cannot be replaced: outreach centre, charter member
        wanted = tags(head) & _NOUNS
        for lexicon in self._lexicons:
            for word in lexicon.related(head):
                if word != head and word.isalpha() and wanted & tags(word):
                    yield modifiers + blank + word


class CorpusPhrases:
    """Noun phrases of the corpora with as many words and the same noun: emergency, medical care."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """Use these phrases."""
        self._alike: dict[tuple[str, int], list[str]] = defaultdict(list)
        for phrase in phrases:
            if " " in phrase:
                self._alike[_shape(phrase)].append(phrase)
        self.name = f"{sum(map(len, self._alike.values()))} phrases of the corpora"

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase of several words up to ``top`` others, in a random order."""
        return [
            [Fill(new, 1.0) for new in self._others(phrase)[:top]] if " " in phrase else []
            for phrase in phrases
        ]

    def _others(self, phrase: str) -> list[str]:
        others = [other for other in self._alike[_shape(phrase)] if other != phrase]
        return sorted(others, key=lambda other: crc32(f"{phrase} {other}".encode()))


def _shape(phrase: str) -> tuple[str, int]:
    words = phrase.split(" ")
    return words[-1], len(words)


class Unscored:
    """Takes the place of a language model and an encoder: candidates keep their order."""

    name = "none"

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        """Return the first ``top`` fillers of each slot."""
        return [list(fillers[:top]) for _, fillers in slots]

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        """Return the first ``top`` fillers of each slot, scored by their place."""
        return [
            [Fill(new, float(-at)) for at, new in enumerate(fillers[:top])] for _, fillers in slots
        ]

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        """Return 1 for each pair."""
        return [1.0] * len(pairs)

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        """Return 1 for each text."""
        return [1.0] * len(texts)
