"""Tests, intervals and power for differences that come in clusters.

A cluster is a source input. Its groups share words and predictions, so they
are not independent of one another; sources are. Every function takes one
number a cluster, and none knows what a relation is. ``wilson`` is for plain
shares.

References:
    McNemar 1947, Psychometrika 12:153, the exact test of paired verdicts, which
    the sign-flip test is when a cluster holds one group.
    Fisher 1935, The Design of Experiments, section 21, the sign-flip test.
    Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39, why a sampled
    p is (1 + c) / (1 + N).
    Holm 1979, Scandinavian Journal of Statistics 6:65.
    Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    Clopper and Pearson 1934, Biometrika 26:404.
    Wilson 1927, Journal of the American Statistical Association 22:209.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

SEED = 20180101
"""Of every draw that a figure rests on."""
PERMUTATIONS = 100_000
SMALLEST_P = 1e-60
"""A p below this is given as this, so that every p lies in (0, 1]."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Complexes = NDArray[np.complex128]

# Sums of fractions such as 1/3 + 2/3 are brought back to the number they stand for.
_DECIMALS = 12
# P(|K - n/2| > t) <= 2 exp(-2 t**2 / n) (Hoeffding 1963): what lies further out
# than t = 8.4 sqrt(n) weighs less than SMALLEST_P.
_REACH = 8.4
# Multiplications the exact test may take before it is sampled: about a second.
_MAX_WORK = 2_000_000_000
_MAX_WHOLE = 2**53
# From this many equal magnitudes on, one binomial draw is cheaper than a table.
_MANY = 64
# Drawing how often a kind of cluster comes costs as much as drawing this many
# clusters singly, so kinds that are rarer are drawn singly.
_COMMON = 8
# Single draws, or their like, that a bootstrap may take before it makes do with
# fewer samples, and the least number of samples. Under a second.
_MAX_DRAWN = 30_000_000
_LEAST_SAMPLES = 2_000
_CHUNK = 500_000
_BYTE_SIGNS: Floats = (
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64) * 2 - 1
)


def sign_flip_p(differences: ArrayLike, *, seed: int = 0) -> float:
    """Return the one-sided p for a sum this large or larger under random signs.

    If candidate and baseline were equally good, each cluster's difference
    would have been as likely with the other sign. Exact where all differences
    are whole numbers, else estimated from 100,000 seeded permutations.

    Args:
        differences: shape (clusters,), finite; zeros carry no evidence.
        seed: of the permutations.

    Returns:
        p in [1e-60, 1]; 1.0 where no cluster differs.

    Raises:
        ValueError: a difference is not a finite number, or the shape is wrong.
    """
    values = np.round(_vector(differences, "differences"), _DECIMALS)
    values = values[values != 0]
    if not len(values):
        return 1.0
    magnitudes, counts = np.unique(np.abs(values), return_counts=True)
    up = math.fsum(values[values > 0])
    if np.all(magnitudes == np.floor(magnitudes)) and magnitudes[-1] < _MAX_WHOLE:
        units = magnitudes.astype(np.int64)
        units //= np.gcd.reduce(units)
        if _work(units, counts) <= _MAX_WORK:
            return _exact_p(units, counts, round(up * float(units[0] / magnitudes[0])))
    return _sampled_p(magnitudes, counts, up, seed)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, in the order given (Holm 1979).

    The i-th smallest of m, counted from 0, is multiplied by m - i, then raised
    to the largest before it, and capped at 1.
    """
    adjusted = [1.0] * len(p_values)
    floor = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(order):
        floor = max(floor, (len(p_values) - rank) * p_values[index])
        adjusted[index] = min(1.0, floor)
    return adjusted


def bootstrap_interval(
    differences: ArrayLike,
    weights: ArrayLike,
    *,
    seed: int,
    draws: int = 10_000,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the percentile interval of sum(differences) / sum(weights).

    Clusters are drawn with replacement, each with its difference and weight
    (cluster bootstrap of a ratio estimator; Efron and Tibshirani 1993).

    Where no cluster differs every draw gives 0, and the interval [0, 0] would
    claim certainty even for three clusters. Then the bounds are those of a
    share never seen in n clusters (Clopper and Pearson 1934), on either side.

    Args:
        differences: shape (clusters,), finite.
        weights: shape (clusters,), positive: pairs of each cluster.
        seed: of the draws.
        draws: number of bootstrap samples; fewer, but 2,000 at least, where
            there are thousands of clusters and hardly two are alike.
        level: in (0, 1).

    Raises:
        ValueError: no cluster, shapes that differ, or a weight that is not positive.
    """
    values, sizes = _clusters(differences, weights)
    if not len(values):
        raise ValueError("an interval needs at least one cluster")
    tail = (1 - level) / 2
    if not values.any():
        bound = 1 - tail ** (1 / len(values))
        return -bound, bound
    estimates = _resampled_ratios(values, sizes, draws, np.random.default_rng(seed))
    low, high = np.quantile(estimates, [tail, 1 - tail])
    return float(low), float(high)


def rate_interval(
    counts: ArrayLike, sizes: ArrayLike, *, seed: int, level: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the rate sum(counts) / sum(sizes), by cluster bootstrap.

    Where every cluster is at 0, or every one at 1, the bound away from it is
    that of a share never, or always, seen in n clusters (Clopper and Pearson 1934).

    Args:
        counts: shape (clusters,), each in [0, its size].
        sizes: shape (clusters,), positive.
        seed: of the draws.
        level: in (0, 1).

    Returns:
        Bounds in [0, 1].

    Raises:
        ValueError: no cluster, shapes that differ, or a count outside its size.
    """
    values, wholes = _clusters(counts, sizes)
    if (values < 0).any() or (values > wholes).any():
        raise ValueError("counts: expected numbers from 0 to each cluster's size")
    if not (wholes - values).any():
        low, _ = bootstrap_interval(np.zeros(len(values)), wholes, seed=seed, level=level)
        return 1 + low, 1.0
    low, high = bootstrap_interval(values, wholes, seed=seed, level=level)
    return max(0.0, low), min(1.0, high)


def wilson_clustered(successes: int, sizes: ArrayLike) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share whose trials come in clusters that agree.

    Where all trials of a cluster have one outcome, n trials tell no more than
    (sum of sizes)**2 / (sum of squared sizes) independent ones (Kish 1965,
    Survey Sampling, section 8.2). With one trial a cluster it is ``wilson``.

    Args:
        successes: in [0, sum of sizes].
        sizes: shape (clusters,), positive: trials of each cluster.

    Raises:
        ValueError: there is no trial, or more successes than trials.
    """
    trials = _vector(sizes, "sizes")
    total = math.fsum(trials)
    if not total:
        raise ValueError("an interval needs at least one trial")
    effective = total**2 / math.fsum(trials**2)
    return wilson(successes / total * effective, effective)


def wilson(successes: float, trials: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return the score interval of a share, without continuity correction (Wilson 1927).

    Args:
        successes: in [0, trials].
        trials: positive, independent; their effective number where they are not.
        level: in (0, 1).

    Returns:
        Bounds in [0, 1]; exactly 0 or 1 where no trial, or every one, was a success.

    Raises:
        ValueError: there are no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or not trials:
        raise ValueError(f"{successes:g} successes of {trials:g} trials; expected a share")
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
    alpha: float,
    margin: float,
    power: float = 0.8,
) -> float:
    """Return the smallest true rise in violation rate that would be found.

    A rise of x violations in all, among clusters that differ at random anyway
    (background B = sum of squared differences), is found with this power when
    three things hold: x is (z_alpha + z_power) standard deviations sqrt(B + x)
    away from 0; it has as many one-sided flips as an exact test needs when
    nothing else differs; and the estimate exceeds the margin that often.

    Args:
        differences: shape (clusters,), finite.
        weights: shape (clusters,), positive.
        alpha: significance at the strictest step, in (0, 1).
        margin: a rise must exceed it to count, in [0, 1].
        power: in [0.5, 1).

    Returns:
        A rise in violation rate, in (0, 1].
    """
    values, sizes = _clusters(differences, weights)
    total = math.fsum(sizes)
    if not total:
        return 1.0
    background = math.fsum(values**2)
    z_alpha, z_power = (NormalDist().inv_cdf(p) for p in (1 - alpha, power))
    rise = max(
        _above(0.0, z_alpha + z_power, background),
        _above(margin * total, z_power, background),
        _poisson_mean(math.floor(-math.log2(alpha)) + 1, power),
    )
    return min(1.0, rise / total)


def _vector(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"{name}: expected a vector of finite numbers, got shape {array.shape}")
    return array


def _clusters(differences: ArrayLike, weights: ArrayLike) -> tuple[Floats, Floats]:
    values, sizes = _vector(differences, "differences"), _vector(weights, "weights")
    if values.shape != sizes.shape:
        raise ValueError(f"{len(values)} differences, {len(sizes)} weights; expected as many")
    if (sizes <= 0).any():
        raise ValueError("weights: expected positive numbers")
    return np.round(values, _DECIMALS), sizes


def _reach(count: int) -> int:
    """Return how far from its middle Binomial(count, 1/2) is followed."""
    return min((count + 1) // 2, math.ceil(_REACH * math.sqrt(count)))


def _work(units: Integers, counts: Integers) -> int:
    """Return about how many multiplications the exact test takes."""
    width, work = 1, 0
    for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
        length = 2 * _reach(count) + 1
        work += length * width
        width += unit * (length - 1)
    return work + width


def _exact_p(units: Integers, counts: Integers, up: int) -> float:
    """Return P(T >= up), T the sum of the magnitudes that are drawn positive.

    Magnitude m stands in n clusters, so T is a sum of m * Binomial(n, 1/2)
    over the magnitudes; their distributions are convolved one after another.
    All terms are positive, so nothing cancels and p is exact to rounding.
    """
    first, chances = 0, np.ones(1)
    for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
        start, binomial = _binomial(count)
        chances = _convolve(chances, binomial, unit)
        first += start * unit
    tail = float(chances[max(0, up - first) :].sum())
    return min(1.0, max(SMALLEST_P, tail))


def _binomial(count: int) -> tuple[int, Floats]:
    """Return Binomial(count, 1/2) around its middle: first value, chances."""
    middle, reach = count // 2, _reach(count)
    start, stop = max(0, middle - reach), min(count, middle + reach)
    up = np.arange(middle, stop)
    down = np.arange(middle, start, -1)
    right = np.cumprod((count - up) / (up + 1))
    left = np.cumprod(down / (count - down + 1))
    chances = np.concatenate([left[::-1], np.ones(1), right])
    return start, chances / chances.sum()


def _convolve(chances: Floats, binomial: Floats, unit: int) -> Floats:
    """Return the distribution of a + unit * b; ``unit`` classes do not mix."""
    padded = np.concatenate([chances, np.zeros(-len(chances) % unit)])
    columns = [np.convolve(column, binomial) for column in padded.reshape(-1, unit).T]
    return np.stack(columns, axis=1).ravel()


def _sampled_p(magnitudes: Floats, counts: Integers, up: float, seed: int) -> float:
    """Estimate the exact test from random signs; ties within rounding count."""
    rng = np.random.default_rng(seed)
    scale = float(magnitudes @ counts)
    sums = np.zeros(PERMUTATIONS)
    many = counts >= _MANY
    for magnitude, count in zip(magnitudes[many], counts[many], strict=True):
        sums += magnitude * (2 * rng.binomial(count, 0.5, PERMUTATIONS) - count)
    _add_signed(sums, np.repeat(magnitudes[~many], counts[~many]), rng)
    as_large = np.count_nonzero(sums >= 2 * up - scale - 1e-9 * scale)
    return (1 + int(as_large)) / (1 + PERMUTATIONS)


def _add_signed(sums: Floats, magnitudes: Floats, rng: np.random.Generator) -> None:
    """Add every magnitude with a random sign, eight at a time.

    A random byte picks one of the 256 signed sums of eight magnitudes, which
    is a tenth of the work of drawing and adding eight signs.
    """
    for start in range(0, len(magnitudes), 8):
        block = magnitudes[start : start + 8]
        signed_sums = _BYTE_SIGNS[:, : len(block)] @ block
        sums += signed_sums[rng.integers(0, 256, len(sums), dtype=np.uint8)]


def _resampled_ratios(
    values: Floats, sizes: Floats, draws: int, rng: np.random.Generator
) -> Floats:
    """Return sum(differences) / sum(weights) of each bootstrap sample.

    Clusters that look alike are drawn together. Poisson numbers of each kind,
    given their total m, are a sample of m clusters with replacement; the mean
    is set so that m seldom exceeds n, and the n - m left are drawn singly. The
    few samples with m > n are dropped, which leaves the rest as they should be.
    """
    # As complex numbers, pairs sort in one pass and add up together.
    kinds, counts = np.unique(values + 1j * sizes, return_counts=True)
    clusters = np.repeat(kinds, counts)
    common = counts >= _COMMON
    rare = np.repeat(kinds[~common], counts[~common])
    share = max(0.0, 1 - 3 / math.sqrt(len(clusters)))
    work = _COMMON * np.count_nonzero(common) + len(rare) + len(clusters) * (1 - share)
    draws = min(draws, max(_LEAST_SAMPLES, int(_MAX_DRAWN / work)))
    of_rare = rng.poisson(share * len(rare), draws)
    left = len(clusters) - of_rare
    sums = _sums_of(rare, of_rare, rng)
    for kind, count in zip(kinds[common], counts[common], strict=True):
        taken = rng.poisson(share * count, draws)
        sums += kind * taken
        left -= taken
    sums = sums[left >= 0] + _sums_of(clusters, left[left >= 0], rng)
    return np.asarray(sums.real / sums.imag, dtype=np.float64)


def _sums_of(clusters: Complexes, sizes: Integers, rng: np.random.Generator) -> Complexes:
    """Return the sum of ``sizes[i]`` random members of ``clusters``, for each i."""
    sums = np.zeros(len(sizes), dtype=np.complex128)
    if not sizes.any():
        return sums
    small = np.uint16 if len(clusters) <= 2**16 else np.int64
    step = max(1, _CHUNK // int(sizes.max()))
    for at in range(0, len(sizes), step):
        part = sizes[at : at + step]
        ends = np.cumsum(part)
        # The last one stands for nothing, so that an empty sum at the end has a start.
        drawn = clusters[rng.integers(0, len(clusters), ends[-1] + 1, dtype=small)]
        drawn[-1] = 0
        sums[at : at + step] = np.where(part > 0, np.add.reduceat(drawn, ends - part), 0)
    return sums


def _above(floor: float, z: float, background: float) -> float:
    """Return x with x - floor = z * sqrt(background + x)."""
    half = z * z / 2
    return floor + half + z * math.sqrt(half / 2 + background + floor)


def _poisson_mean(least: int, power: float) -> float:
    """Return the mean for which a Poisson number is >= ``least`` with this power."""
    low, high = 0.0, 2.0 * least + 100
    for _ in range(60):
        middle = (low + high) / 2
        terms = (i * math.log(middle) - middle - math.lgamma(i + 1) for i in range(least))
        if 1 - math.fsum(map(math.exp, terms)) < power:
            low = middle
        else:
            high = middle
    return high
