"""The sentences on what changed, which reports say as well."""

from __future__ import annotations

from mt_gate.base.figures import between, count, counted, decimals_apart, percent
from mt_gate.results.result import Churn, Flips, LabelledFlips


def over_churn(name: str, churn: Churn, limit: float) -> str:
    """Say that more changed than is allowed, beyond chance."""
    if name == "max_churn":
        assert churn.answers is not None, "of a churn that was counted"
        flips = churn.answers.inputs
        return f"{answers_differ(flips)}, {_above(flips, 'max-churn', limit)}"
    flips = churn.labelled.negative if churn.labelled else churn.groups
    turned = labelled_turned(churn.labelled) if churn.labelled else groups_turned(churn.groups)
    return f"{turned}, {_above(flips, 'max-negative-flips', limit)}"


def answers_differ(flips: Flips) -> str:
    """Say how many answers are others."""
    return f"{_turned(flips, 'answer')} differ from the baseline's ({_rate(flips)})"


def groups_turned(flips: Flips) -> str:
    """Say how many groups held before and are violated now."""
    return f"{_turned(flips, 'group')} turned from held to violated ({_rate(flips)})"


def labelled_turned(found: LabelledFlips) -> str:
    """Say how many labelled inputs were right before and are wrong now."""
    turned = _turned(found.negative, "labelled input")
    return f"{turned} turned from right to wrong ({_rate(found.negative)})"


def churn_unchecked() -> str:
    """Say that there are no answers of the baseline to count other answers by."""
    return "max-churn was not checked: the baseline's answers are not known; record it with them"


def negative_flips_unchecked() -> str:
    """Say that the baseline was not asked the labelled inputs of this run."""
    return (
        "max-negative-flips was not checked: the baseline was not asked these labelled inputs; "
        "record one of a run with the same --labels"
    )


def no_group_in_both() -> str:
    """Say that there is no group that could have turned."""
    return (
        "max-negative-flips was not checked: no group of the suite has a verdict in both runs "
        "(groups built at run time do not count)"
    )


def _above(flips: Flips, setting: str, limit: float) -> str:
    """Say that the interval is above a limit, with its end where both would look alike."""
    least = flips.ci95[0] if flips.ci95 else limit
    decimals = decimals_apart(least, limit)
    end = f" (from {percent(least, decimals)} on)" if decimals > 1 else ""
    return f"surely above {setting} {percent(limit, decimals)}{end}"


def _turned(flips: Flips, noun: str) -> str:
    return f"{count(flips.number)} of {counted(flips.of, noun)}"


def _rate(flips: Flips) -> str:
    return f"{percent(flips.rate)}, 95 % interval {between(flips.ci95)}"
