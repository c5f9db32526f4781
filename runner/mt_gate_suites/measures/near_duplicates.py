"""Find texts that are nearly the same, by the runs of words that they share.

Two texts are near duplicates if their shared runs of three words are at least some share of all
their runs (Jaccard).
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable

from mt_gate_suites.measures.changed_words import words_of

RUN = 3
"""Words per run."""


def runs_of(text: str) -> frozenset[str]:
    """Return the runs of three words of a text; a shorter text is one run."""
    words = words_of(text)
    return frozenset(" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1)))


def drop_near_duplicates(
    texts: Iterable[str], least: float, first: Iterable[str] = ()
) -> frozenset[str]:
    """Return the texts, with only one of several near duplicates.

    Args:
        texts: the texts; their order does not matter.
        least: similarity, in (0, 1], from which two texts are near duplicates.
        first: texts that always stay, even if they are near duplicates.
    """
    early = set(first)
    sizes: dict[str, int] = {}
    texts_with: dict[str, list[str]] = defaultdict(list)
    # Sort by hash: which of two texts stays is random, but does not depend on their order.
    others = sorted({*texts} - early, key=lambda text: hashlib.sha256(text.encode()).digest())
    for text in [*early, *others]:
        runs = runs_of(text)
        shared = Counter(other for run in runs for other in texts_with[run])
        near = (both / (len(runs) + sizes[one] - both) >= least for one, both in shared.items())
        if text in early or not any(near):
            sizes[text] = len(runs)
            for run in runs:
                texts_with[run].append(text)
    return frozenset(sizes)
