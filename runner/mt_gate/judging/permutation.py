"""Runs exchanged within clusters: the distribution that every test of a comparison rests on.

If the candidate were like the runs of its baseline, each source's outcomes would be as likely in
any order: which run an outcome came from tells nothing. A permutation draws one order per source,
the same for all relations, so that their correlation is kept. With one baseline run this is the
sign-flip test.

References:
    Fisher 1935, The Design of Experiments, section 21.
    Westfall and Young 1993, Resampling-Based Multiple Testing, chapter 2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

DRAWS, MOST_DRAWS = 20_000, 100_000
"""Permutations of a family of tests; a p near 0.025 has a standard error of 0.001. More are drawn
where so small a part of alpha is left to a family that none of them would be as far out."""

Floats = NDArray[np.float64]

# From this many clusters with the same outcomes on, one draw of how often each run was taken is
# cheaper than a draw per cluster.
_MANY = 64
_BYTE = 256
_ROWS = 512
_BEYOND = 20


def draws_for(alpha: float) -> int:
    """Return how many permutations show what is as rare as alpha: twenty such, within bounds."""
    return max(DRAWS, min(MOST_DRAWS, math.ceil(_BEYOND / alpha)))


def centred(outcomes: Floats) -> Floats:
    """Return each run's violations less their mean over the runs of the cluster.

    Args:
        outcomes: shape (clusters, runs, relations); violations, the candidate's run first.
    """
    return np.asarray(outcomes - outcomes.mean(axis=1, keepdims=True), dtype=np.float64)


def permuted_sums(outcomes: Floats, seed: int, draws: int | None = None) -> Floats:
    """Return the sum over clusters of what a run drawn at random had there, for each draw.

    Args:
        outcomes: shape (clusters, runs, relations), of ``centred``.
        seed: of the draws.
        draws: how many; None stands for ``DRAWS``.

    Returns:
        Shape (draws, relations).
    """
    draws = DRAWS if draws is None else draws
    _, runs, relations = outcomes.shape
    rng = np.random.default_rng(seed)
    sums = np.zeros((draws, relations))
    # In an order of their own, so that draws do not depend on that of the relations; nor on that
    # of the runs, but where two relations have the same outcomes in each cluster.
    alike = np.sort(outcomes, axis=1)
    order = sorted(
        range(relations), key=lambda i: (alike[:, :, i].tobytes(), outcomes[:, :, i].tobytes())
    )
    differing = outcomes[np.any(outcomes != 0, axis=(1, 2))][:, :, order]
    if not len(differing):
        return sums
    kinds, counts = _kinds(differing)
    chances = np.full(runs, 1 / runs)
    common = counts >= _MANY
    for kind, count in zip(kinds[common], counts[common], strict=True):
        sums += rng.multinomial(count, chances, draws) @ kind
    _add_single(sums, np.repeat(kinds[~common], counts[~common], axis=0), rng)
    return sums[:, np.argsort(order)]


def _kinds(outcomes: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distinct clusters, the order of their runs left aside, and how many of each."""
    clusters, runs, relations = outcomes.shape
    order = np.lexsort(tuple(outcomes[:, :, i] for i in reversed(range(relations))), axis=-1)
    rows = np.take_along_axis(outcomes, order[:, :, None], axis=1).reshape(clusters, -1)
    kinds, counts = np.unique(np.ascontiguousarray(rows + 0.0), axis=0, return_counts=True)
    return kinds.reshape(-1, runs, relations), counts


def _add_single(sums: Floats, outcomes: Floats, rng: np.random.Generator) -> None:
    """Add one run of each cluster to every draw, several clusters at a time.

    A random number picks one of at most 256 sums that the next few clusters can have, which is
    a fraction of the work of drawing and adding them one by one.
    """
    clusters, runs, relations = outcomes.shape
    together = 1
    while runs ** (together + 1) <= _BYTE:
        together += 1
    tables, choices = [], []
    for start in range(0, clusters, together):
        table = np.zeros((1, relations))
        for cluster in outcomes[start : start + together]:
            table = (table[:, None, :] + cluster[None, :, :]).reshape(-1, relations)
        tables.append(table)
        choices.append(rng.integers(0, len(table), len(sums), dtype=np.uint16))
    for first in range(0, len(sums), _ROWS):  # few draws at a time, so that they stay in the cache
        rows = slice(first, first + _ROWS)
        for table, chosen in zip(tables, choices, strict=True):
            sums[rows] += table[chosen[rows]]
