"""Removes the accents from letters.

A word that becomes another without its accents (exposé) stays unchanged.
"""

from __future__ import annotations

import unicodedata
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.protected import plain_words
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_OTHER_WORDS = word_set("text/surface", "accents-that-count")


def transform(text: str, _: Random) -> list[Rewrite]:
    """Return the text without accents on its letters; empty if it has no accents."""
    edits = [
        (word.start + at, word.start + at + 1, bare)
        for word in plain_words(text)
        if word.text.lower() not in _OTHER_WORDS
        for at, letter in enumerate(word.text)
        if (bare := _bare(letter)) != letter
    ]
    return [edited(text, edits)] if edits else []


def _bare(letter: str) -> str:
    first, *marks = tuple(unicodedata.normalize("NFD", letter))
    is_plain = first.isascii() and all(map(unicodedata.combining, marks))
    return first if marks and is_plain else letter


RELATION = TextRelation(
    name="dropped-diacritics",
    title="Accents removed",
    description="Removes the accents from letters. The prediction must not change.",
    paper="NL-Augmenter (Dhole et al., 2021), diacritic removal",
    before="Is there a café in São Paulo?",
    after="Is there a cafe in Sao Paulo?",
    transformation=OfText(transform),
    surface=True,
)
