"""One sentence on whether what the gate found can be chance."""

from __future__ import annotations

from mt_gate.reporting import figures
from mt_gate.reporting.texts import decided
from mt_gate.result import Comparison, Decision, GateVerdict, Result

_ASKED = {
    GateVerdict.REGRESSION: Decision.REGRESSION,
    GateVerdict.INCONCLUSIVE: Decision.INCONCLUSIVE,
}


def _tested(result: Result, decision: Decision) -> list[Comparison]:
    """Return the comparisons with a decision that have a p-value, clearest first."""
    everything = [relation.comparison for relation in decided(result, decision)]
    everything.append(result.overall.comparison)
    found = [c for c in everything if c and c.decision is decision and c.p_adjusted is not None]
    return sorted(found, key=lambda c: c.p_adjusted or 0)


def _share(p: float) -> str:
    """Return "fewer than 1 of 1,000 runs" or "1.6 % of runs"."""
    return "fewer than 1 of 1,000 runs" if p < 0.001 else f"{figures.percent(p)} of runs"


def chance(result: Result) -> str:
    """Return whether a loss can be chance; empty where no test speaks for the verdict."""
    decision = _ASKED.get(result.verdict)
    found = _tested(result, decision) if decision else []
    if not found or found[0].p_adjusted is None:
        return ""
    p = found[0].p_adjusted
    share = f"a rise this large would turn up in {_share(p)}"
    alpha = figures.setting(result.settings.alpha)
    among = f"adjusted p {figures.p_value(p)}, alpha {alpha}"
    if result.verdict is GateVerdict.REGRESSION and p < result.settings.alpha:
        return f"Hardly chance: had nothing got worse, {share} ({among})."
    return f"It may be chance: had nothing got worse, {share} ({among})."
