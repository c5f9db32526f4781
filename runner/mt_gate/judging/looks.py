"""A run that is looked at before all of it is asked: which sources come when, and what each costs.

Sources come in an order of their own, cut into ``LOOKS`` parts; after each part the run is judged
on all that was asked so far. Each look may use what the looks before it have left of a part of
alpha that grows with what was asked (Lan and DeMets), so that all of them together use alpha.

References:
    Lan and DeMets 1983, Biometrika 70:659, spending alpha.
    Kim and DeMets 1987, Biometrika 74:149, as a power of what was asked.
"""

from __future__ import annotations

from mt_gate.domain import cut
from mt_gate.judging.statistics import SEED

LOOKS = 10
"""How often a run is judged that may stop early; the last time all of it was asked.

Fifteen looks, ten of them in the first half, save as much of a loss on average, and find a little
less of the smallest (benchmarks/calibration.py).
"""
_POWER = 1.5
_COLLAPSE_AT_END = 0.5


def look_of(cluster: str) -> int:
    """Return at which look, from 1 to ``LOOKS``, a cluster of sources has been asked."""
    return cut(f"{SEED}\0{cluster}", LOOKS)


def share_asked(look: int) -> float:
    """Return the part of a suite that was asked at a look, in (0, 1]."""
    return look / LOOKS


def spent(alpha: float, look: int) -> float:
    """Return how much of alpha all looks up to this one may use, in (0, alpha]."""
    return float(alpha * share_asked(look) ** _POWER)


def of_collapse(look: int) -> float:
    """Return the part of alpha for whether a checkpoint stopped answering: half is for the end.

    A fall that counts is far beyond chance, so that equal parts for the other looks do.
    """
    return _COLLAPSE_AT_END if look == LOOKS else (1 - _COLLAPSE_AT_END) / (LOOKS - 1)
