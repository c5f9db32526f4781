"""A paired test on labelled samples: accuracy or F1 of two checkpoints, and what it finds.

Both scores are ratios of sums over samples: of right answers to answers, or of twice the items in
both outputs to the items of either. A sample's part in their difference is taken at the ratio of
both checkpoints together, and has either sign with equal chance where neither is better: for
accuracy the test is McNemar's, exact but for drawing the signs.

References:
    McNemar 1947, Psychometrika 12:153.
    Yeh 2000, "More accurate tests for the statistical significance of result differences",
    COLING, section 3: randomisation tests of F1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mt_gate.judging import statistics

DRAWS, FLIPS = 500, 999
"""Random draws of labelled samples that a power is of, and random signs that a p is of."""
_TINY = 1e-9

Floats = NDArray[np.float64]


def score(counts: ArrayLike) -> float:
    """Return accuracy or F1 of counts, shape (samples, 2); 0 where there is nothing to count."""
    part, whole = np.asarray(counts, dtype=np.float64).sum(axis=0)
    return float(part / whole) if whole else 0.0


def losses(before: ArrayLike, after: ArrayLike) -> Floats:
    """Return each sample's part in the loss from one checkpoint to another; they add up to it.

    Args:
        before: counts of the reference, shape (samples, 2).
        after: counts of the candidate, of the same samples.

    Returns:
        Shape (samples,), positive where the candidate is worse; about ``score(before) -
        score(after)`` together, and just that for accuracy.
    """
    old, new = (np.asarray(counts, dtype=np.float64) for counts in (before, after))
    both = old + new
    ratio = score(both)
    parts = (old[:, 0] - ratio * old[:, 1]) - (new[:, 0] - ratio * new[:, 1])
    whole = both[:, 1].sum() / 2
    parts[np.abs(parts) < _TINY] = 0
    return parts / whole if whole else parts


def standard_error(parts: Floats) -> float:
    """Return how far a loss lies from that on other samples of the kind (one standard error)."""
    return float(np.sqrt(len(parts)) * np.std(parts))


def p_value(parts: Floats) -> float:
    """Return the one-sided p for a loss, on all samples."""
    largest = np.abs(parts).max(initial=0)
    return statistics.sign_flip_p(parts / largest if largest else parts)


def power(parts: Floats, samples: int, alpha: float, seed: int = 0) -> float:
    """Return how often the test finds the loss with so many labelled samples, drawn at random.

    Args:
        parts: of ``losses``.
        samples: how many are drawn, each once; all, if there are no more.
        alpha: below which p is found.
        seed: of the draws and signs.

    Returns:
        A share in [0, 1]; with all samples 0 or 1.
    """
    if samples >= len(parts):
        return float(p_value(parts) < alpha)
    rng = np.random.default_rng([seed, samples])
    differing = parts[parts != 0]
    taken = rng.hypergeometric(len(differing), len(parts) - len(differing), samples, DRAWS)
    ranks = rng.random((DRAWS, len(differing))).argsort(axis=1).argsort(axis=1)
    drawn = np.where(ranks < taken[:, None], differing, 0)
    signs = rng.choice([-1.0, 1.0], (len(differing), FLIPS))
    at_least = (drawn @ signs >= drawn.sum(axis=1, keepdims=True) - _TINY).sum(axis=1)
    return float(np.mean((1 + at_least) / (1 + FLIPS) < alpha))
