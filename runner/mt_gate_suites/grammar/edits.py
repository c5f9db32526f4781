"""One stretch of a sentence gives way to another, with its article corrected."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mt_gate.domain import Block
from mt_gate.language.tools import Slot
from mt_gate_suites.grammar.articles import article_for
from mt_gate_suites.grammar.rewrite import Rewrite

_ARTICLE_BEFORE = re.compile(r"(?:^|(?<=[\s(\"“]))([Aa]n?)(?=\s$)")


def article_before(slot: Slot) -> str:
    """Return the indefinite article right before a slot, as it is written; else nothing."""
    article = _ARTICLE_BEFORE.search(slot.text, 0, slot.start)
    return article.group(1) if article else ""


def replaced(slot: Slot, filler: str) -> Rewrite | None:
    """Return the sentence with ``filler`` in the slot; None where its article is unclear.

    >>> replaced(Slot("He saw a big dog.", 9, 12), "old").text
    'He saw an old dog.'
    """
    article = article_before(slot)
    if not article:
        return edited(slot.text, [(slot.start, slot.end, filler)])
    wanted = article_for(re.split(r"[\s-]", filler)[0])
    if wanted is None or article_for(re.split(r"[\s-]", slot.filler)[0]) != article.lower():
        return None
    edits = [(slot.start, slot.end, filler)]
    if wanted != article.lower():
        start = slot.text.rindex(article, 0, slot.start)
        edits.insert(0, (start, start + len(article), article[0] + wanted[1:]))
    return edited(slot.text, edits)


def edited(text: str, edits: Sequence[tuple[int, int, str]]) -> Rewrite:
    """Apply edits (start, end, new text) in order and without overlap; list what was copied.

    >>> edited("a big dog", [(2, 5, "small")])
    Rewrite(text='a small dog', alignment=(Block(source=0, follow_up=0, length=2), \
Block(source=5, follow_up=7, length=4)), stratum='')
    """
    new, at = "", 0
    blocks: list[Block] = []
    for start, end, filler in [*edits, (len(text), len(text), "")]:
        if start > at:
            blocks.append(Block(at, len(new), start - at))
        new += text[at:start] + filler
        at = end
    return Rewrite(new, tuple(blocks))
