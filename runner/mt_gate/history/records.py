"""What a history holds: stored runs in order, apart by suite."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.judging.rates import Interval
from mt_gate.results.result import (
    AgainstAnchor,
    BaselineHead,
    CheckpointHead,
    Decision,
    GateVerdict,
    SuiteHead,
)
from mt_gate.settings.policy import Tier


class PastRate(NamedTuple):
    """The violation rate of a relation in one run; of all together where ``id`` is empty.

    ``rate`` in [0, 1] is None where nothing was applicable, ``ci95`` also where the run's groups
    are not there. ``delta`` and its interval, in [-1, 1], are against the run's own baseline, None
    as ``decision`` where it was compared with none. ``tone`` is what the decision is coloured by.
    ``tier`` is the relation's; of all together ``block`` where decision and difference are of those
    that block alone, None where they are of all.
    """

    id: str
    groups: int
    applicable: int
    violated: int
    rate: float | None
    ci95: Interval | None = None
    decision: Decision | None = None
    delta: float | None = None
    delta_ci95: Interval | None = None
    tone: str = "measured"
    tier: Tier | None = None


class Rerecorded(NamedTuple):
    """A run's baseline that is another than that of the run before, of the same suite.

    ``reason`` is why it was recorded though it was a loss, or not whole; empty where none was
    needed, None where the baseline's file is not known.
    """

    name: str
    recorded: str
    reason: str | None = None


class PastRun(NamedTuple):
    """A stored run; ``place`` is its folder as the reader knows it, ``rates`` end with all.

    ``created`` is UTC in ISO 8601, ``id`` what no other run has. ``margin`` is the rise against an
    anchor that is allowed.
    """

    place: str
    id: str
    created: str
    checkpoint: CheckpointHead
    verdict: GateVerdict
    margin: float
    rates: tuple[PastRate, ...]
    baseline: BaselineHead | None = None
    rerecorded: Rerecorded | None = None
    anchor: AgainstAnchor | None = None

    @property
    def overall(self) -> PastRate:
        """Return the rate of all relations together."""
        return self.rates[-1]

    def rate_of(self, relation: str) -> PastRate | None:
        """Return the rate of a relation; None where it was not run."""
        return next((rate for rate in self.rates if rate.id == relation), None)


class SuiteHistory(NamedTuple):
    """The runs of one suite, at least one, in order; ``relations`` are all that any of them has."""

    suite: SuiteHead
    runs: tuple[PastRun, ...]
    relations: tuple[str, ...]


class History(NamedTuple):
    """Stored runs, by suite; ``unread`` says which files could not be read, and why.

    ``by_time`` says that places in a drawing follow the clock, not the number of runs.
    """

    suites: tuple[SuiteHistory, ...]
    by_time: bool = True
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
