"""A verb or adjective gives way to one that says the same there.

Source: TIN (Yu et al., ESEC/FSE 2023), token level; LLMorph (Cho et al., ICSME 2025), synonyms.
    source     She purchased a house.
    follow-up  She bought a house.

The table, and the words that must stand around each row, are task ner's.
"""

from __future__ import annotations

from functools import partial

from mt_gate.building.ner.exchanges import anywhere, words
from mt_gate.building.text.transformation import OfDocs

TRANSFORMATION = OfDocs(partial(words, near=anywhere))
