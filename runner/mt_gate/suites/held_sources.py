"""The sources of a suite in memory: as they are, or as text on disk where they are many.

A source takes 0.8 KB as an object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

import msgspec

from mt_gate.base.chunks import chunks
from mt_gate.base.jsonio import canonical
from mt_gate.base.kept_texts import KeptTexts
from mt_gate.domain import Source

FEW = 1 << 13
"""Sources that are held as they are."""
_AT_ONCE = 1 << 10


class KeptSources(Collection[Source]):
    """Sources that are read again in each pass, and looked up by id; of one id the last."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        """Keep sources, in their order.

        Raises:
            OSError: there is no room in the temporary folder.
        """
        self._texts = KeptTexts()
        for some in chunks(sources, _AT_ONCE):
            self._texts.add((_key(source.id), canonical(source)) for source in some)
        self.by_id: Mapping[str, Source] = _ById(self._texts)

    def __len__(self) -> int:
        """Return how many sources there are."""
        return len(self._texts)

    def __iter__(self) -> Iterator[Source]:
        """Yield every source."""
        return (_SOURCE.decode(text) for _, text in self._texts.pairs())

    def __contains__(self, item: object) -> bool:
        """Say whether a source is among them."""
        return isinstance(item, Source) and self.by_id.get(item.id) == item


class _ById(Mapping[str, Source]):
    """Kept sources by id."""

    def __init__(self, texts: KeptTexts) -> None:
        self._texts = texts

    def __getitem__(self, name: str) -> Source:
        return _SOURCE.decode(self._texts[_key(name)])

    def among(self, names: Sequence[str]) -> list[Source]:
        """Return those of the ids' sources that there are, in the order of the ids."""
        keys = [*map(_key, names)]
        found = self._texts.among(keys)
        return [_SOURCE.decode(found[key]) for key in keys if key in found]

    def __iter__(self) -> Iterator[str]:
        return (key.decode("utf-8", "surrogatepass") for key in self._texts)

    def __len__(self) -> int:
        return len(self._texts)


_SOURCE = msgspec.json.Decoder(Source)

Sources = tuple[Source, ...] | KeptSources


def _key(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


def held_sources(sources: Iterable[Source]) -> Sources:
    """Return sources to go over again and again, kept on disk where they are more than ``FEW``."""
    coming = iter(sources)
    first = deque(islice(coming, FEW + 1))
    if len(first) <= FEW:
        return tuple(first)
    # Each is let go as it is kept.
    return KeptSources(chain((first.popleft() for _ in range(len(first))), coming))


def by_id(sources: Sources) -> Mapping[str, Source]:
    """Return sources by id."""
    if isinstance(sources, KeptSources):
        return sources.by_id
    return {source.id: source for source in sources}


def some_by_id(known: Mapping[str, Source], names: Sequence[str]) -> list[Source]:
    """Return those of the ids' sources that there are; ``known`` are those of ``by_id``."""
    if isinstance(known, _ById):
        return known.among(names)
    return [known[name] for name in names if name in known]


def part_of_sources(sources: Sources, wanted: Callable[[Source], bool]) -> Sources:
    """Return the sources that are wanted; all of them as they are held already."""
    if all(map(wanted, sources)):
        return sources
    return held_sources(filter(wanted, sources))
