"""Compare a candidate's verdicts with a baseline's, and decide whether it regressed.

Both runs are reduced to ``RelationVerdicts``, paired, measured over sources, and judged by the
rules of ``findings``. The decisions do not depend on the order of the verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from mt_gate.base import errors
from mt_gate.domain import metamorphic
from mt_gate.judging import findings
from mt_gate.judging.churn import group_flips
from mt_gate.judging.clustered import changes, pair
from mt_gate.judging.family import LOOKS
from mt_gate.judging.findings import SEVERITY, Finding, Note, rank
from mt_gate.judging.measuring import Measured, can_still_lose, measure_all, measure_alone
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.results import rules
from mt_gate.results.result import (
    AnswerChurn,
    Change,
    Churn,
    Comparison,
    Decision,
    GateVerdict,
    LabelledFlips,
    Rule,
    RunSettings,
    exit_code,
    fails,
)
from mt_gate.settings.policy import Tier

TOGETHER = "overall"
BLOCKING = "blocking relations overall"
SAME_MARGIN = "relations with the run's margin overall"
TIERED = {Tier.BLOCK: "", Tier.WARN: " (tier warn)", Tier.REPORT: " (tier report)"}
"""Text after a relation's name in a sentence on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The gate's verdict on the run, its reasons, and the decisions on relations and overall.

    ``changes``: by relation, the change of each group that has a verdict in both runs.
    ``slices``: comparisons of slices, by relation and name. ``can_still_lose``: a run that may
    stop early could still regress at a later interim analysis.
    """

    verdict: GateVerdict
    exit_code: int
    reasons: tuple[str, ...]
    relations: Mapping[str, Comparison]
    overall: Comparison
    changes: Mapping[str, Mapping[str, Change]]
    churn: Churn
    slices: Mapping[str, Mapping[str, Comparison]]
    can_still_lose: bool = False


class RunFacts(NamedTuple):
    """Facts about two runs in addition to their verdicts.

    ``same`` is whether both runs are of one checkpoint, by fingerprint. ``answers`` and ``flips``
    are changed predictions. ``labelled`` is whether the candidate has labelled inputs. ``look`` is
    the number of the interim analysis, 0 if the run cannot stop early. ``one_class`` and ``shift``
    are sentences from ``churn``, empty if it finds nothing.
    """

    same: bool = False
    answers: AnswerChurn | None = None
    flips: LabelledFlips | None = None
    labelled: bool = False
    look: int = 0
    one_class: str = ""
    shift: str = ""


def compare(
    candidate: RunVerdicts,
    baselines: Sequence[RunVerdicts],
    settings: RunSettings,
    facts: RunFacts = RunFacts(),  # noqa: B008 - immutable
) -> Outcome:
    """Judge a candidate against a baseline of one or more runs.

    The candidate's ``source_of`` names the source of each group; without it each group is its own.
    A relation of ``settings`` without verdicts of a run is not comparable.
    """
    ids = tuple(dict.fromkeys((*candidate, *settings.relations)))
    nothing = {relation: RelationVerdicts(id=relation) for relation in ids}
    verdicts = {name: candidate.get(name, nothing[name]) for name in ids}
    before = {name: tuple(run.get(name, nothing[name]) for run in baselines) for name in ids}
    pairings = {name: pair(verdicts[name], before[name]) for name in ids}
    by_id, pooled = measure_all(
        verdicts, before, pairings, settings, same=facts.same, look=facts.look
    )
    moved = {name: changes(verdicts[name], before[name], pairings[name]) for name in ids}
    now = [*verdicts.values()]
    churn = Churn(groups=group_flips(moved, now), answers=facts.answers, labelled=facts.flips)
    tiers = {relation: settings.policy.tier(relation) for relation in ids}
    judged = {new.id: findings.judge_relation(by_id[new.id], new) for new in now}
    of_all = findings.judge_overall(pooled, empty=bool(tiers) and Tier.BLOCK not in tiers.values())
    notes = [
        *findings.judge_run(candidate, baselines, now, settings),
        *findings.judge_churn(churn, facts.labelled, settings),
        *([Note(Decision.COLLAPSE, facts.one_class)] if facts.one_class else []),
        *([Note(Decision.INCONCLUSIVE, facts.shift)] if facts.shift else []),
        *findings.name_untested(by_id, settings),
    ]
    decided = {name: _decided(by_id[name], judged[name], tiers[name]) for name in ids}
    overall = _decided(pooled, of_all)
    verdict = _verdict(decided, overall, notes, settings)
    code = exit_code(verdict, settings)
    failing = code == errors.REGRESSION  # a run that cannot be judged fails for no relation
    slices = {
        relation: {
            name: _decided(part, [findings.significance_finding(part)], tiers[relation], failing)
            for name, part in measured.slices.items()
        }
        for relation, measured in by_id.items()
        if measured.slices
    }
    parts = [part for measured in by_id.values() for part in measured.slices.values()]
    return Outcome(
        verdict=verdict,
        exit_code=code,
        reasons=_reasons(verdict, judged, of_all, notes, settings),
        relations={
            name: replace(item, fails=item.fails and failing) for name, item in decided.items()
        },
        overall=replace(overall, fails=overall.fails and failing),
        changes=moved,
        churn=churn,
        slices=slices,
        can_still_lose=0 < facts.look < LOOKS
        and can_still_lose([*by_id.values(), *parts, pooled], facts.look),
    )


def judge_alone(
    candidate: RunVerdicts, settings: RunSettings
) -> tuple[GateVerdict, int, tuple[str, ...]]:
    """Return verdict, exit code and reasons of a run without a baseline, from its limits."""
    ids = dict.fromkeys((*candidate, *settings.relations))
    now = [candidate.get(relation, RelationVerdicts(id=relation)) for relation in ids]
    notes = [
        Note(finding.decision, f"{verdicts.id}: {finding.sentence}")
        for verdicts in now
        for finding in findings.judge_limits(verdicts, settings)
    ]
    notes += findings.unknown_limits(now, settings)
    notes.sort(key=lambda note: SEVERITY.index(note.decision))
    verdict = GateVerdict(notes[0].decision.value) if notes else GateVerdict.MEASURED
    return verdict, exit_code(verdict, settings), tuple(note.sentence for note in notes)


def compare_alone(
    candidate: RelationVerdicts, baseline: RelationVerdicts, settings: RunSettings
) -> Comparison:
    """Judge one relation alone, with the clustered test and no correction."""
    measured = measure_alone(pair(candidate, [baseline]), settings)
    strictly = findings.judge_strictly(measured) if settings.strict else ()
    return _decided(measured, [findings.significance_finding(measured), *strictly])


def _decided(
    measured: Measured,
    judged: Sequence[Finding],
    tier: Tier = Tier.BLOCK,
    failing: bool = True,
) -> Comparison:
    """Take the worst finding; it fails the build if its tier lets it and the run is ``failing``."""
    settings = measured.settings
    worst = min(judged, key=lambda finding: rank(finding, tier, settings))
    sentences = [finding.sentence for finding in judged if finding.decision is worst.decision]
    return Comparison(
        **msgspec.structs.asdict(measured.figures),
        decision=worst.decision,
        rule=worst.rule,
        fails=failing and not rank(worst, tier, settings)[0],
        reason="; ".join(sentences),
    )


def _verdict(
    each: Mapping[str, Comparison],
    overall: Comparison,
    notes: Sequence[Note],
    settings: RunSettings,
) -> GateVerdict:
    """Return the worst verdict; if no relation was compared, never a pass."""
    tiers = {relation: settings.policy.tier(relation) for relation in each}
    weights = {GateVerdict(note.decision.value) for note in notes}
    for comparison, tier in [*zip(each.values(), tiers.values(), strict=True), (overall, None)]:
        decision = comparison.decision
        if tier is Tier.WARN and not comparison.fails and fails(decision, settings):
            weights.add(GateVerdict.WARNING)
        elif decision not in (Decision.NOT_COMPARABLE, Decision.NOT_JUDGED):
            weights.add(GateVerdict(decision.value))
    for verdict in (GateVerdict.REGRESSION, GateVerdict.COLLAPSE):
        if verdict in weights:
            return verdict
    # Relations that warn are judged like blocking ones only if no relation blocks.
    judging = Tier.BLOCK if Tier.BLOCK in tiers.values() else Tier.WARN
    if not any(
        comparison.p_value is not None and tiers[name] is judging
        for name, comparison in each.items()
    ):
        return GateVerdict.CANNOT_JUDGE
    # A warning is a significant regression: it is worse than inconclusive, except in strict mode.
    order = [GateVerdict.WARNING, GateVerdict.INCONCLUSIVE]
    if settings.strict:
        order.reverse()
    wanted = (*order, GateVerdict.IMPROVED)
    return next((verdict for verdict in wanted if verdict in weights), GateVerdict.PASS)


def _reasons(
    verdict: GateVerdict,
    judged: Mapping[str, Sequence[Finding]],
    of_all: Sequence[Finding],
    notes: Sequence[Note],
    settings: RunSettings,
) -> tuple[str, ...]:
    """Return the sentences behind the verdict, worst first, then the notes that fail nothing.

    Skip relations without a rise. The overall finding is always included, so that even a pass has
    an interval.
    """
    tiers = {relation: settings.policy.tier(relation) for relation in judged}
    named = [
        (rank(finding, tiers[name], settings), f"{name}{TIERED[tiers[name]]}: {finding.sentence}")
        for name, of_it in judged.items()
        for finding in of_it
        if finding.rule is not Rule.NO_RISE
    ]
    blocking = [name for name, tier in tiers.items() if tier is Tier.BLOCK]
    together = BLOCKING if settings.policy.has_tiers else TOGETHER
    if len(rules.pooled(blocking, settings)) < len(metamorphic(blocking)):
        together = SAME_MARGIN
    named += [
        (rank(finding, Tier.BLOCK, settings), f"{together}: {finding.sentence}")
        for finding in of_all
    ]
    failing = [note for note in notes if fails(note.decision, settings)]
    named += [((False, SEVERITY.index(note.decision)), note.sentence) for note in failing]
    named.sort(key=lambda item: item[0])
    sentences = [sentence for _, sentence in named]
    sentences += [note.sentence for note in notes if note not in failing]
    if verdict is GateVerdict.CANNOT_JUDGE:
        sentences.insert(0, findings.nothing_compared({*tiers.values()}))
    return tuple(sentences)
