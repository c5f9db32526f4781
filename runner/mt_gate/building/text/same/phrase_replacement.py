"""A phrase gives way to one that says the same there.

Source: TIN (Yu et al., ESEC/FSE 2023), phrase level; LLMorph (Cho et al., ICSME 2025), synonyms.
    source     The match was called off because of rain.
    follow-up  The match was called off owing to rain.

The table, and the words that must stand around each row, are task ner's.
"""

from __future__ import annotations

from functools import partial

from mt_gate.building.ner.exchanges import anywhere, phrases
from mt_gate.building.text.transformation import OfDocs

TRANSFORMATION = OfDocs(partial(phrases, near=anywhere))
