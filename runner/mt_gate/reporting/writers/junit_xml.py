"""JUnit XML: a suite a task, a case a relation, a case a newly violated group.

The file agrees with the exit code: a run that passes has no failures in it, a
run that fails has at least one, a run that cannot be judged has an error.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Protocol

import junit_xml as package  # carries no types

from mt_gate.base import figures
from mt_gate.base.escaping import visible
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.beside import was
from mt_gate.reporting.words.churn import churn_line, over_limits
from mt_gate.reporting.words.gathering import Gathered, Kind, Rows, gather, shown
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, renderer
from mt_gate.reporting.words.policy import promises
from mt_gate.reporting.words.rendering import shows_original_alone, what_broke
from mt_gate.reporting.words.signature import signature
from mt_gate.reporting.words.strata import stratum_rates
from mt_gate.reporting.words.texts import (
    VERDICT_WORDS,
    Catalogue,
    decision_words,
    pooled_title,
    sentence,
    text_of,
)
from mt_gate.results import rules
from mt_gate.results.result import (
    Churn,
    Comparison,
    Decision,
    GateVerdict,
    GroupRow,
    Overall,
    RelationResult,
    Result,
    is_loss,
)
from mt_gate.settings.policy import Tier

GROUPS_SHOWN = 50
"""Cases of newly violated groups, a relation."""

_LONGEST_NAME = 160


class Case(Protocol):
    """A test case of the junit-xml package, which has no types of its own."""

    stdout: str

    def add_failure_info(self, message: str, output: str, failure_type: str) -> None:
        """Make the case a failure."""

    def add_error_info(self, message: str, output: str, error_type: str) -> None:
        """Make the case an error."""

    def add_skipped_info(self, message: str) -> None:
        """Make the case skipped."""


def _case(name: str, classname: str, stdout: str = "") -> Case:
    """Return a test case; ``stdout`` is already made safe."""
    case: Case = package.TestCase(visible(name), classname=visible(classname), stdout=stdout)
    return case


def _figures(comparison: Comparison) -> str:
    """Return the figures a decision rests on."""
    return ", ".join(
        (
            f"difference {figures.points(comparison.delta)}",
            f"95 % interval {figures.interval(comparison.ci95)} pp",
            f"p {figures.p_value(comparison.p_value)}",
            f"p adjusted {figures.p_value(comparison.p_adjusted)}",
            f"minimum detectable effect {figures.size_in_points(_effect(comparison))}",
            figures.counted(comparison.pairs, "pair"),
            f"{figures.count(comparison.new_violations)} newly violated",
            f"{figures.count(comparison.fixed_violations)} fixed",
        )
    )


def _effect(comparison: Comparison) -> float | None:
    """Return the rise that would be found; a regression was found, however large it is."""
    found = comparison.decision is Decision.REGRESSION
    return comparison.minimum_detectable_effect if found else rules.detectable(comparison)


def _shares(comparison: Comparison) -> str:
    """Return how the shares of groups moved that a collapse rests on."""
    found = comparison.applicability
    if found is None:
        return ""
    return "".join(
        f"; share of {name} groups from {figures.percent(share.baseline)} to "
        f"{figures.percent(share.candidate)}, p adjusted {figures.p_value(share.p_adjusted)}"
        for name, share in (("applicable", found.applicable), ("answered", found.answered))
    )


def _show(case: Case, entry: RelationResult | Overall, comparison: Comparison) -> None:
    """Write a comparison into a test case, as a failure where it is one."""
    word = decision_words(entry)
    message = visible(f"{word}: {_figures(comparison)}{_shares(comparison)}")
    if comparison.fails:
        case.add_failure_info(message, visible(comparison.reason), str(comparison.decision))
    elif comparison.decision is Decision.NOT_COMPARABLE:
        case.add_skipped_info(visible(f"{word}: {comparison.reason}"))
    else:
        case.stdout += f"\n{message}\n{visible(comparison.reason)}"


def _not_applicable(relation: RelationResult) -> str:
    reasons = ", ".join(f"{reason}: {n}" for reason, n in relation.not_applicable.items())
    return f"No group is applicable ({reasons or 'the suite has none'})."


def _relation_case(relation: RelationResult, result: Result, catalogue: Catalogue) -> Case:
    case = _case(relation.id, f"mt-gate.{result.suite.task}")
    rate = figures.percent(relation.violation_rate)
    counts = f"{figures.count(relation.violated)} of {figures.count(relation.applicable)}"
    case.stdout = visible(
        f"{text_of(catalogue, relation.id).title}: {counts} applicable groups violated ({rate})"
        + (f"\ntier {relation.tier}" if result.settings.policy.has_tiers else "")
        + "".join(f"\n{line}" for line in stratum_rates(relation))
    )
    found = relation.comparison
    if found is not None and (found.fails or is_loss(found.decision)):
        _show(case, relation, found)
    elif relation.applicable == 0:
        case.add_skipped_info(visible(_not_applicable(relation)))
    elif found is not None:
        _show(case, relation, found)
    elif result.verdict is GateVerdict.CANNOT_JUDGE:
        case.add_skipped_info("Measured, but not compared with a baseline.")
    return case


def _group_text(row: GroupRow, task: str) -> str:
    render = renderer(task)
    second, edit = render.second(row), render.edit(row)
    alone = shows_original_alone(row)
    lines = [
        f"{'text:     ' if alone else 'source:   '} {marks.plain(render.sentence(row, SOURCE))}",
        *([f"second:    {marks.plain(second)}"] if second else []),
        *([] if alone else [f"follow-up: {marks.plain(render.sentence(row, FOLLOW_UP))}"]),
        *([f"edit:      {edit}"] if edit else []),
        *(f"broken by: {line}" for line in what_broke(row, render)),
        *(f"baseline:  {line}" for line in was(row, render)),
        f"group {row.id}, source {row.source_id}",
    ]
    context = render.context(row)
    if context:
        lines.insert(2, f"with:      {' '.join(context.split())}")
    if row.unstable:
        lines.append("Numerical noise alone could flip this group.")
    return visible("\n".join(lines))


def _group_case(row: GroupRow, relation: RelationResult, result: Result) -> Case:
    task = result.suite.task
    text = "".join(segment.text for segment in renderer(task).sentence(row, SOURCE).segments)
    name = shorten(f"{row.id} {' '.join(text.split())}", _LONGEST_NAME)
    case = _case(name, f"mt-gate.{relation.id.replace('/', '.')}")
    broke = what_broke(row, renderer(task))
    comparison = relation.comparison
    if comparison is not None and comparison.fails:
        message = f"Newly violated: {'; '.join(broke) or relation.id}"
        case.add_failure_info(visible(message), _group_text(row, task), "newly-violated")
    else:
        does = "warns only" if relation.tier is Tier.WARN else "passes"
        case.stdout = f"Newly violated, in a relation that {does}.\n{_group_text(row, task)}"
    return case


def _group_cases(relation: RelationResult, result: Result, gathered: Gathered) -> Iterator[Case]:
    new = shown(gathered, relation.id, Kind.NEW)
    for row in [*new][:GROUPS_SHOWN]:
        yield _group_case(row, relation, result)
    left = new.total - GROUPS_SHOWN
    if left > 0:
        more = figures.counted(left, "more newly violated group")
        case = _case("further newly violated groups", f"mt-gate.{relation.id.replace('/', '.')}")
        case.stdout = f"{more}; all of them are in groups.jsonl.gz."
        yield case


def _gate_case(result: Result, catalogue: Catalogue) -> Case:
    """Return the case of the whole run: it carries verdict, reasons and notes."""
    case = _case("verdict", f"mt-gate.{result.suite.task}")
    head = f"{VERDICT_WORDS[result.verdict]}: {sentence(result, catalogue)}"
    lines = [head, *result.reasons, *result.notes, *promises(result, catalogue)]
    text = visible("\n".join(lines))
    if result.exit_code == 0:
        case.stdout = text
    elif result.exit_code == 1:
        case.add_failure_info(visible(head), text, str(result.verdict))
    else:
        case.add_error_info(visible(head), text, str(result.verdict))
    return case


def _churn_case(result: Result, churn: Churn) -> Case:
    """Return the case of what changed: a failure where it is above its limit."""
    case = _case("what changed", f"mt-gate.{result.suite.task}")
    if over := over_limits(result):
        message = f"Above the limit: {over}"
        case.add_failure_info(visible(message), visible(churn_line(churn)), "churn")
    else:
        case.stdout = visible(churn_line(churn))
    return case


def _cases(result: Result, gathered: Gathered, catalogue: Catalogue) -> Iterator[Case]:
    yield _gate_case(result, catalogue)
    if result.overall.comparison is not None:
        pooled = _case(pooled_title(result), f"mt-gate.{result.suite.task}")
        _show(pooled, result.overall, result.overall.comparison)
        yield pooled
    if result.churn is not None:
        yield _churn_case(result, result.churn)
    for relation in result.relations:
        yield _relation_case(relation, result, catalogue)
        yield from _group_cases(relation, result, gathered)


def _properties(result: Result) -> dict[str, str]:
    found = {
        "signature": signature(result),
        "verdict": str(result.verdict),
        "checkpoint": result.checkpoint.name,
        "checkpoint-fingerprint": result.checkpoint.fingerprint or "none",
        "suite-sha256": result.suite.sha256,
    }
    if result.baseline is not None:
        found["baseline"] = result.baseline.path
    return {name: visible(value) for name, value in found.items()}


def _serialise(cases: Sequence[Case], result: Result) -> str:
    """Return the XML of one suite, as Jenkins' schema has it."""
    suite = package.TestSuite(
        visible(f"mt-gate {result.suite.task}"),
        cases,
        timestamp=visible(result.created),
        properties=_properties(result),
    )
    return _document(suite.build_xml_doc(encoding="utf-8"), max(result.timing.total, 0))


def _document(suite: ET.Element, seconds: float) -> str:
    """Return a document of one suite.

    The package's own adds ``disabled``, which the schema has not, sums times with more digits than
    the schema allows, and is indented by a parser that turns line breaks in attributes to spaces.
    """
    del suite.attrib["disabled"]
    suite.set("time", figures.milliseconds(seconds))
    counted = ("errors", "failures", "tests", "time")
    root = ET.Element("testsuites", {name: suite.attrib[name] for name in counted})
    root.append(suite)
    ET.indent(root)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ET.tostring(root, encoding="unicode") + "\n"


def render(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the JUnit XML of a run from groups already gathered."""
    return _serialise([*_cases(result, gathered, catalogue)], result)


def junit(result: Result, rows: Rows, catalogue: Catalogue) -> str:
    """Return the JUnit XML of a run.

    Args:
        result: the run.
        rows: returns a fresh iterator over the run's groups.
        catalogue: title, description and example of each relation.
    """
    return render(result, gather(result, rows), catalogue)
