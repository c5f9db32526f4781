"""Replaces one or two letters with look-alikes from another script.

Source: MTTM (Wang et al., ICSE 2023), visual-based substitution.
    source     I hate waiting.
    follow-up  I hаte waiting.   (a Cyrillic a)
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import mapping
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, respelt
from mt_gate_suites.text.transformation import OfText

LOOKALIKES = {
    letter: chr(int(code, 16)) for letter, code in mapping("text/surface", "lookalikes").items()
}


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with a letter of another script in one word or two."""
    return respelt(text, rng, _disguised)


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
    transformation=OfText(transform),
    surface=True,
)
