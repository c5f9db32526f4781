"""A candidate's verdicts against a baseline's: what got worse, and is it certain.

Both runs are reduced to ``RelationVerdicts``, paired, measured over sources, and judged by the
rules of ``findings``. Nothing here reads a file or a clock, and the same verdicts give the same
decisions in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from mt_gate.base import errors
from mt_gate.domain import metamorphic
from mt_gate.judging import findings
from mt_gate.judging.churn import group_flips
from mt_gate.judging.findings import Finding, Note
from mt_gate.judging.futility import can_still_lose
from mt_gate.judging.measuring import Measured, measure_all, measure_alone
from mt_gate.judging.pairing import changes, pair
from mt_gate.judging.sequential import LOOKS
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.judging.wording import (
    BLOCKING,
    NOTHING_JUDGED,
    SAME_MARGIN,
    TIERED,
    TOGETHER,
    nothing_compared,
)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the gate says: of each relation, of all together, and why.

    ``changes`` gives by relation the move of each group that has a verdict in both runs;
    ``slices`` are the comparisons of a relation's slices, by relation and name. ``can_still_lose``
    concerns a run that may stop early, before its last look.
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
    """What is known of two runs besides their verdicts.

    ``same``: they are of one checkpoint, by fingerprint. ``answers`` and ``flips`` are what they
    answered otherwise; ``labelled`` says whether the candidate was asked labelled inputs. ``look``
    is the one that the candidate is judged at, of a run that may stop early; 0 of any other.
    ``one_class`` and ``shift`` are the sentences of ``prediction_shift``, empty where it finds
    nothing.
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
    """Judge a candidate against the runs of a baseline.

    Args:
        candidate: of ``verdicts_from_rows``; with the sources of its groups.
        baselines: at least one, of ``verdicts_from_rows`` or of a baseline file.
        settings: the candidate's; ``relations`` without a row are not comparable.
        facts: what else is known of the two.

    Returns:
        A ``Comparison`` for each relation of the candidate, then for all
        together, and the verdict, exit code and reasons that follow from them.
    """
    ids = tuple(dict.fromkeys((*candidate, *settings.relations)))
    nothing = {relation: RelationVerdicts(id=relation) for relation in ids}
    now = [candidate.get(relation, nothing[relation]) for relation in ids]
    before = [tuple(run.get(relation, nothing[relation]) for run in baselines) for relation in ids]
    pairings = [pair(new, old) for new, old in zip(now, before, strict=True)]
    *each, pooled = measure_all(now, before, pairings, settings, same=facts.same, look=facts.look)
    moved = {
        new.id: changes(new, old, pairing)
        for new, old, pairing in zip(now, before, pairings, strict=True)
    }
    churn = Churn(groups=group_flips(moved, now), answers=facts.answers, labelled=facts.flips)
    found = {
        verdicts.id: findings.of_relation(measured, verdicts)
        for measured, verdicts in zip(each, now, strict=True)
    }
    by_id = dict(zip(ids, each, strict=True))
    notes = [
        *findings.of_run(candidate, baselines, now, settings),
        *findings.of_churn(churn, facts.labelled, settings),
        *findings.of_predictions(facts.one_class, facts.shift),
    ]
    judged = _judged(by_id, pooled, found, notes, settings)
    partial = 0 < facts.look < LOOKS
    return Outcome(
        verdict=judged.verdict,
        exit_code=judged.exit_code,
        reasons=judged.reasons,
        relations=judged.relations,
        overall=judged.overall,
        changes=moved,
        churn=churn,
        slices=judged.slices,
        can_still_lose=partial
        and can_still_lose(
            [*each, *(one for of in each for one in of.slices.values()), pooled], facts.look
        ),
    )


class JudgedAlone(NamedTuple):
    """What the gate says of a run without a baseline, and why."""

    verdict: GateVerdict
    exit_code: int
    reasons: tuple[str, ...]


def judge_alone(candidate: RunVerdicts, settings: RunSettings) -> JudgedAlone:
    """Judge a run without a baseline by the limits that need none; ``MEASURED`` within them all.

    Args:
        candidate: of ``verdicts_from_rows``.
        settings: the candidate's; ``relations`` without a row have no group.
    """
    ids = dict.fromkeys((*candidate, *settings.relations))
    now = [candidate.get(relation, RelationVerdicts(id=relation)) for relation in ids]
    notes = findings.of_limits(now, settings)
    verdict = GateVerdict(notes[0].decision.value) if notes else GateVerdict.MEASURED
    return JudgedAlone(
        verdict, exit_code(verdict, settings), tuple(note.sentence for note in notes)
    )


class Judged(NamedTuple):
    """What the gate says of each relation, of all together, and why."""

    verdict: GateVerdict
    exit_code: int
    reasons: tuple[str, ...]
    relations: Mapping[str, Comparison]
    overall: Comparison
    slices: Mapping[str, Mapping[str, Comparison]] = {}


def _judged(
    each: Mapping[str, Measured],
    pooled: Measured,
    found: Mapping[str, Sequence[Finding]],
    notes: Sequence[Note],
    settings: RunSettings,
) -> Judged:
    """Return what measured relations come to.

    Args:
        each: by id.
        pooled: those that block, together.
        found: what the rules find of each.
        notes: what weighs on the verdict beside them.
        settings: of the run.
    """
    tiers = {relation: settings.policy.tier(relation) for relation in each}
    of_all = findings.of_pool(pooled, empty=bool(tiers) and Tier.BLOCK not in tiers.values())
    notes = [
        *notes,
        *findings.of_strict(each, settings),
        *findings.of_alpha(each, settings),
    ]
    compared = _compared(each, tiers)
    verdict = _verdict(_weights(found, of_all, notes, tiers, settings), settings, compared)
    code = exit_code(verdict, settings)
    failing = code == errors.REGRESSION
    return Judged(
        verdict,
        code,
        _reasons(verdict, found, of_all, notes, settings),
        {
            relation: _decided(measured, found[relation], failing, tiers[relation])
            for relation, measured in each.items()
        },
        _decided(pooled, of_all, failing),
        {
            relation: {
                name: _decided(of, [findings.of_slice(of)], failing, tiers[relation])
                for name, of in measured.slices.items()
            }
            for relation, measured in each.items()
            if measured.slices
        },
    )


def _compared(each: Mapping[str, Measured], tiers: Mapping[str, Tier]) -> bool:
    """Whether a relation that gives the run its verdict was compared: one that blocks, if any does.

    What warns takes the place of what blocks only where nothing of the run blocks.
    """
    judging = Tier.BLOCK if Tier.BLOCK in tiers.values() else Tier.WARN
    return any(
        measured.test.p_value is not None and tiers[relation] is judging
        for relation, measured in each.items()
    )


def compare_alone(
    candidate: RelationVerdicts, baseline: RelationVerdicts, settings: RunSettings
) -> Comparison:
    """Judge verdicts that are tested by themselves: the same test, no other beside it.

    Args:
        candidate: with the source of each of its groups.
        baseline: of the same groups.
        settings: of which ``alpha`` and ``margin`` count.
    """
    measured = measure_alone(pair(candidate, [baseline]), settings)
    return _decided(measured, findings.of_test(measured), True)


def _decided(
    measured: Measured, found: Sequence[Finding], failing: bool, tier: Tier = Tier.BLOCK
) -> Comparison:
    """Take the worst finding, the first rule that came to it, and every sentence that did.

    Args:
        measured: the figures.
        found: what the rules found of them, in their order.
        failing: whether the run fails; what is open then does not, if nothing could be judged.
        tier: of the relation.
    """
    settings = measured.settings
    worst = findings.worst(found, tier, settings)
    sentences = [finding.sentence for finding in found if finding.decision is worst.decision]
    return Comparison(
        **msgspec.structs.asdict(measured.figures),
        decision=worst.decision,
        rule=worst.rule,
        fails=failing and findings.fails(worst, tier, settings),
        reason="; ".join(sentences),
    )


def _weights(
    found: Mapping[str, Sequence[Finding]],
    of_all: Sequence[Finding],
    notes: Sequence[Note],
    tiers: Mapping[str, Tier],
    settings: RunSettings,
) -> list[GateVerdict]:
    """Return what each relation, all together and each note come to in the verdict of the run."""
    return [
        *(_weight(of_it, tiers[relation], settings) for relation, of_it in found.items()),
        _weight(of_all, Tier.BLOCK, settings),
        *(GateVerdict(note.decision.value) for note in notes),
    ]


def _weight(found: Sequence[Finding], tier: Tier, settings: RunSettings) -> GateVerdict:
    """Return what a relation's findings come to in the verdict of the run, its tier counted in."""
    worst = findings.worst(found, tier, settings)
    if not findings.fails(worst, tier, settings) and rules.warns_in(tier, worst.decision, settings):
        return GateVerdict.WARNING
    if worst.decision in (Decision.NOT_COMPARABLE, Decision.NOT_JUDGED):
        return GateVerdict.PASS
    return GateVerdict(worst.decision.value)


def _verdict(
    weights: Collection[GateVerdict], settings: RunSettings, compared: bool
) -> GateVerdict:
    """Return the worst that was found; where no relation was compared, never a pass."""
    for verdict in (GateVerdict.REGRESSION, GateVerdict.COLLAPSE):
        if verdict in weights:
            return verdict
    if not compared:
        return GateVerdict.CANNOT_JUDGE
    open_ones = (GateVerdict.INCONCLUSIVE, GateVerdict.WARNING)
    # A certain loss comes before what is open, unless that fails the build.
    order = open_ones if settings.strict else reversed(open_ones)
    wanted = (*order, GateVerdict.IMPROVED)
    return next((verdict for verdict in wanted if verdict in weights), GateVerdict.PASS)


def _name_pool(relations: Iterable[str], settings: RunSettings) -> str:
    """Return what sentences call the relations that are tested together."""
    blocking = [name for name in relations if settings.policy.tier(name) is Tier.BLOCK]
    if len(rules.pooled(blocking, settings)) < len(metamorphic(blocking)):
        return SAME_MARGIN
    return BLOCKING if settings.policy.has_tiers else TOGETHER


def _reasons(
    verdict: GateVerdict,
    found: Mapping[str, Sequence[Finding]],
    of_all: Sequence[Finding],
    notes: Sequence[Note],
    settings: RunSettings,
) -> tuple[str, ...]:
    """Return the sentences behind the verdict, worst first, then the notes that fail nothing.

    A relation without a rise says so in its own comparison; the pool speaks for
    it here, so that even a pass comes with its interval.
    """
    named = [
        (findings.rank(finding, tier, settings), f"{relation}{TIERED[tier]}: {finding.sentence}")
        for relation, of_it in found.items()
        for tier in (settings.policy.tier(relation),)
        for finding in of_it
        if finding.rule is not Rule.NO_RISE
    ]
    together = _name_pool(found, settings)
    named += [
        (findings.rank(finding, Tier.BLOCK, settings), f"{together}: {finding.sentence}")
        for finding in of_all
    ]
    failing = [note for note in notes if fails(note.decision, settings)]
    named += [((False, findings.severity(note)), note.sentence) for note in failing]
    named.sort(key=lambda item: item[0])
    sentences = [sentence for _, sentence in named]
    sentences += [note.sentence for note in notes if note not in failing]
    if verdict is GateVerdict.CANNOT_JUDGE:
        tiers = {settings.policy.tier(relation) for relation in found}
        sentences.insert(0, NOTHING_JUDGED if tiers == {Tier.REPORT} else nothing_compared(tiers))
    return tuple(sentences)
