"""Switches British spelling to American, or back.

Words with a capital stay, because they may be names. In a text without capitals, words that are
common in names stay, too ("the staples center"). Texts with words like "licence" are skipped,
because their spelling depends on the part of speech.
"""

from __future__ import annotations

from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import mapping, word_set
from mt_gate_suites.text.protected import plain_words
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_AMERICAN = mapping("text/dialects", "spellings")
_OF_NAMES = word_set("text/dialects", "of-names")
_OF_TWO_SPELLINGS = word_set("text/dialects", "of-two-spellings")
_BRITISH = {american: british for british, american in _AMERICAN.items()}


def transform(text: str, _: Random) -> list[Rewrite]:
    """Return the text in the other spelling; empty if no word has two spellings."""
    words = plain_words(text)
    if any(word.text in _OF_TWO_SPELLINGS for word in words):
        return []
    rewrites = []
    for table, stratum in ((_AMERICAN, "american"), (_BRITISH, "british")):
        edits = [
            (word.start, word.end, new)
            for word in words
            if (new := table.get(word.text, "")) and not (text.islower() and word.text in _OF_NAMES)
        ]
        if edits:
            rewrites.append(edited(text, edits)._replace(stratum=stratum))
    return rewrites


RELATION = TextRelation(
    name="dialect-spelling",
    title="British/American spelling",
    description="Switches British spelling to American, or back. The prediction must not change.",
    paper=(
        "NL-Augmenter (Dhole et al., 2021), American to British spelling; LLMorph (Cho et "
        "al., ICSME 2025)"
    ),
    before="Can I change the color of my card?",
    after="Can I change the colour of my card?",
    transformation=OfText(transform),
)
