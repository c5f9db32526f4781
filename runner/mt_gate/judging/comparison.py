"""A candidate's verdicts against a baseline's: what got worse, and is it certain.

Both runs are reduced to ``RelationVerdicts``, paired, measured over sources, and judged by the
rules of ``findings``. Nothing here reads a file or a clock, and the same verdicts give the same
decisions in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from mt_gate.base import errors
from mt_gate.judging import findings
from mt_gate.judging.churn import group_flips
from mt_gate.judging.findings import Finding, Note, severity
from mt_gate.judging.measuring import Measured, measure_all, measure_alone
from mt_gate.judging.pairing import changes, pair
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.judging.wording import NOTHING_COMPARED, TOGETHER
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the gate says: of each relation, of all together, and why.

    ``changes`` gives the move of each group that has a verdict in both runs.
    """

    verdict: GateVerdict
    exit_code: int
    reasons: tuple[str, ...]
    relations: Mapping[str, Comparison]
    overall: Comparison
    changes: Mapping[str, Change]
    churn: Churn


class Beside(NamedTuple):
    """What is known of two runs beside their verdicts.

    ``same``: they are of one checkpoint, by fingerprint. ``answers`` and ``flips`` are what they
    answered otherwise; ``labelled`` says whether the candidate was asked labelled inputs.
    """

    same: bool = False
    answers: AnswerChurn | None = None
    flips: LabelledFlips | None = None
    labelled: bool = False


def compare(
    candidate: RunVerdicts,
    baselines: Sequence[RunVerdicts],
    settings: RunSettings,
    beside: Beside = Beside(),  # noqa: B008 - immutable
) -> Outcome:
    """Judge a candidate against the runs of a baseline.

    Args:
        candidate: of ``verdicts_from_rows``; with the sources of its groups.
        baselines: at least one, of ``verdicts_from_rows`` or of a baseline file.
        settings: the candidate's; ``relations`` without a row are not comparable.
        beside: what else is known of the two.

    Returns:
        A ``Comparison`` for each relation of the candidate, then for all
        together, and the verdict, exit code and reasons that follow from them.
    """
    ids = tuple(dict.fromkeys((*candidate, *settings.relations)))
    nothing = {relation: RelationVerdicts(id=relation) for relation in ids}
    now = [candidate.get(relation, nothing[relation]) for relation in ids]
    before = [tuple(run.get(relation, nothing[relation]) for run in baselines) for relation in ids]
    pairings = [pair(new, old) for new, old in zip(now, before, strict=True)]
    *each, pooled = measure_all(now, before, pairings, settings, same=beside.same)
    moved = changes(now, before, pairings)
    churn = Churn(groups=group_flips(moved, now), answers=beside.answers, labelled=beside.flips)
    found = [
        findings.of_relation(measured, verdicts, settings)
        for measured, verdicts in zip(each, now, strict=True)
    ]
    of_all = findings.of_pool(pooled, settings)
    notes = [
        *findings.of_run(candidate, baselines, now, settings),
        *findings.of_churn(churn, beside.labelled, settings),
        *findings.of_strict(dict(zip(ids, each, strict=True)), settings),
    ]
    compared = any(measured.test.p_value is not None for measured in each)
    verdict = _verdict([*found, of_all], notes, compared)
    code = exit_code(verdict, settings)
    failing = code == errors.REGRESSION
    return Outcome(
        verdict=verdict,
        exit_code=code,
        reasons=_reasons(verdict, dict(zip(ids, found, strict=True)), of_all, notes),
        relations={
            relation: _decided(measured, of_it, failing, settings)
            for relation, measured, of_it in zip(ids, each, found, strict=True)
        },
        overall=_decided(pooled, of_all, failing, settings),
        changes=moved,
        churn=churn,
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
    return _decided(measured, findings.of_test(measured, settings), True, settings)


def _decided(
    measured: Measured, found: Sequence[Finding], failing: bool, settings: RunSettings
) -> Comparison:
    """Take the worst finding, the first rule that came to it, and every sentence that did.

    Args:
        measured: the figures.
        found: what the rules found of them, in their order.
        failing: whether the run fails; what is open then does not, if nothing could be judged.
        settings: which say whether that fails.
    """
    worst = min(found, key=severity)
    sentences = [finding.sentence for finding in found if finding.decision is worst.decision]
    return Comparison(
        **msgspec.structs.asdict(measured.figures),
        decision=worst.decision,
        rule=worst.rule,
        fails=failing and fails(worst.decision, settings),
        reason="; ".join(sentences),
    )


def _verdict(
    found: Sequence[Sequence[Finding]], notes: Sequence[Note], compared: bool
) -> GateVerdict:
    """Return the worst decision; where no relation was compared, never a pass."""
    decisions = {min(of_it, key=severity).decision for of_it in found}
    decisions |= {note.decision for note in notes}
    for decision in (Decision.REGRESSION, Decision.COLLAPSE):
        if decision in decisions:
            return GateVerdict(decision.value)
    if not compared:
        return GateVerdict.CANNOT_JUDGE
    for decision in (Decision.INCONCLUSIVE, Decision.IMPROVED):
        if decision in decisions:
            return GateVerdict(decision.value)
    return GateVerdict.PASS


def _reasons(
    verdict: GateVerdict,
    found: Mapping[str, Sequence[Finding]],
    of_all: Sequence[Finding],
    notes: Sequence[Note],
) -> tuple[str, ...]:
    """Return the sentences behind the verdict, worst first, then the notes.

    A relation without a rise says so in its own comparison; the pool speaks for
    it here, so that even a pass comes with its interval.
    """
    named = [
        (finding, f"{relation}: {finding.sentence}")
        for relation, of_it in found.items()
        for finding in of_it
        if finding.rule is not Rule.NO_RISE
    ]
    named += [(finding, f"{TOGETHER}: {finding.sentence}") for finding in of_all]
    named.sort(key=lambda item: severity(item[0]))
    sentences = [sentence for _, sentence in named] + [note.sentence for note in notes]
    if verdict is GateVerdict.CANNOT_JUDGE:
        sentences.insert(0, NOTHING_COMPARED)
    return tuple(sentences)
