"""Texts that are nearly the same, found by MinHash over runs of words.

Two texts are near duplicates if their shared runs of three words are at least some share of all
their runs (Jaccard). MinHash (Broder 1997) finds candidate pairs, which are then compared exactly,
so that chance can only miss a pair. The constants are fixed.
"""

from __future__ import annotations

import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterable
from random import Random

import numpy as np

from mt_gate_suites.measures.changed_words import words_of

RUN = 3
"""Words of a run."""
BANDS, ROWS = 42, 3
"""With these, 99.6% of pairs with similarity 0.5 are compared, and nearly all with 0.7."""
_RANDOM = Random(1997)
_FACTORS = np.array([_RANDOM.getrandbits(64) | 1 for _ in range(BANDS * ROWS)], dtype=np.uint64)
_SHIFTS = np.array([_RANDOM.getrandbits(64) for _ in range(BANDS * ROWS)], dtype=np.uint64)


def runs_of(text: str) -> frozenset[str]:
    """Return the runs of three words of a text; a shorter text is one run."""
    words = words_of(text)
    return frozenset(" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1)))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the runs of either text that both have."""
    return len(one & other) / len(one | other)


def drop_near_duplicates(
    texts: Iterable[str], least: float, first: Iterable[str] = ()
) -> frozenset[str]:
    """Return the texts that are left if only one of several near duplicates stays.

    Args:
        texts: in any order; the same ones stay in each.
        least: likeness, in (0, 1], from which on two texts are near duplicates.
        first: texts that always stay, whatever they are like.
    """
    runs: dict[str, frozenset[str]] = {}
    bands: dict[tuple[int, bytes], list[str]] = defaultdict(list)
    early = set(first)
    for text in sorted(early):
        _keep(text, runs_of(text), runs, bands)
    # By hash: which of two stays is random, but the same in any order.
    for text in sorted(set(texts) - early, key=lambda text: hashlib.sha256(text.encode()).digest()):
        own = runs_of(text)
        keys = _bands(own)
        near = {other for key in keys for other in bands.get(key, ())}
        if not any(likeness(own, runs[other]) >= least for other in near):
            _keep(text, own, runs, bands, keys)
    return frozenset(runs)


def _keep(
    text: str,
    own: frozenset[str],
    runs: dict[str, frozenset[str]],
    bands: dict[tuple[int, bytes], list[str]],
    keys: list[tuple[int, bytes]] | None = None,
) -> None:
    runs[text] = own
    for key in keys or _bands(own):
        bands[key].append(text)


def _bands(runs: frozenset[str]) -> list[tuple[int, bytes]]:
    hashes = np.array([zlib.crc32(run.encode()) for run in runs], dtype=np.uint64)
    signature = (hashes[:, None] * _FACTORS + _SHIFTS).min(axis=0).reshape(BANDS, ROWS)
    return [(at, band.tobytes()) for at, band in enumerate(signature)]
