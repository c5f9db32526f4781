"""JUnit XML: a suite a task, a case a relation, a case a newly violated group.

The file agrees with the exit code: a run that passes has no failures in it, a
run that fails has at least one, a run that cannot be judged has an error.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import junit_xml as package  # carries no types

from mt_gate.base import figures
from mt_gate.base.escaping import visible
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words import rendering, texts
from mt_gate.reporting.words.both_answers import changed_answers
from mt_gate.reporting.words.gathering import Gathered, Kind, Shown
from mt_gate.reporting.words.repeating import signature
from mt_gate.reporting.words.sentences import sentence
from mt_gate.reporting.words.tables import (
    churn_line,
    over_limits,
    promises,
    shown_effect,
    stratum_rates,
)
from mt_gate.reporting.words.texts import Catalogue, Counts
from mt_gate.results.result import (
    Comparison,
    Decision,
    GateVerdict,
    GroupRow,
    RelationResult,
    Result,
    is_loss,
)
from mt_gate.settings.policy import Tier

GROUPS_SHOWN = 50
"""Cases of newly violated groups, a relation."""
_LONGEST_NAME = 160
Case = Any
"""A test case of the junit-xml package, which has no types of its own."""


def junit(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the JUnit XML of a run, as Jenkins' schema has it."""
    properties = {
        "signature": signature(result),
        "verdict": str(result.verdict),
        "checkpoint": result.checkpoint.name,
        "checkpoint-fingerprint": result.checkpoint.fingerprint or "none",
        "suite-sha256": result.suite.sha256,
        **({"baseline": result.baseline.path} if result.baseline else {}),
    }
    suite = package.TestSuite(
        visible(f"mt-gate {result.suite.task}"),
        [*_cases(result, gathered, catalogue)],
        timestamp=visible(result.created),
        properties={name: visible(value) for name, value in properties.items()},
    ).build_xml_doc(encoding="utf-8")
    # The package's own document adds ``disabled``, which the schema has not, sums times with more
    # digits than it allows, and turns line breaks in attributes to spaces.
    del suite.attrib["disabled"]
    suite.set("time", figures.milliseconds(max(result.timing.total, 0)))
    counted = ("errors", "failures", "tests", "time")
    root = ET.Element("testsuites", {name: suite.attrib[name] for name in counted})
    root.append(suite)
    ET.indent(root)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + ET.tostring(root, encoding="unicode") + "\n"


def _cases(result: Result, gathered: Gathered, catalogue: Catalogue) -> Iterator[Case]:
    head = f"{texts.VERDICT_WORDS[result.verdict]}: {sentence(result, catalogue)}"
    reasons = map(texts.with_title(catalogue), result.reasons)
    text = "\n".join([head, *reasons, *result.notes, *promises(result, catalogue)])
    whole = _case("verdict", result.suite.task, "" if result.exit_code else text)
    if result.exit_code:
        add = whole.add_failure_info if result.exit_code == 1 else whole.add_error_info
        add(visible(head), visible(text), str(result.verdict))
    yield whole
    if result.overall.comparison is not None:
        pooled = _case(texts.pooled_title(result), result.suite.task)
        _show(pooled, result.overall, result.overall.comparison)
        yield pooled
    if result.churn is not None:
        line, over = churn_line(result.churn), over_limits(result)
        changed = _case("changed predictions", result.suite.task, "" if over else line)
        if over:
            changed.add_failure_info(visible(f"Too many {over}"), visible(line), "churn")
        yield changed
    for relation in result.relations:
        yield _relation_case(relation, result, catalogue)
        new = gathered.get((relation.id, Kind.NEW), Shown())
        for row in new.rows[:GROUPS_SHOWN]:
            yield _group_case(row, relation, result)
        if new.total > GROUPS_SHOWN:
            more = figures.counted(new.total - GROUPS_SHOWN, "more newly violated case")
            note = f"{more}, all of them in groups.jsonl.gz."
            yield _case("further newly violated cases", relation.id.replace("/", "."), note)


def _case(name: str, classname: str, stdout: str = "") -> Case:
    return package.TestCase(
        visible(name), classname=visible(f"mt-gate.{classname}"), stdout=visible(stdout)
    )


def _show(case: Case, entry: Counts, comparison: Comparison) -> None:
    """Write a comparison into a test case, as a failure where it is one."""
    parts = (
        figures.change(comparison.delta, comparison.ci95),
        f"uncorrected {figures.significance(comparison.p_value)}",
        f"corrected {figures.significance(comparison.p_adjusted)}",
        f"detectable (80% power) {figures.size_in_points(shown_effect(comparison))}",
        f"{figures.counted(comparison.pairs, 'case')} compared",
        f"{figures.count(comparison.new_violations)} newly violated",
        f"{figures.count(comparison.fixed_violations)} fixed",
    )
    message, moved = ", ".join(parts), comparison.applicability
    for name, share in (
        (("testable", moved.applicable), ("predicted", moved.answered)) if moved else ()
    ):
        message += (
            f"; {name} cases {figures.moved(share.baseline, share.candidate)} "
            f"({figures.significance(share.p_adjusted)})"
        )
    word, reason = texts.state_words(entry), visible(comparison.reason)
    message = visible(f"{word}: {message}")
    if comparison.fails:
        case.add_failure_info(message, reason, str(comparison.decision))
    elif comparison.decision is Decision.NOT_COMPARABLE:
        case.add_skipped_info(visible(f"{word}: {comparison.reason}"))
    else:
        case.stdout += f"\n{message}\n{reason}"


def _relation_case(relation: RelationResult, result: Result, catalogue: Catalogue) -> Case:
    rate = figures.percent(relation.violation_rate)
    counts = f"{figures.count(relation.violated)} of {figures.count(relation.applicable)}"
    title = texts.text_of(catalogue, relation.id).title
    lines = [f"{title}: {counts} cases violated ({rate})", *stratum_rates(relation)]
    if result.settings.policy.has_tiers:
        lines.insert(1, f"tier {relation.tier}")
    case = _case(relation.id, result.suite.task, "\n".join(lines))
    comparison = relation.comparison
    if comparison is not None and (
        relation.applicable or comparison.fails or is_loss(comparison.decision)
    ):
        _show(case, relation, comparison)
    elif relation.applicable == 0:
        reasons = ", ".join(f"{reason}: {n}" for reason, n in relation.not_applicable.items())
        reasons = reasons or "the suite has none"
        case.add_skipped_info(visible(f"No case could be tested ({reasons})."))
    elif result.verdict is GateVerdict.CANNOT_JUDGE:
        case.add_skipped_info("Measured, but not compared with a baseline.")
    return case


def _group_case(row: GroupRow, relation: RelationResult, result: Result) -> Case:
    render = rendering.renderer(result.suite.task)
    source, second = render.sentence(row, rendering.SOURCE), render.second(row)
    broke, alone = rendering.what_broke(row, render), rendering.shows_original_alone(row)
    lines = [f"{'text:     ' if alone else 'original: '} {rendering.plain(source)}"]
    if second:
        lines.append(f"second:    {rendering.plain(second)}")
    if not alone:
        lines.append(f"edited:    {rendering.plain(render.sentence(row, rendering.FOLLOW_UP))}")
    if edit := render.edit(row):
        lines.append(f"edit:      {edit}")
    lines += [f"violation: {line}" for line in broke]
    lines += [f"baseline:  {line}" for line in changed_answers(row, render)]
    lines.append(f"case {row.id}, original {row.source_id}")
    if context := render.context(row):
        lines.insert(2, f"with:      {' '.join(context.split())}")
    if row.unstable:
        lines.append("Numerical noise alone could flip this case.")
    text, words = "\n".join(lines), "".join(segment.text for segment in source.segments)
    name = shorten(f"{row.id} {' '.join(words.split())}", _LONGEST_NAME)
    classname = relation.id.replace("/", ".")
    if relation.comparison is not None and relation.comparison.fails:
        case = _case(name, classname)
        message = f"Newly violated: {'; '.join(broke) or relation.id}"
        case.add_failure_info(visible(message), visible(text), "newly-violated")
        return case
    does = "warns only" if relation.tier is Tier.WARN else "passes"
    return _case(name, classname, f"Newly violated, in a relation that {does}.\n{visible(text)}")
