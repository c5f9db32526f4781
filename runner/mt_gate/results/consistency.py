"""Figures that are read back, held against one another.

Each figure is bounded by its own meaning where its record is defined; here stands what must hold
between those of one record, and between records of one result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from mt_gate.base import errors
from mt_gate.domain import AnswerChange, metamorphic
from mt_gate.results import rules
from mt_gate.results.result import (
    AgainstAnchor,
    AnswerChurn,
    Churn,
    Comparison,
    ComparisonFigures,
    Decision,
    EarlyStop,
    Flips,
    GateVerdict,
    LabelledAnswers,
    Overall,
    Precision,
    Predictions,
    RelationResult,
    Repair,
    Result,
    Rule,
    RunSettings,
    Stratum,
    exit_code,
    is_loss,
)
from mt_gate.settings.policy import Tier

Check = Callable[[Any], Iterator[str]]
_INTERVALS = ("ci95", "interval")
_LONG = 60


def faults(record: msgspec.Struct, checks: Mapping[type, Check] | None = None) -> Iterator[str]:
    """Yield where a record, or one within it, contradicts itself.

    Args:
        record: decoded, so that every figure is within its bounds.
        checks: of further kinds of record.
    """
    yield from _faults(record, {**_CHECKS, **(checks or {})}, "")


def _faults(record: msgspec.Struct, checks: Mapping[type, Check], at: str) -> Iterator[str]:
    known = getattr(record, "id", None)
    place = known[:_LONG] if isinstance(known, str) and known else at
    for name in record.__struct_fields__:
        value = getattr(record, name)
        where = f"{place}.{name}" if place else name
        if name in _INTERVALS and value is not None and value[0] > value[1]:
            yield f"{where} from {value[0]:g} to {value[1]:g}"
        for inner in _records(value):
            yield from _faults(inner, checks, where)
    for fault in checks.get(type(record), _nothing)(record):
        yield f"{place}: {fault}" if place else fault


def _records(value: object) -> Iterator[msgspec.Struct]:
    """Yield the records that a field holds: itself, or those of a list or table."""
    if isinstance(value, msgspec.Struct):
        yield value
    elif isinstance(value, Mapping):
        yield from (inner for inner in value.values() if isinstance(inner, msgspec.Struct))
    elif isinstance(value, tuple) and value and isinstance(value[0], msgspec.Struct):
        yield from value


def _nothing(_: object) -> Iterator[str]:
    yield from ()


def share(count: int, of: int, rate: float | None) -> Iterator[str]:
    """Yield what is wrong with a count, what it is of, and their rate."""
    if count > of:
        yield f"{count} of {of}"
    elif rate != (count / of if of else None):
        yield f"{count} of {of}, and a rate of {rate}"


def _relation(found: RelationResult) -> Iterator[str]:
    left_out = sum(found.not_applicable.values())
    if found.applicable + left_out != found.groups:
        yield f"{found.groups} groups, {found.applicable} applicable and {left_out} not"
    if found.unstable > found.groups:
        yield f"{found.unstable} of {found.groups} groups unstable"
    if sum(stratum.groups for stratum in found.strata.values()) > found.groups:
        yield f"more than {found.groups} groups by kind of edit"
    yield from share(found.violated, found.applicable, found.violation_rate)


def _stratum(found: Stratum) -> Iterator[str]:
    if found.applicable > found.groups:
        yield f"{found.groups} groups, {found.applicable} applicable"
    yield from share(found.violated, found.applicable, found.violation_rate)


def _overall(found: Overall) -> Iterator[str]:
    yield from share(found.violated, found.applicable, found.violation_rate)


def _figures(found: ComparisonFigures) -> Iterator[str]:
    figures = (found.delta, found.ci95, found.p_value, found.p_adjusted)
    if len({figure is None for figure in figures}) > 1:
        yield "a difference without its interval and p, or the reverse"
    if found.clusters > found.pairs:
        yield f"{found.pairs} pairs from {found.clusters} sources"


def _comparison(found: Comparison) -> Iterator[str]:
    yield from _figures(found)
    if found.decision not in rules.DECISIONS[found.rule]:
        yield f"decision {found.decision.value} by rule {found.rule.value}"


def _flips(found: Flips) -> Iterator[str]:
    yield from share(found.number, found.of, found.rate)
    if (found.ci95 is None) != (found.rate is None):
        yield "a rate without its interval, or the reverse"
    if found.clusters > found.of:
        yield f"{found.of} from {found.clusters} sources"


def _answer_churn(found: AnswerChurn) -> Iterator[str]:
    changed = any(move.how is not AnswerChange.KEPT for move in found.moves)
    if found.inputs.number and not changed and not found.omitted:
        yield f"{found.inputs.number} answers differ, and every one is kept"
    if changed and not found.inputs.number:
        yield "answers moved, and none differs"


def _labelled(found: LabelledAnswers) -> Iterator[str]:
    ordered = all(one < next_one for one, next_one in pairwise(found.wrong))
    if not ordered or (found.wrong and found.wrong[-1] >= found.inputs):
        yield f"wrong inputs that are not numbers below {found.inputs}, each once and in order"
    if found.clusters and sum(found.clusters) != found.inputs:
        yield f"{found.inputs} inputs, its clusters have {sum(found.clusters)}"


def _churn(found: Churn, result: Result) -> Iterator[str]:
    """Yield where churn is not that of its run, or beyond a limit that its verdict passes by."""
    compared = [one.comparison for one in result.relations if one.comparison is not None]
    new = sum(comparison.new_violations for comparison in compared)
    if result.overall.comparison is None:
        yield "churn without a comparison"
    elif found.groups.number > new:
        yield f"churn.groups.number {found.groups.number}, the relations have {new} new violations"
    if found.labelled is not None and result.labelled is None:
        yield "labelled inputs that turned, of a run that was asked none"
    if not is_loss(result.verdict):
        yield from (
            f"verdict {result.verdict.value}, its {what} is above its limit"
            for what in rules.over_churn(found, result.labelled is not None, result.settings)
        )


def _precision(found: Precision) -> Iterator[str]:
    if found.acceptable > found.read:
        yield f"{found.acceptable} of {found.read} acceptable"


def _predictions(found: Predictions) -> Iterator[str]:
    if not found.cached <= found.unique <= found.requested:
        yield f"{found.requested} requested, {found.unique} distinct, {found.cached} cached"


def _repair(found: Repair) -> Iterator[str]:
    if found.suspicious != found.changed + found.unchanged + found.no_candidate:
        yield f"{found.suspicious} suspicious entities, their outcomes add up to another number"


def _result(found: Result) -> Iterator[str]:
    ids = tuple(relation.id for relation in found.relations)
    if len(set(ids)) < len(ids) or ids != found.settings.relations:
        yield f"relations {_few(ids)}, its settings name {_few(found.settings.relations)}"
    for name in ("applicable", "violated"):
        pooled = metamorphic(relation.id for relation in found.relations)
        total = sum(getattr(one, name) for one in found.relations if one.id in pooled)
        if total != getattr(found.overall, name):
            yield f"overall.{name} {getattr(found.overall, name)}, the relations have {total}"
    if found.exit_code != exit_code(found.verdict, found.settings):
        yield f"exit_code {found.exit_code}, its verdict is {found.verdict.value}"
    judged_by = _judged_by(found)
    each: dict[str, rules.Paired] = {}
    for relation in found.relations:
        if relation.tier is not found.settings.policy.tier(relation.id):
            yield f"{relation.id}: tier {relation.tier}, its policy says another"
        if relation.comparison is not None:
            comparison = relation.comparison
            paired = rules.paired_of(comparison)
            each[relation.id] = paired
            own = rules.of_relation(judged_by, relation.id, paired)
            judged = _judged(comparison, found, own, relation.tier)
            faults_of_it = (*judged, *_limited(relation, found), *_parts(comparison, own, {}))
            yield from (f"{relation.id}: {fault}" for fault in faults_of_it)
    if found.overall.comparison is not None:
        together = rules.of_pool(judged_by, each)
        shown = rules.shown_margin_of_pool(judged_by, each)
        judged = _judged(found.overall.comparison, found, together, pool_margin=shown)
        faults_of_it = (*judged, *_parts(found.overall.comparison, judged_by, each))
        yield from (f"overall: {fault}" for fault in faults_of_it)
    if found.baseline is not None and found.baseline.suite_sha256 != found.suite.sha256:
        yield "its baseline is of another suite"
    if found.early is not None and found.baseline is None:
        yield "could stop early, without a baseline"
    if found.anchor is not None and found.baseline is None:
        yield "an anchor without a baseline"
    if found.churn is not None:
        yield from _churn(found.churn, found)


def _parts(
    comparison: Comparison, settings: RunSettings, each: Mapping[str, rules.Paired]
) -> Iterator[str]:
    """Yield where what is said of parts is not what the relations make of them."""
    p, wanted = comparison.p_part, rules.has_parts(settings, each)
    wanted = wanted and comparison.p_value is not None
    if (p is not None) != wanted:
        yield f"p_part {p}, and {'some' if wanted else 'no'} parts"
    if p is None or p == 1 or any(of.pairs and not of.tested for of in each.values()):
        return  # what is too small for a test is in a part, and its difference in no result
    if not any(part.rose for part in rules.parts_of_pool(settings, each)):
        yield f"p_part {p}, and no part rose by more than it may"


def _judged_by(found: Result) -> RunSettings:
    """Return the settings that a result was judged by: of a run that stopped early, its part's."""
    share = found.early.look / found.early.looks if found.early else 1.0
    return rules.at_part(found.settings, min(1.0, share))


def _early_stop(found: EarlyStop) -> Iterator[str]:
    if found.look > found.looks or found.asked > found.clusters:
        yield (
            f"look {found.look} of {found.looks}, {found.asked} of {found.clusters} sources asked"
        )
    elif not found.stopped and found.asked < found.clusters:
        yield f"all looks made, and {found.asked} of {found.clusters} sources asked"
    elif not found.stopped and found.loss is not None:
        yield "all looks made, and a reason for having stopped"


def _against_anchor(found: AgainstAnchor) -> Iterator[str]:
    if found.rose and found.verdict in _WITHOUT_LOSS:
        yield f"verdict {found.verdict.value} against the anchor, and {_few(found.rose)} rose"


def _judged(
    comparison: Comparison,
    result: Result,
    settings: RunSettings,
    tier: Tier = Tier.BLOCK,
    *,
    pool_margin: float | None = None,
) -> Iterator[str]:
    """Yield where a decision is not what its figures make it under these settings."""
    decision = comparison.decision
    named = comparison.rule in rules.UNTIERED and tier is not Tier.BLOCK
    if not named and (comparison.rule is Rule.REPORTED) != (tier is Tier.REPORT):
        yield f"rule {comparison.rule.value}, its tier is {tier}"
    if not rules.can_fire(comparison.rule, comparison, settings):
        yield f"rule {comparison.rule.value}, which its figures and settings do not let fire"
    whole = tier is not Tier.REPORT and not named
    for rule in rules.overlooked(comparison, settings, pool_margin) if whole else ():
        yield f"decision {decision.value}, its figures let rule {rule.value} fire"
    failing = result.exit_code == errors.REGRESSION
    fails = rules.fails_in(tier, comparison.rule, decision, settings)
    if is_loss(decision) and fails and not failing:
        yield f"decision {decision.value}, its run's exit_code is {result.exit_code}"
    if rules.warns_in(tier, decision, settings) and result.verdict in _WITHOUT_WARNING:
        yield f"decision {decision.value}, tier {tier}, its run's verdict is {result.verdict.value}"
    if comparison.fails != (failing and fails):
        yield f"fails {str(comparison.fails).lower()}, its decision is {decision.value}"


_WITHOUT_WARNING = (GateVerdict.PASS, GateVerdict.IMPROVED)
_WITHOUT_LOSS = (*_WITHOUT_WARNING, GateVerdict.INCONCLUSIVE, GateVerdict.MEASURED)


def _limited(relation: RelationResult, result: Result) -> Iterator[str]:
    """Yield where a rule that asks no test is not borne out by the relation's own counts."""
    comparison, limit = relation.comparison, rules.limit_of(relation.id, result.settings)
    assert comparison is not None, "of a relation that was compared"
    lost = comparison.decision is Decision.REGRESSION
    over = limit is not None and rules.over_limit(relation.violated, relation.applicable, limit)
    if over and not lost:
        yield f"decision {comparison.decision.value}, its violation rate is above its limit"
    if comparison.rule is Rule.LIMIT and lost and not over:
        yield "rule limit, its violation rate is not above its limit"
    if comparison.rule is Rule.LIMIT and not lost and relation.applicable:
        yield "rule limit undecided, though groups are applicable"
    missing = rules.missing(relation.id, comparison, result.settings)
    if missing and not is_loss(comparison.decision):
        yield f"decision {comparison.decision.value}, though it is required and not compared"
    if comparison.rule is Rule.REQUIRED and not missing:
        yield "rule required, and it is not required"
    if comparison.rule is Rule.MUST_HOLD and lost and not relation.violated:
        yield "rule must-hold, and no group is violated"


def _few(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)[:200] or 'none'}"


_CHECKS: dict[type, Check] = {
    Result: _result,
    RelationResult: _relation,
    Stratum: _stratum,
    Overall: _overall,
    ComparisonFigures: _figures,
    AgainstAnchor: _against_anchor,
    Comparison: _comparison,
    Precision: _precision,
    Predictions: _predictions,
    Repair: _repair,
    Flips: _flips,
    AnswerChurn: _answer_churn,
    EarlyStop: _early_stop,
    LabelledAnswers: _labelled,
}
