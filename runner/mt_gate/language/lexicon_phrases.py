"""Noun phrases with another head: synonyms and neighbours of the head noun from lexicons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mt_gate.language.forms import tags
from mt_gate.language.lexicon_fillers import Lexicon
from mt_gate.language.tools import Fill

_NOUNS = frozenset({"NN", "NNS"})


class LexiconPhrases:
    """Proposes a phrase's modifiers before related nouns; likeness is not known, so it is 1."""

    def __init__(self, lexicons: Sequence[Lexicon]) -> None:
        """Ask ``lexicons`` in turn."""
        self._lexicons = lexicons
        self.name = " + ".join(lexicon.name for lexicon in lexicons)

    def similar(self, phrases: Sequence[str], top: int) -> list[list[Fill]]:
        """Return for each phrase up to ``top`` others, in the lexicons' order."""
        return [[Fill(new, 1.0) for new in dict.fromkeys(self._other(p))][:top] for p in phrases]

    def _other(self, phrase: str) -> Iterator[str]:
        modifiers, blank, head = phrase.rpartition(" ")
        if any("JJ" not in tags(word) for word in modifiers.split()):
            return  # of a compound neither part is free: outreach centre, charter member
        wanted = tags(head) & _NOUNS
        for lexicon in self._lexicons:
            for word in lexicon.related(head):
                if word != head and word.isalpha() and wanted & tags(word):
                    yield modifiers + blank + word
