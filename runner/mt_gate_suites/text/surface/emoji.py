"""Appends an emoji that expresses no sentiment."""

from __future__ import annotations

from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.text.protected import MAX_TEXT
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

EMOJI = tuple(chr(int(code, 16)) for code, _ in rows("text/surface", "emoji", 2))
LAST_OF_TEXT = 0x1FFF
"""Largest code point that is no symbol; a text that ends in a larger one may have an emoji."""


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with an emoji at its end; empty if it ends in a symbol."""
    bare = text.rstrip()
    if not bare or len(text) > MAX_TEXT or ord(bare[-1]) > LAST_OF_TEXT:
        return []
    return [edited(text, [(len(bare), len(bare), f" {rng.choice(EMOJI)}")])]


RELATION = TextRelation(
    name="emoji",
    title="Emoji appended",
    description="Appends an emoji that expresses no sentiment. The prediction must not change.",
    paper=(
        "NL-Augmenter (Dhole et al., 2021), emoji; MTTM (Wang et al., ICSE 2023), benign context"
    ),
    before="Where is my card?",
    after="Where is my card? 📌",
    transformation=OfText(transform),
    surface=True,
)
