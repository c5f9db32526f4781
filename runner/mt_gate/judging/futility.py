"""Whether a run that is looked at before its end can still end with a loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from mt_gate.judging.clustered import ClusteredTest
from mt_gate.judging.measuring import Measured
from mt_gate.judging.pairing import Pairing
from mt_gate.judging.sequential import share_predicted
from mt_gate.judging.statistics import chance_left
from mt_gate.results import rules
from mt_gate.results.result import RunSettings

LEAST_CHANCE = 0.1
"""Of a loss to be found yet; where nothing has as much, the rest is not asked."""


def can_still_lose(each: Sequence[Measured], look: int) -> bool:
    """Say whether something may be a loss at the end that is none yet.

    That is so where a rise as large as a whole run is likely to find, from here on, would be found
    with some chance, or where so many groups went unanswered that more of them would fail.

    Args:
        each: every relation that is judged, and last all of them together.
        look: the one at which it was measured, before the last.
    """
    share = share_predicted(look)
    if each[-1].test.p_value is None:
        return True
    return any(
        chance_of_loss(of.pairing, of.test, of.settings, share) >= LEAST_CHANCE
        or rules.may_stop_answering(of.figures, of.settings, share)
        for of in each
    )


def chance_of_loss(
    pairing: Pairing, test: ClusteredTest, settings: RunSettings, share: float
) -> float:
    """Return the chance that what is no loss yet is one at the end, see ``chance_left``.

    Args:
        pairing: of what was asked so far.
        test: of it.
        settings: that it is judged by at this look.
        share: of what was asked so far, in (0, 1).
    """
    if (len(pairing.sources) + 1) / share < rules.MIN_CLUSTERS:
        return 0.0
    if not pairing.sources:
        return 1.0
    least = NormalDist().inv_cdf(1 - settings.alpha)
    before = pairing.violations[:, 1:].mean(axis=1).sum() / pairing.pairs
    return chance_left(
        pairing.differences,
        pairing.weights,
        share=share,
        threshold=max(least, test.final) if math.isfinite(test.final) else least,
        margin=settings.margin * share,
        room=max(0.0, 1 - float(before)),
        added=test.added,
    )
