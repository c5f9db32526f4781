"""Replaces one or two letters with look-alikes from another script.

source     I hate waiting.
follow-up  I hаte waiting.   (a Cyrillic a)
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.lexicons.reading import mapping
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

LOOKALIKES = {
    letter: chr(int(code, 16)) for letter, code in mapping("text/surface", "lookalikes").items()
}


def _disguised(word: str, rng: Random) -> Sequence[Spelling]:
    places = [at for at, letter in enumerate(word) if letter in LOOKALIKES]
    if not places:
        return []
    at = rng.choice(places)
    return [Spelling(at, at + 1, LOOKALIKES[word[at]])]


RELATION = TextRelation(
    name="homoglyph",
    title="Homoglyph substitution",
    description=(
        "Replaces one or two letters with look-alikes from another script. The prediction must not "
        "change."
    ),
    paper="MTTM (Wang et al., ICSE 2023), visual-based substitution",
    before="I hate waiting.",
    after="I hаte waiting.",
    transformation=spelling(_disguised),
    surface=True,
)
