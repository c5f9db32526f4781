"""Adjectives and words that say the same in the place that they stand in.

MR2-1 of the reading-comprehension paper (ESEC/FSE 2021), section 4.2. WordNet's
synonyms of any sense are not that ("milky way" -> "whitish way"), so the pairs
are written down: a predicate before certain words, or before certain nouns.
"""

from __future__ import annotations

from mt_gate_suites.boolq.adjectives.slots import LEXICON, entry, table
from mt_gate_suites.lexicons.reading import rows

SYNONYMS = table((old, entry(*cells)) for old, *cells in rows(LEXICON, "synonyms", 5))
"""By adjective; the first entry that fits counts."""
