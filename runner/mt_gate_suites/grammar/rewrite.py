"""The result of a transformation of a sentence, and how rewrites are made and composed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from mt_gate.domain import Alignment, Block
from mt_gate.language.tools import Slot

_ARTICLE_BEFORE = re.compile(r"(?:^|(?<=[\s(\"“]))([Aa]n?)(?=\s$)")
_SILENT_H = re.compile(r"(?:honest|honou?r|hour|heir)", re.I)
_SPOKEN_AS_CONSONANT = re.compile(
    r"(?:eu|ewe|u(?:n(?:i(?!n|m)|a(?=nim))|[bkrst][aeiou](?!tt)|til|fo|kr|gan)|one|once|oui)", re.I
)


class Rewrite(NamedTuple):
    """An edited text, and its alignment with the original.

    ``stratum`` is the kind of edit, if the relation has several (``Group.stratum``).
    """

    text: str
    alignment: Alignment
    stratum: str = ""


def article_before(slot: Slot) -> str:
    """Return the indefinite article right before a slot, as it is written; empty if none."""
    article = _ARTICLE_BEFORE.search(slot.text, 0, slot.start)
    return article.group(1) if article else ""


def replaced(slot: Slot, filler: str) -> Rewrite | None:
    """Return the sentence with ``filler`` in the slot; None if its article is unclear.

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
    """Apply sorted, disjoint edits (start, end, new text), and align the copied parts.

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


def article_for(word: str) -> Literal["a", "an"] | None:
    """Return ``a`` or ``an`` by a word's sound; None for abbreviations and unclear words.

    >>> article_for("obvious"), article_for("university"), article_for("NBA")
    ('an', 'a', None)
    """
    if not word.replace("-", "").isalpha() or (word.isupper() and len(word) > 1):
        return None
    if _SILENT_H.match(word):
        return "an"
    if _SPOKEN_AS_CONSONANT.match(word):
        return "a"
    return "an" if word[0].lower() in "aeiou" else "a"


def compose(first: Rewrite, second: Rewrite) -> Rewrite:
    """Return two rewrites in a row as one rewrite of the first original.

    Args:
        first: a rewrite of the original.
        second: a rewrite of ``first.text``, which is not checked.

    A character is aligned if both rewrites copy it. Blocks that are adjacent in both texts
    are merged. The stratum is that of ``second``.

    >>> first = Rewrite("a small dog", (Block(0, 0, 2), Block(5, 7, 4)))  # of "a big dog"
    >>> second = Rewrite("a small cat", (Block(0, 0, 8),))
    >>> compose(first, second)
    Rewrite(text='a small cat', alignment=(Block(source=0, follow_up=0, length=2), \
Block(source=5, follow_up=7, length=1)), stratum='')
    """
    common = (_common(one, other) for one in first.alignment for other in second.alignment)
    blocks = joined(block for block in common if block is not None)
    return Rewrite(second.text, blocks, second.stratum)


def _common(one: Block, other: Block) -> Block | None:
    """Return the overlap of two blocks in the middle text, as a block of the outer texts."""
    start = max(one.follow_up, other.source)
    end = min(one.follow_up + one.length, other.source + other.length)
    if start >= end:
        return None
    return Block(
        one.source + start - one.follow_up, other.follow_up + start - other.source, end - start
    )


def joined(blocks: Iterable[Block]) -> Alignment:
    """Return blocks in order of the source, merged if they are adjacent in both texts."""
    result: list[Block] = []
    for block in sorted(blocks):
        last = result[-1] if result else None
        if last is not None and (
            (last.source + last.length, last.follow_up + last.length) == block[:2]
        ):
            result[-1] = Block(last.source, last.follow_up, last.length + block.length)
        else:
            result.append(block)
    return tuple(result)
