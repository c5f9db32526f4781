"""Write findings for CI systems: annotations, SARIF, JUnit XML, a badge.

All formats agree with the exit code. A relation that fails the build is an error. Another regressed
or inconclusive relation is a warning. A run that fails without a failing relation has a separate
error. SARIF reports a run that cannot be judged as a failed invocation.
"""

from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

import junit_xml as package  # has no types

from mt_gate.base import figures
from mt_gate.base.escaping import (
    command_data,
    command_property,
    hide,
    log_line,
    one_line,
    shorten,
    visible,
)
from mt_gate.base.files import canonical
from mt_gate.domain import Verdict
from mt_gate.reporting.words import rendering, texts
from mt_gate.reporting.words.first_screen import Gathered, Kind, Shown
from mt_gate.reporting.words.rendering import changed_answers
from mt_gate.reporting.words.sentences import sentence
from mt_gate.reporting.words.tables import (
    churn_line,
    over_limits,
    promises,
    shown_effect,
    stratum_rates,
)
from mt_gate.reporting.words.texts import (
    BLOCKING,
    POOLED,
    SAME_MARGIN,
    VERDICT_WORDS,
    Catalogue,
    Counts,
    listing,
    pooled,
    shown_state,
    signature,
    text_of,
    worst_first,
)
from mt_gate.results import rules
from mt_gate.results.result import (
    Comparison,
    Decision,
    GateVerdict,
    GroupRow,
    RelationResult,
    Result,
    SliceResult,
    fails,
    is_loss,
)

ERROR, WARNING = "error", "warning"
"""Levels of a finding, worst first, as named in SARIF and in workflow commands."""
MOST = 10
"""Maximum annotations of one level that GitHub shows for a step."""
OVERALL, VERDICT = "all-relations", "verdict"
"""SARIF rules in addition to the relations: all of them together, and the gate's limits."""
_LONGEST = 1_000
"""Maximum characters of a message."""
_LONGEST_TITLE, _LONG_NAME, _LONGEST_LABEL = 120, 80, 60
_NAMED = 20
"""Maximum number of relations in the last annotation, if there are more than ``MOST``."""
_SIGNS = str.maketrans({"\\": "\\\\", "{": "{{", "}": "}}"})
_COLOURS = {
    GateVerdict.WARNING: "orange",
    GateVerdict.INCONCLUSIVE: "yellow",
    GateVerdict.PASS: "brightgreen",
    GateVerdict.IMPROVED: "brightgreen",
    GateVerdict.MEASURED: "blue",
    GateVerdict.CANNOT_JUDGE: "lightgrey",
}
_POOLED = {
    POOLED: "All relations of the suite,",
    BLOCKING: "The blocking relations of the suite,",
    SAME_MARGIN: "The relations of the suite with the run's margin,",
}
Json = dict[str, Any]


class Finding(NamedTuple):
    """A regressed or inconclusive relation, or all together; ``rule`` is its SARIF index."""

    rule: int
    id: str
    title: str
    level: str
    counts: Counts
    comparison: Comparison


class Annotation(NamedTuple):
    """An annotation of the run, as plain text."""

    level: str
    title: str
    message: str


def _findings(result: Result, catalogue: Catalogue) -> Iterator[Finding]:
    """Yield the relations that regressed or are inconclusive, in suite order; overall last."""
    entries: list[tuple[str, str, Counts]] = [
        (relation.id, text_of(catalogue, relation.id).title, relation)
        for relation in result.relations
    ]
    entries.append((OVERALL, pooled(result).title, result.overall))
    for index, (name, title, counts) in enumerate(entries):
        comparison = counts.comparison
        if comparison is None:
            continue
        if (
            comparison.fails
            or is_loss(comparison.decision)
            or comparison.decision is Decision.INCONCLUSIVE
        ):
            level = ERROR if comparison.fails else WARNING
            yield Finding(index, name, title, level, counts, comparison)


# Annotations.


def annotations_of(
    result: Result, catalogue: Catalogue, gate: str, report: str
) -> Iterator[Annotation]:
    """Yield the annotations of a run, errors first, at most ``MOST`` of each level.

    A run that fails has at least one error. ``report`` is the path of the HTML report.
    """
    head = f"mt-gate {gate}: "
    way = f"Examples: {shorten(report, 200)}, or the summary of this job."
    by_id = {finding.id: finding for finding in _findings(result, catalogue)}
    together = by_id.pop(OVERALL, None)
    order = [relation.id for relation in worst_first(result.relations)]
    every = [_annotation(by_id[name], head, way) for name in order if name in by_id]
    if result.exit_code != 0 and not any(note.level == ERROR for note in every):
        message = f"{shorten(sentence(result, catalogue), _LONGEST - len(way) - 1)} {way}"
        title = f"{head}{VERDICT_WORDS[result.verdict].lower()}"
        every.insert(0, Annotation(ERROR, title, message))
    elif not every and together is not None:
        together = together._replace(counts=pooled(result).counts)
        every.append(_annotation(together, head, way))
    for level in (ERROR, WARNING):
        of_level = [note for note in every if note.level == level]
        if len(of_level) <= MOST:
            yield from of_level
            continue
        yield from of_level[: MOST - 1]
        rest = [note.title.removeprefix(head) for note in of_level[MOST - 1 :]]
        names = shorten(listing(rest, _NAMED), _LONGEST - len(way) - 2)
        yield Annotation(level, f"{head}{len(rest)} more relations", f"{names}. {way}")


def command(annotation: Annotation) -> str:
    """Return the workflow command that makes an annotation: one line, escaped."""
    title = command_property(log_line(shorten(annotation.title, _LONGEST_TITLE)))
    message = command_data(log_line(shorten(annotation.message, _LONGEST)))
    return f"::{annotation.level} title={title}::{message}"


def _annotation(finding: Finding, head: str, way: str) -> Annotation:
    """Return an annotation with the decision, its reason, and the numbers of changed cases."""
    counts, comparison = finding.counts, finding.comparison
    why = shorten(comparison.reason.strip().rstrip("."), _LONGEST // 2)
    message = (
        f"{why[:1].upper()}{why[1:]}. "
        f"{figures.counted(comparison.new_violations, 'case')} newly violated, "
        f"{figures.count(comparison.fixed_violations)} fixed"
    )
    title = f"{head}{shown_state(counts).words.lower()}, {shorten(finding.title, _LONG_NAME)}"
    return Annotation(finding.level, title, f"{message}. {way}")


# SARIF 2.1.0.


def sarif(result: Result, catalogue: Catalogue) -> str:
    """Return the SARIF log of a run."""
    # Omit automationDetails: upload-sarif then sets them from its ``category`` or from workflow and
    # job, and distinguishes gates by them.
    tool = {"name": one_line(result.tool.name), "version": one_line(result.tool.version)}
    judged = result.verdict is not GateVerdict.CANNOT_JUDGE
    invocation: Json = {
        "executionSuccessful": judged,
        "exitCode": result.exit_code,
        "exitCodeDescription": VERDICT_WORDS[result.verdict],
    }
    if not judged:
        invocation["toolExecutionNotifications"] = [
            {"level": ERROR, "message": _message(text)}
            for text in result.reasons or (sentence(result, catalogue),)
        ]
    run = {
        "tool": {"driver": {**tool, "rules": [*_rules(result, catalogue)]}},
        "invocations": [invocation],
        "results": [*_results(result, catalogue)],
        "properties": {"signature": signature(result), "verdict": str(result.verdict)},
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
        "sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _message(text: str) -> Json:
    """Return a message for SARIF, where braces are placeholders and ``[words](address)`` a link.

    A space disables the link in every viewer; not all support the standard's escape. Secrets are
    hidden first, because they could not be found once braces are doubled.
    """
    shown = visible(shorten(hide(text), _LONGEST)).replace("](", "] (")
    return {"text": shown.translate(_SIGNS)}


def _rules(result: Result, catalogue: Catalogue) -> Iterator[Json]:
    texts = []
    for relation in result.relations:
        text = text_of(catalogue, relation.id)
        example = f" Before: {text.before} After: {text.after}" if text.before else ""
        texts.append((relation.id, text.title, (text.description or text.title) + example))
    title = pooled(result).title
    texts.append((OVERALL, title, f"{_POOLED[title]} counted together."))
    texts.append((VERDICT, "Verdict", "Limits of this gate, in addition to the relations."))
    for name, title, description in texts:
        yield {
            "id": one_line(name),
            "shortDescription": _message(title),
            "fullDescription": _message(description),
        }


def _results(result: Result, catalogue: Catalogue) -> Iterator[Json]:
    failed = False
    for finding in _findings(result, catalogue):
        comparison = finding.comparison
        failed |= finding.level == ERROR
        word = shown_state(finding.counts).words.lower()
        text = f"{finding.title}: {word}. {comparison.reason}"
        yield {
            **_result(finding.rule, finding.id, finding.level, text, result),
            # Rates and differences are shares, not percentages.
            "properties": {
                "decision": str(comparison.decision),
                "delta": comparison.delta,
                "ci95": list(comparison.ci95) if comparison.ci95 else None,
                "pAdjusted": comparison.p_adjusted,
                "newViolations": comparison.new_violations,
                "fixedViolations": comparison.fixed_violations,
            },
        }
    if result.exit_code == 1 and not failed:
        text = " ".join([sentence(result, catalogue), *texts.titled_reasons(result, catalogue)])
        yield _result(len(result.relations) + 1, VERDICT, ERROR, text, result)


def _result(index: int, name: str, level: str, text: str, result: Result) -> Json:
    """Return one result; its fingerprint is the same in every run of this gate.

    Gates of one suite differ by the names of their baselines. The location of a result is the
    baseline's file, because code scanning can link to it.
    """
    suite, baseline = result.suite, result.baseline
    parts = (suite.name, suite.task, baseline.name if baseline else "", name)
    identity = canonical([one_line(part) for part in parts])
    place: Json = {"logicalLocations": [{"fullyQualifiedName": one_line(name), "kind": "member"}]}
    if baseline is not None:
        path = PurePath(visible(baseline.path))
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        artifact = {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}
        place["physicalLocation"] = artifact
    return {
        "ruleId": one_line(name),
        "ruleIndex": index,
        "level": level,
        "message": _message(text),
        "locations": [place],
        "partialFingerprints": {"relation/v1": hashlib.sha256(identity).hexdigest()},
    }


def badge(result: Result) -> str:
    """Return the JSON of a run's badge for shields.io; it is red if the run fails."""
    value = {
        "schemaVersion": 1,
        "label": shorten(one_line(f"mt-gate {texts.gate_name(result)}"), _LONGEST_LABEL),
        "message": VERDICT_WORDS[result.verdict].lower(),
        "color": "red" if fails(result.verdict, result.settings) else _COLOURS[result.verdict],
    }
    return json.dumps(value, indent=2) + "\n"


GROUPS_SHOWN = 5
"""Maximum newly violated cases in the text of a relation."""
Case = Any
"""A test case of the junit-xml package, which has no types."""
_UNCOMPARED = "Not compared with a baseline."


def junit(result: Result, gathered: Gathered, catalogue: Catalogue) -> str:
    """Return the JUnit XML of a run, valid in Jenkins' schema.

    Names and order of the test cases follow from the gate's name, the suite and the settings, so
    that servers can compare runs.
    """
    properties = {
        "signature": signature(result),
        "verdict": str(result.verdict),
        "checkpoint": result.checkpoint.name,
        "checkpoint-fingerprint": result.checkpoint.fingerprint or "none",
        "suite-sha256": result.suite.sha256,
        **({"baseline": result.baseline.path} if result.baseline else {}),
    }
    gate = texts.gate_name(result)
    suite = package.TestSuite(
        visible(f"mt-gate {gate}"),
        [*_cases(result, gathered, catalogue)],
        timestamp=visible(result.created),
        properties={name: visible(value) for name, value in properties.items()},
    ).build_xml_doc(encoding="utf-8")
    # Correct the package's document: the schema does not allow ``disabled``, times have too many
    # digits, and attributes have spaces instead of line breaks.
    del suite.attrib["disabled"]
    suite.set("time", figures.milliseconds(result.timing.total))
    for case in suite.iter("testcase"):
        # Jenkins reads the part before the last dot as a package.
        case.set("classname", visible(f"mt-gate.{gate.replace('.', '_')}"))
        # Relations are not timed, and servers add the times of cases.
        case.set("time", suite.attrib["time"] if case.get("name") == VERDICT else "0.000")
        for outcome in case.iterfind("*[@message]"):
            # GitLab shows the message only if there is no text, so add it to the text.
            outcome.text = "\n".join(filter(None, (outcome.get("message"), outcome.text)))
    counted = ("errors", "failures", "tests", "time")
    root = ET.Element("testsuites", {name: suite.attrib[name] for name in counted})
    root.append(suite)
    ET.indent(root)
    # Jenkins and GitLab would attach the file that such a text names.
    text = ET.tostring(root, encoding="unicode").replace("[[ATTACHMENT|", "[ [ATTACHMENT|")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n"


def _cases(result: Result, gathered: Gathered, catalogue: Catalogue) -> Iterator[Case]:
    head = f"{texts.VERDICT_WORDS[result.verdict]}: {sentence(result, catalogue)}"
    reasons = texts.titled_reasons(result, catalogue)
    text = "\n".join([*reasons, *result.notes, *promises(result, catalogue)])
    whole = _case(VERDICT, "" if result.exit_code else f"{head}\n{text}".rstrip())
    if result.exit_code:
        add = whole.add_failure_info if result.exit_code == 1 else whole.add_error_info
        add(visible(head), visible(text), str(result.verdict))
    yield whole
    together, compared = _case(texts.POOLED), result.overall.comparison
    if compared is None:
        together.add_skipped_info(_UNCOMPARED)
    else:
        _show(together, texts.shown_state(result.overall).words, compared)
    yield together
    line, over = "", ""
    if result.churn is not None:
        line, over = churn_line(result.churn), over_limits(result)
    changed = _case("changed predictions", "" if over else line)
    if over:
        changed.add_failure_info(visible(f"Too many {over}"), visible(line), "churn")
    elif not line:
        changed.add_skipped_info(_UNCOMPARED)
    yield changed
    for relation in result.relations:
        yield from _relation_cases(relation, result, gathered, catalogue)
    pinned = rules.must_hold(result.settings)
    rows = {row.id: row for shown in gathered.values() for row in shown.rows if row.id in pinned}
    for name in pinned:
        yield _pinned_case(name, rows.get(name), result)


def _case(name: str, stdout: str = "") -> Case:
    return package.TestCase(visible(name), stdout=visible(stdout))


def _show(case: Case, word: str, comparison: Comparison, new: str = "") -> None:
    """Write a comparison into a test case, as a failure if it fails the build.

    ``word`` is its state, ``new`` are its new violations.
    """
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
    message, reason = visible(f"{word}: {message}"), visible(f"{comparison.reason}{new}")
    if comparison.fails:
        case.add_failure_info(message, reason, str(comparison.decision))
    elif comparison.decision is Decision.NOT_COMPARABLE:
        case.add_skipped_info(visible(f"{word}: {comparison.reason}"))
    else:
        case.stdout = "\n".join(filter(None, (case.stdout, message, reason)))


def _relation_cases(
    relation: RelationResult, result: Result, gathered: Gathered, catalogue: Catalogue
) -> Iterator[Case]:
    """Yield the test case of a relation, and those of its slices."""
    title = texts.text_of(catalogue, relation.id).title
    rate = figures.percent(relation.violation_rate)
    lines = [f"{title}: {_violated(relation)} ({rate})", *stratum_rates(relation)]
    if result.settings.policy.has_tiers:
        lines.insert(1, f"tier {relation.tier}")
    reasons = ", ".join(f"{reason}: {n}" for reason, n in relation.not_applicable.items())
    new = _new_violations(gathered.get((relation.id, Kind.NEW), Shown()), result)
    case, word = _case(relation.id, "\n".join(lines)), texts.shown_state(relation).words
    yield _judged(case, relation, result, word, new=new, reasons=reasons)
    for part in relation.slices:
        word = texts.STATES[texts.state_of(part.comparison)] if part.comparison else ""
        case = _case(f"{relation.id} [{part.name}]", _violated(part))
        yield _judged(case, part, result, word)


def _violated(part: RelationResult | SliceResult) -> str:
    return f"{figures.count(part.violated)} of {figures.count(part.applicable)} cases violated"


def _judged(
    case: Case,
    part: RelationResult | SliceResult,
    result: Result,
    word: str,
    *,
    new: str = "",
    reasons: str = "",
) -> Case:
    comparison = part.comparison
    if comparison is not None and (
        part.applicable or comparison.fails or is_loss(comparison.decision)
    ):
        _show(case, word, comparison, new)
    elif part.applicable == 0:
        why = reasons or "the suite has none"
        case.add_skipped_info(visible(f"No case could be tested ({why})."))
    elif result.verdict is GateVerdict.CANNOT_JUDGE:
        case.add_skipped_info(_UNCOMPARED)
    return case


def _new_violations(new: Shown, result: Result) -> str:
    """Return the number of newly violated cases, and the first of them; empty without any."""
    if not new.total:
        return ""
    rows = [_group_text(row, result) for row in new.rows[:GROUPS_SHOWN]]
    more = [f"{figures.count(new.total - len(rows))} more in groups.jsonl.gz"]
    ending = more if new.total > len(rows) else []
    head = figures.counted(new.total, "newly violated case")
    return "\n" + "\n\n".join([head, *rows, *ending])


def _group_text(row: GroupRow, result: Result) -> str:
    render = rendering.renderer(result.suite.task)
    source, second = render.sentence(row, rendering.SOURCE), render.second(row)
    broke, alone = rendering.what_broke(row, render), rendering.shows_original_alone(row)
    lines = [
        f"case {row.id}, original {row.source_id}",
        f"{'text:     ' if alone else 'original: '} {rendering.plain(source)}",
    ]
    if context := render.context(row):
        lines.append(f"with:      {' '.join(context.split())}")
    if second:
        lines.append(f"second:    {rendering.plain(second)}")
    if not alone:
        lines.append(f"edited:    {rendering.plain(render.sentence(row, rendering.FOLLOW_UP))}")
    if edit := render.edit(row):
        lines.append(f"edit:      {edit}")
    lines += [f"violation: {line}" for line in broke]
    lines += [f"baseline:  {line}" for line in changed_answers(row, render)]
    if row.unstable:
        lines.append("Numerical noise alone could flip this case.")
    return "\n".join(lines)


def _pinned_case(name: str, row: GroupRow | None, result: Result) -> Case:
    """Return the test case of a pinned case, whose ``row`` is None if it is not in the run."""
    case = _case(f"pinned case {name}")
    verdict = row.verdict if row is not None else None
    if row is not None and verdict is Verdict.VIOLATED:
        compared = {relation.id: relation.comparison for relation in result.relations}[row.relation]
        text = visible(_group_text(row, result))
        if compared.fails if compared else result.exit_code == 1:
            case.add_failure_info("Pinned case violated", text, "must-hold")
        else:
            case.stdout = f"Violated, in a relation that does not fail the build.\n{text}"
    elif verdict is not Verdict.SATISFIED:
        why = "Not in this run." if row is None else "Could not be tested."
        if result.settings.strict and result.exit_code == 1:
            case.add_failure_info(why, failure_type="must-hold")
        else:
            case.add_skipped_info(why)
    return case
