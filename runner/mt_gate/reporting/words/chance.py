"""One sentence on whether what the gate found can be chance.

It speaks of the test alone. A limit, a group that must hold, and the margin that ``strict`` asks
for are no matter of chance, and get no sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.reporting.words.texts import Catalogue, counts_in_verdict, text_of
from mt_gate.results.result import Comparison, GateVerdict, RelationResult, Result, Rule
from mt_gate.settings.policy import Tier, task_of


class _Named(NamedTuple):
    """A comparison with what it is called, and the relation's id; empty of all together."""

    title: str
    comparison: Comparison
    id: str = ""


def chance(result: Result, catalogue: Catalogue) -> str:
    """Return whether what the verdict names can be chance; empty where no test speaks for it."""
    match result.verdict:
        case GateVerdict.REGRESSION | GateVerdict.WARNING:
            return _regression(result, catalogue)
        case GateVerdict.COLLAPSE:
            return _collapse(result, catalogue)
        case GateVerdict.INCONCLUSIVE | GateVerdict.PASS | GateVerdict.IMPROVED:
            return _open(result, catalogue)
        case _:
            return ""


def _quoted(relation: RelationResult, catalogue: Catalogue) -> str:
    return f"“{text_of(catalogue, relation.id).title}”"


def _found(result: Result, catalogue: Catalogue, wanted: Rule) -> list[_Named]:
    """Return the relations that this rule decided; all together only where no relation has it."""
    warns = result.verdict is GateVerdict.WARNING
    all_tiers = result.verdict is GateVerdict.INCONCLUSIVE  # what warns leaves a run open, too
    relations = [
        _Named(_quoted(relation, catalogue), relation.comparison, relation.id)
        for relation in result.relations
        if relation.comparison
        and relation.comparison.rule is wanted
        and (relation.tier is Tier.WARN if warns else all_tiers or counts_in_verdict(relation))
    ]
    pooled = result.overall.comparison
    if not relations and pooled and pooled.rule is wanted:
        return [_Named("all relations together", pooled)]
    return relations


def _regression(result: Result, catalogue: Catalogue) -> str:
    found = _found(result, catalogue, Rule.RISE)
    if not found:
        return ""
    return f"Hardly chance: {_rise(result, found, 'below')}"


def _open(result: Result, catalogue: Catalogue) -> str:
    parts = []
    many = _found(result, catalogue, Rule.RISE_ALONE)
    if many:
        parts.append(f"It may be chance: {_rise(result, many, 'not below')}")
    noisy = _found(result, catalogue, Rule.RISE_OR_NOISE)
    if noisy:
        title, comparison, _ = _clearest(noisy)
        parts.append(
            f"It may be numerical noise: the rise of {title} ({figures.points(comparison.delta)}) "
            "is not a regression without the groups that noise alone could flip."
        )
    return " ".join(parts)


def _collapse(result: Result, catalogue: Catalogue) -> str:
    """Tell what an adjusted p is: the level of false alarms at which the test still finds it."""
    shares = [
        (named.comparison.applicability.answered.p_adjusted, named.title, named.id)
        for named in _found(result, catalogue, Rule.STOPPED_ANSWERING)
        if named.comparison.applicability
    ]
    if not shares:
        return ""
    p, title, relation = min(shares, key=lambda share: share[0])
    tested = sum(bool(r.comparison and r.comparison.applicability) for r in result.relations)
    pooled = result.overall.comparison
    together = " or on all together" if pooled and pooled.applicability else ""
    return (
        f"Hardly chance: a gate that may give a false alarm, on any of "
        f"{figures.counted(tested, 'relation')}{together}, in {_share(p, 'runs')} would still "
        f"have found the fall of {title} ({_adjusted(p, result, relation, 'below')})."
    )


def _rise(result: Result, found: Sequence[_Named], side: str) -> str:
    """Say how often chance alone gives the clearest rise: the test's p before it is adjusted."""
    title, comparison, relation = _clearest(found)
    among = f", the clearest of {len(found)} rises," if len(found) > 1 else ""
    share = _share(comparison.p_value or 0.0, "comparisons")
    return (
        f"{title}{among} would reach {figures.points(comparison.delta)} in {share} if changes "
        f"were as likely for better as for worse. {_makes(result, relation)}: "
        f"{_adjusted(comparison.p_adjusted, result, relation, side)}."
    )


def _clearest(found: Sequence[_Named]) -> _Named:
    return min(found, key=lambda named: named.comparison.p_value or 0.0)


def _makes(result: Result, relation: str) -> str:
    """Say how many comparisons the p-values are adjusted for; a pool of one relation is none."""
    policy = result.settings.policy
    tier = policy.tier(relation)
    if policy.of(relation).share is not None:
        return "By its policy it is tested by itself"
    every = [
        item.comparison
        for item in result.relations
        if item.tier is tier and policy.of(item.id).share is None
    ]
    tested = [comparison for comparison in every if comparison and comparison.p_value is not None]
    pooled = result.overall.comparison
    if pooled and any(comparison.pairs == pooled.pairs for comparison in tested):
        return "This run makes no other"
    number = len(tested) + (tier is Tier.BLOCK)
    of_tier = f" in tier {tier}" if policy.has_tiers else ""
    return f"This run makes {figures.count(number)}{of_tier}"


def _adjusted(p: float | None, result: Result, relation: str, side: str) -> str:
    settings = result.settings
    first = relation or next((item.id for item in result.relations), "")
    part = (
        settings.policy.part_of_alpha(relation)
        if relation
        else settings.policy.part_of_family(Tier.BLOCK, task_of(first))
    )
    alpha = settings.alpha * part
    return f"adjusted p {figures.p_value(p, alpha)}, {side} alpha {figures.setting(alpha)}"


def _share(p: float, of: str) -> str:
    """Return "fewer than 1 of 1,000 runs" or "about 1.6 % of runs"."""
    return f"fewer than 1 of 1,000 {of}" if p < 0.001 else f"about {figures.percent(p)} of {of}"
