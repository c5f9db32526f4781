"""What to do now: one sentence for a reader who knows the team's release and no statistics."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.baselines.schema import NAME
from mt_gate.results import rules
from mt_gate.results.result import GateVerdict, Result, SuiteHead
from mt_gate.tasks.table import TASKS


class Advice(NamedTuple):
    """What to do, and the command to do it with; either may be empty."""

    words: str = ""
    command: str = ""


def advice(result: Result) -> Advice:
    """Return what follows from the verdict; empty where the reasons already say what to do."""
    if result.baseline is not None and result.baseline.against:
        return _of_two(result)
    record = f"mt-gate baseline record RUN --name {_name(result)}"
    accept = f'{record} --accept "reason"'
    recorded = "record this run as the baseline"
    judged_by = "To judge later runs by this one:"
    if result.early is not None and result.early.stopped:  # such a run is not recorded
        recorded = "run it again without --early-stop, record that run as the baseline"
        judged_by = "To judge later runs by it, run it again without --early-stop:"
    match result.verdict:
        case GateVerdict.REGRESSION:
            return Advice(
                "Read the newly violated groups. If they are worse answers, keep the old "
                f"checkpoint. To accept it, {recorded} and say why:",
                accept,
            )
        case GateVerdict.COLLAPSE:
            return Advice(
                "Look at what it answers: labels or tokenizer may be exported wrongly. "
                f"To accept it, {recorded} and say why:",
                accept,
            )
        case GateVerdict.WARNING:
            return Advice(
                "By the policy nothing stands against a release. Read the newly violated groups of "
                "what is named all the same. To record this run as the baseline, say why:",
                accept,
            )
        case GateVerdict.INCONCLUSIVE:
            return Advice(
                "Nothing shows that it got worse, and nothing that it did not: read the groups of "
                "what is named before you release it."
            )
        case GateVerdict.PASS:
            return Advice(f"Nothing stands against a release.{_larger(result)}")
        case GateVerdict.IMPROVED:
            return Advice(f"Nothing stands against a release. {judged_by}", record)
        case GateVerdict.MEASURED:
            return Advice(judged_by, record)
        case _:
            return Advice()


def _of_two(result: Result) -> Advice:
    """Return what follows where two were run in one job: there is no baseline to record."""
    match result.verdict:
        case GateVerdict.REGRESSION:
            return Advice(
                "Read the newly violated groups. If they are worse answers, keep the base. To "
                "allow a larger loss, raise the margin, and say why where it is set."
            )
        case GateVerdict.COLLAPSE:
            return Advice(
                "Keep the base, and look at what the candidate answers: it may be exported wrongly."
            )
        case GateVerdict.WARNING:
            return Advice(
                "By the policy nothing stands against using it in the base's place. Read the newly "
                "violated groups of what is named all the same."
            )
        case GateVerdict.INCONCLUSIVE:
            return Advice(
                "Nothing shows that it got worse, and nothing that it did not: read the groups of "
                "what is named before you use it in the base's place."
            )
        case GateVerdict.PASS:
            words = "Nothing stands against using it in the base's place."
            return Advice(f"{words}{_larger(result, 'use a larger suite')}")
        case GateVerdict.IMPROVED:
            return Advice("Nothing stands against using it in the base's place.")
        case _:
            return Advice()


def first_name(suite: SuiteHead) -> str:
    """Return what a first baseline is best called: the task, else a suite that is not its default.

    The action looks for the task's by itself; suites of one task need a baseline each.
    """
    if suite.name == TASKS[suite.task].default_suite or not NAME.fullmatch(suite.name):
        return suite.task
    return suite.name


def _name(result: Result) -> str:
    return result.baseline.name if result.baseline else first_name(result.suite)


def _larger(
    result: Result,
    todo: str = "record several runs of the baseline's recipe, or use a larger suite",
) -> str:
    """Say what finds smaller losses, where a loss of some size could have been missed."""
    pooled = result.overall.comparison
    if pooled is None or pooled.unchanged or pooled.minimum_detectable_effect is None:
        return ""
    effect = rules.detectable(pooled)
    if effect is None:
        return f" To find losses that could have been missed, {todo}."
    return f" If a loss of less than {figures.size_in_points(effect)} matters to you, {todo}."
