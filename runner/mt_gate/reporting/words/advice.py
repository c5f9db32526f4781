"""What to do now: one sentence for a reader who knows the team's release and no statistics."""

from __future__ import annotations

from mt_gate.base import figures
from mt_gate.results.result import GateVerdict, Result

_ACCEPT = (
    "To accept it, record this run as the baseline and say why: mt-gate baseline record RUN "
    '--name {name} --accept "reason".'
)
_RECORD = "To judge later runs by this one: mt-gate baseline record RUN --name {name}."


def advice(result: Result) -> str:
    """Return what follows from the verdict; empty where the reasons already say what to do."""
    name = result.baseline.name if result.baseline else result.suite.task
    match result.verdict:
        case GateVerdict.REGRESSION:
            looked = "Read the newly violated groups. If they are worse answers, keep the old"
            return f"{looked} checkpoint. {_ACCEPT.format(name=name)}"
        case GateVerdict.COLLAPSE:
            likely = "Look at what it answers: labels or tokenizer may be exported wrongly."
            return f"{likely} {_ACCEPT.format(name=name)}"
        case GateVerdict.INCONCLUSIVE:
            return (
                "Nothing shows that it got worse, and nothing that it did not: read the groups of "
                "what is named before you release it."
            )
        case GateVerdict.PASS:
            return f"Nothing stands against a release.{_larger(result)}"
        case GateVerdict.IMPROVED:
            return f"Nothing stands against a release. {_RECORD.format(name=name)}"
        case GateVerdict.MEASURED:
            return _RECORD.format(name=name)
        case _:
            return ""


def _larger(result: Result) -> str:
    """Say what finds smaller losses, where a loss of some size could have been missed."""
    pooled = result.overall.comparison
    if pooled is None or pooled.unchanged or pooled.minimum_detectable_effect is None:
        return ""
    size = figures.size_in_points(pooled.minimum_detectable_effect)
    return (
        f" If a loss of less than {size} matters to you, record several runs of the baseline's "
        "recipe, or use a larger suite."
    )
