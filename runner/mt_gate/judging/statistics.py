"""Tests, intervals and power for differences that come in clusters.

A cluster is a source input. Its groups share words and predictions, so they are not independent;
sources are. Every function takes one number per cluster. ``wilson`` is for plain shares.

References:
    McNemar 1947, Psychometrika 12:153, the exact test of paired verdicts, which
    the sign-flip test is when a cluster holds one group.
    Fisher 1935, The Design of Experiments, section 21, the sign-flip test.
    Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39, why a sampled
    p is (1 + c) / (1 + N).
    Holm 1979, Scandinavian Journal of Statistics 6:65.
    Kish 1965, Survey Sampling, section 8.2.
    Tango 1998, Statistics in Medicine 17:891, the score interval of paired proportions.
    Zou and Donner 2008, Statistics in Medicine 27:1693, adding the squared widths of each side.
    Wilson 1927, Journal of the American Statistical Association 22:209.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

SEED = 20180101
"""Seed of all random samples behind figures."""
PERMUTATIONS = 100_000
SMALLEST_P = 1e-60
"""A p below this is reported as this, so that every p lies in (0, 1]."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


# Round to this many decimals, so that sums such as 1/3 + 2/3 are exact.
_DECIMALS = 12
# P(|K - n/2| > t) <= 2 exp(-2 t**2 / n) (Hoeffding 1963): values further out than
# t = 8.4 sqrt(n) have a total probability below SMALLEST_P.
_REACH = 8.4
# Maximum multiplications of the exact test, about a second; above, p is sampled.
_MAX_WORK = 2_000_000_000
_MAX_WHOLE = 2**53
# For this many equal magnitudes or more, one binomial draw is cheaper than a table.
_MANY = 64
# Every lump is estimated as if, in addition, this part of a cluster had flipped as a whole: few
# flips do not show that they come singly (calibrated in docs/trust.md).
_WHOLE = 0.25
_UPPER, _POWER = (1 + 0.95) / 2, 0.8
_BYTE_SIGNS: Floats = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64) * 2 - 1
)


def sign_flip_p(differences: ArrayLike, *, seed: int = SEED) -> float:
    """Return the one-sided p for a sum this large or larger under random signs.

    If candidate and baseline are equally good, each difference is equally likely with the other
    sign. The p is exact if all differences are whole numbers and the work is within a limit.
    Otherwise it is estimated from 100,000 seeded permutations. It is in [1e-60, 1], and 1.0 if no
    cluster differs.
    """
    values = np.round(np.asarray(differences, dtype=np.float64), _DECIMALS)
    values = values[values != 0]
    if not len(values):
        return 1.0
    magnitudes, counts = np.unique(np.abs(values), return_counts=True)
    up = math.fsum(values[values > 0])
    if np.all(magnitudes == np.floor(magnitudes)) and magnitudes[-1] < _MAX_WHOLE:
        units = magnitudes.astype(np.int64)
        units //= np.gcd.reduce(units)
        width, work = 1, 0
        for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
            length = 2 * _reach(count) + 1
            work += length * width
            width += unit * (length - 1)
        if work + width <= _MAX_WORK:
            return _exact_p(units, counts, round(up * float(units[0] / magnitudes[0])))
    return _sampled_p(magnitudes, counts, up, seed)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, in the same order (Holm 1979)."""
    adjusted = [1.0] * len(p_values)
    floor = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(order):
        floor = max(floor, (len(p_values) - rank) * p_values[index])
        adjusted[index] = min(1.0, floor)
    return adjusted


def difference_interval(
    differences: ArrayLike, weights: ArrayLike, *, added: float = 0.0
) -> tuple[float, float]:
    """Return the 95 % score interval, in [-1, 1], of sum(differences) / sum(weights).

    This is Tango's interval of paired proportions, with the effective number of independent pairs
    (``lump_size``). It keeps its level if flips are rare or come in whole clusters, and has a width
    even if there are no flips. ``added``, the variance beyond that of clusters, is added to the
    square of each side (Zou and Donner 2008).
    """
    values, sizes = _clusters(differences, weights)
    lump, total = lump_size(values, sizes), math.fsum(sizes)
    up, down = (math.fsum(np.maximum(0.0, side * values)) for side in (1, -1))
    z = NormalDist().inv_cdf(_UPPER)
    low = -_score_bound(down / lump, up / lump, total / lump, z)
    high = _score_bound(up / lump, down / lump, total / lump, z)
    if not added:
        return low, high
    difference, spread = (up - down) / total, z * math.sqrt(added)
    return (
        max(-1.0, difference - math.hypot(difference - low, spread)),
        min(1.0, difference + math.hypot(high - difference, spread)),
    )


def provable_margin(differences: ArrayLike, weights: ArrayLike, *, added: float = 0.0) -> float:
    """Return the smallest margin that strict mode could show if neither run were worse.

    The interval's upper end would be below this margin nine times in ten. Assume as many worse as
    better pairs. The observed worse pairs may be a regression, which must not enlarge the margin.
    """
    values, sizes = _clusters(differences, weights)
    better = np.maximum(0.0, -values)
    lump = _lump(2 * math.fsum(better**2), 2 * math.fsum(better), sizes)
    pairs = (math.fsum(sizes)) / lump
    either = math.fsum(better) / lump
    z, z_nine = (NormalDist().inv_cdf(p) for p in (_UPPER, 0.9))
    bound = math.hypot(_score_bound(either, either, pairs, z), z * math.sqrt(added))
    return min(1.0, bound * (z + z_nine) / z)


def rate_interval(counts: ArrayLike, sizes: ArrayLike) -> tuple[float, float]:
    """Return the 95 % score interval, in [0, 1], of sum(counts) / sum(sizes).

    This is Wilson's interval for the effective number of independent trials: their number over the
    design effect (Kish 1965), estimated as in ``lump_size``.
    """
    values, wholes = _clusters(counts, sizes)
    total = math.fsum(wholes)
    rate = min(1.0, math.fsum(values) / total)
    squares = math.fsum((values - rate * wholes) ** 2)
    effective = total / _lump(squares, total * rate * (1 - rate), wholes)
    return wilson(rate * effective, effective)


def wilson_clustered(successes: int, sizes: ArrayLike) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share if all trials of a cluster have one outcome.

    The effective number of independent trials is then (sum of sizes)**2 / (sum of squared sizes)
    (Kish 1965, section 8.2).
    """
    trials = np.asarray(sizes, dtype=np.float64)
    total = math.fsum(trials)
    effective = total**2 / math.fsum(trials**2)
    return wilson(successes / total * effective, effective)


def wilson(successes: float, trials: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return the score interval of a share, without continuity correction (Wilson 1927).

    ``trials`` is the number of independent trials, or an effective number. A bound is exactly 0 if
    no trial was a success, and exactly 1 if every trial was.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    failures = trials - successes
    half = z * math.sqrt(z * z + 4 * successes * failures / trials)
    whole = 2 * (trials + z * z)
    low = (2 * successes + z * z - half) / whole if successes else 0.0
    high = (2 * successes + z * z + half) / whole if failures else 1.0
    return low, high


def minimum_detectable_effect(
    differences: ArrayLike,
    weights: ArrayLike,
    *,
    threshold: float,
    margin: float,
    added: float = 0.0,
) -> float:
    """Return the smallest true rise in violation rate, in (0, 1], that is detected with 80% power.

    Let x be the rise in violations, in lumps of m (``lump_size``), and let the background variance
    B be the sum of squared differences plus ``added``. A rise is detected if three things hold: x
    is (threshold + z_power) standard deviations sqrt(B + m x) away from 0; x has as many lumps as
    an exact one-sided test needs when nothing else differs; and the estimate exceeds the margin
    with 80% probability. The caller limits the result to 1 minus the baseline rate.
    """
    values, sizes = _clusters(differences, weights)
    total = math.fsum(sizes)
    if not total:
        return 1.0
    spread = _spread(values, sizes, added)
    return min(1.0, _detectable_rise(spread, threshold, margin) / total)


def chance_left(
    differences: ArrayLike,
    weights: ArrayLike,
    *,
    share: float,
    threshold: float,
    margin: float,
    room: float,
    added: float = 0.0,
) -> float:
    """Return the chance that a rise that starts now is detected once the whole suite is predicted.

    The rise is the ``minimum_detectable_effect`` of the whole suite, or ``room``, the most that the
    rate can rise, if that is less. ``differences`` cover a ``share``, in (0, 1), of the suite;
    ``threshold`` and ``margin`` are for the whole suite.
    """
    values, sizes = _clusters(differences, weights)
    spread = _spread(values, sizes, added, share)
    rise = min(room * spread.total, _detectable_rise(spread, threshold, margin))
    variance = spread.background + spread.lump * rise
    needed = max(threshold * math.sqrt(variance), margin * spread.total)
    expected = math.fsum(values) + rise * (1 - share)
    deviation = math.sqrt(variance * (1 - share))
    if not deviation:
        return float(expected > needed)
    return 1 - NormalDist().cdf((needed - expected) / deviation)


class _Spread(NamedTuple):
    """The number of pairs, the background variance of differences, and the size of a lump."""

    total: float
    background: float
    lump: float


def _spread(values: Floats, sizes: Floats, added: float, share: float = 1.0) -> _Spread:
    total = (math.fsum(sizes)) / share
    background = math.fsum(values**2) / share + added * total**2
    return _Spread(total, background, lump_size(values, sizes))


def _detectable_rise(spread: _Spread, threshold: float, margin: float) -> float:
    z_power = NormalDist().inv_cdf(_POWER)
    flips = math.floor(-math.log2(1 - NormalDist().cdf(threshold))) + 1
    # The mean of a Poisson distribution that gives at least ``flips`` with probability _POWER.
    mean = _bisect(
        lambda mean: (
            1
            - math.fsum(
                math.exp(i * math.log(mean) - mean - math.lgamma(i + 1)) for i in range(flips)
            )
            < _POWER
        ),
        0.0,
        2.0 * flips + 100,
        60,
    )
    background, lump = spread.background, spread.lump
    rises = [lump * mean]
    for floor, z in ((0.0, threshold + z_power), (margin * spread.total, z_power)):
        root = math.sqrt(z * z * lump * lump / 4 + background + lump * floor)
        rises.append(floor + z * z * lump / 2 + z * root)
    return max(rises)


def lump_size(values: Floats, sizes: Floats) -> float:
    """Return how many violations come or go together; 1 if each comes or goes singly.

    It is the sum of squared differences over the sum of their sizes. A quarter of a cluster that
    flips as a whole is added, because a few flips do not show that they come singly.
    """
    return _lump(math.fsum(values**2), math.fsum(np.abs(values)), sizes)


def _lump(squares: float, sizes: float, wholes: Floats) -> float:
    whole = math.fsum(wholes**2) / math.fsum(wholes)
    return (squares + _WHOLE * whole**2) / (sizes + _WHOLE * whole)


def _score_bound(up: float, down: float, pairs: float, z: float) -> float:
    return _bisect(lambda x: _score(up, down, pairs, x) > -z, (up - down) / pairs, 1.0)


def _bisect(
    is_below: Callable[[float], bool], low: float, high: float, halvings: int = 50
) -> float:
    for _ in range(halvings):
        middle = (low + high) / 2
        if is_below(middle):
            low = middle
        else:
            high = middle
    return high


def _score(up: float, down: float, pairs: float, difference: float) -> float:
    """Return how many standard deviations the pairs are above an assumed true ``difference``."""
    linear = (2 * pairs - up + down) * difference - up - down
    root = math.sqrt(max(0.0, linear**2 + 8 * pairs * down * difference * (1 - difference)))
    fewer = max(0.0, -difference, (root - linear) / (4 * pairs))
    variance = pairs * (2 * fewer + difference * (1 - difference))
    distance = up - down - pairs * difference
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance)


def student_quantile(level: float, freedom: float) -> float:
    """Return the quantile of Student's t at a level in (0.5, 1); normal if freedom is infinite."""
    if math.isinf(freedom):
        return NormalDist().inv_cdf(level)
    high = 1.0
    while _student_below(high, int(freedom)) < level:
        high *= 2
    return _bisect(lambda t: _student_below(t, int(freedom)) < level, 0.0, high)


# The finite series for whole degrees of freedom (Abramowitz and Stegun 1964, Handbook of
# Mathematical Functions, 26.7.3 and 26.7.4).
def _student_below(t: float, freedom: int) -> float:
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2
    term = total = math.cos(angle) if odd else 1.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= math.cos(angle) ** 2 * (k - 1) / k
        total += term
    if not odd:
        return 0.5 + math.sin(angle) * total / 2
    within = angle + (math.sin(angle) * total if freedom > 1 else 0.0)
    return 0.5 + within / math.pi


def _clusters(differences: ArrayLike, weights: ArrayLike) -> tuple[Floats, Floats]:
    values = np.asarray(differences, dtype=np.float64)
    return np.round(values, _DECIMALS), np.asarray(weights, dtype=np.float64)


def _reach(count: int) -> int:
    return min((count + 1) // 2, math.ceil(_REACH * math.sqrt(count)))


def _exact_p(units: Integers, counts: Integers, up: int) -> float:
    """Return P(T >= up), where T is the sum of the magnitudes that get a positive sign.

    If n clusters have magnitude m, it contributes m * Binomial(n, 1/2) to T. The distributions of
    all magnitudes are convolved. All terms are positive, so nothing cancels and p is exact up to
    rounding.
    """
    first, chances = 0, np.ones(1)
    for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
        # Binomial(count, 1/2) around its middle.
        middle, reach = count // 2, _reach(count)
        start, stop = max(0, middle - reach), min(count, middle + reach)
        rising, falling = np.arange(middle, stop), np.arange(middle, start, -1)
        right = np.cumprod((count - rising) / (rising + 1))
        left = np.cumprod(falling / (count - falling + 1))
        binomial = np.concatenate([left[::-1], np.ones(1), right])
        binomial = binomial / binomial.sum()
        padded = np.concatenate([chances, np.zeros(-len(chances) % unit)])
        columns = [np.convolve(column, binomial) for column in padded.reshape(-1, unit).T]
        chances = np.stack(columns, axis=1).ravel()
        first += start * unit
    tail = float(chances[max(0, up - first) :].sum())
    return min(1.0, max(SMALLEST_P, tail))


def _sampled_p(magnitudes: Floats, counts: Integers, up: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    scale = float(magnitudes @ counts)
    sums = np.zeros(PERMUTATIONS)
    many = counts >= _MANY
    for magnitude, count in zip(magnitudes[many], counts[many], strict=True):
        sums += magnitude * (2 * rng.binomial(count, 0.5, PERMUTATIONS) - count)
    # A random byte picks one of the 256 signed sums of eight magnitudes. That is a tenth of the
    # work of drawing and adding eight signs.
    single = np.repeat(magnitudes[~many], counts[~many])
    for start in range(0, len(single), 8):
        block = single[start : start + 8]
        signed_sums = _BYTE_SIGNS[:, : len(block)] @ block
        sums += signed_sums[rng.integers(0, 256, len(sums), dtype=np.uint8)]
    as_large = np.count_nonzero(sums >= 2 * up - scale - 1e-9 * scale)
    return (1 + int(as_large)) / (1 + PERMUTATIONS)
