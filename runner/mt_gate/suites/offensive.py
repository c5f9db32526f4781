"""Mask offensive words in reports: only the first letter stays, followed by asterisks.

A suite lists the words as digests, so that they are not readable; mt-gate's list applies to a
user's own suite without a list. A masked text keeps its length, so that offsets stay valid. In a
follow-up that spells such a word differently, the new spelling is masked too, except for the
edited characters, because readers must see the edit.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from mt_gate.domain import Alignment, Block
from mt_gate.tasks.spec import Input, TaskSpec

Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
"""Digest of a word in lower case."""
MOST = 10_000
"""Maximum number of offensive words of a suite."""
_WORD = re.compile(r"[^\W\d_]+")
_SPAN = tuple[int, int]


@lru_cache(maxsize=1 << 16)
def digest_of(word: str) -> str:
    """Return the digest of a word, as suites store it."""
    return hashlib.sha256(f"offensive\0{word.casefold()}".encode()).hexdigest()[:16]


class Masked(NamedTuple):
    """The inputs of a group as reports show them."""

    source: Input
    follow_up: Input | None


@dataclass(frozen=True)
class Mask:
    """Masks the words that a suite names by their digests."""

    digests: Collection[str]

    def text(self, text: str) -> str:
        """Return a text with its offensive words masked.

        >>> Mask([digest_of("darn")]).text("Darn it, where are the darns?")
        'D*** it, where are the d****?'
        """
        return _starred(text, self._spans(text))

    def group(
        self, task: TaskSpec, source: Input, follow_up: Input | None, alignment: Alignment = ()
    ) -> Masked:
        """Return the inputs of a group with offensive words masked, also if misspelled.

        Inputs without the task's texts stay unchanged.
        """
        if not self.digests or not _is_of(task, source):
            return Masked(source, follow_up)
        before = task.text(source)
        own = [*self._spans(before)]
        if follow_up is None or not _is_of(task, follow_up):
            return Masked(_with(task, source, _starred(before, own)), follow_up)
        after = task.text(follow_up)
        other = [*self._spans(after)]
        if not own and not other:  # the most frequent case
            return Masked(source, follow_up)
        turned = tuple(Block(block.follow_up, block.source, block.length) for block in alignment)
        hidden = [*own, *_images(other, turned, len(before))]
        other += _images(own, alignment, len(after))
        letters = [
            {text[at] for span in spans for at in range(*span)}
            for text, spans in ((before, hidden), (after, other))
        ]
        one = _starred(before, hidden, _edited(before, hidden, alignment, letters[1]))
        two = _starred(after, other, _edited(after, other, turned, letters[0]))
        if one == two and before != after:  # the edit would be hidden
            one, two = _differing(before, after, one), _differing(after, before, two)
        return Masked(_with(task, source, one), _with(task, follow_up, two))

    def _spans(self, text: str) -> Iterator[_SPAN]:
        words = frozenset(self.digests)
        for match in _WORD.finditer(text) if words else ():
            forms = (match.group(), match.group().rstrip("sS"))
            if not words.isdisjoint(map(digest_of, forms)):
                yield match.span()


def _images(spans: Iterable[_SPAN], alignment: Sequence[Block], size: int) -> Iterator[_SPAN]:
    for start, end in spans:
        first = _image(alignment, start, 0, lambda block, at: block.source + block.length <= at)
        last = _image(
            alignment[::-1], end - 1, size - 1, lambda block, at: block.source > at, before=True
        )
        if 0 <= first <= last < size and last - first < 2 * (end - start) + 2:
            yield first, last + 1


def _image(
    alignment: Sequence[Block],
    at: int,
    otherwise: int,
    passed: Callable[[Block, int], bool],
    *,
    before: bool = False,
) -> int:
    place = otherwise
    for block in alignment:
        if block.source <= at < block.source + block.length:
            return block.follow_up + at - block.source
        if passed(block, at):
            place = block.follow_up - 1 if before else block.follow_up + block.length
    return place


def _edited(
    text: str, spans: Iterable[_SPAN], alignment: Alignment, letters: Collection[str]
) -> set[int]:
    aligned = {
        at
        for block in alignment
        for at in range(max(block.source, 0), min(block.source + block.length, len(text)))
    }
    words = [{*range(start, end)} for start, end in spans]
    edited = {at for word in words if word & aligned for at in word - aligned}
    return {at for at in edited if text[at] not in letters}


def _differing(text: str, other: str, masked: str) -> str:
    return "".join(
        new if new != old else star for new, old, star in zip(text, other, masked, strict=True)
    )


def _starred(text: str, spans: Iterable[_SPAN], seen: Collection[int] = ()) -> str:
    letters = [*text]
    for start, end in spans:
        for at in range(start + 1, end):
            if not text[at].isspace() and at not in seen:
                letters[at] = "*"
    return "".join(letters)


def _is_of(task: TaskSpec, value: Input) -> bool:
    return all(isinstance(value.get(name), str) for name in task.names(value))


def _with(task: TaskSpec, value: Input, text: str) -> dict[str, Any]:
    changed = dict(value)
    for name in task.names(value):
        changed[name], text = text[: len(value[name])], text[len(value[name]) + 1 :]
    return changed
