"""Two rewrites, one after the other, as one."""

from __future__ import annotations

from collections.abc import Iterable

from mt_gate.domain import Alignment, Block
from mt_gate_suites.grammar.rewrite import Rewrite


def compose(first: Rewrite, second: Rewrite) -> Rewrite:
    """Return what both rewrites make of the first one's source.

    Args:
        first: a rewrite of the source.
        second: a rewrite of ``first.text``; that it is one is the caller's to see to.

    A character is aligned if it outlives both. Blocks are as long as can be: no two
    follow one another without a gap on both sides. The stratum is that of the second.

    >>> first = Rewrite("a small dog", (Block(0, 0, 2), Block(5, 7, 4)))  # a big dog
    >>> second = Rewrite("a small cat", (Block(0, 0, 8),))
    >>> compose(first, second)
    Rewrite(text='a small cat', alignment=(Block(source=0, follow_up=0, length=2), \
Block(source=5, follow_up=7, length=1)), stratum='')
    """
    common = (_common(one, other) for one in first.alignment for other in second.alignment)
    blocks = joined(block for block in common if block is not None)
    return Rewrite(second.text, blocks, second.stratum)


def _common(one: Block, other: Block) -> Block | None:
    """Return what two blocks share of the text in the middle, from source to follow-up."""
    start = max(one.follow_up, other.source)
    end = min(one.follow_up + one.length, other.source + other.length)
    if start >= end:
        return None
    return Block(
        one.source + start - one.follow_up, other.follow_up + start - other.source, end - start
    )


def joined(blocks: Iterable[Block]) -> Alignment:
    """Return blocks by their place in the source, those that go on on both sides as one."""
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
