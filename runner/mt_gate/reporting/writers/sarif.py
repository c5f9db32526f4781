"""SARIF 2.1.0: a rule a relation, a result a relation that got worse or may have.

The file agrees with the exit code: a run that fails has a result of level
``error``, a run that cannot be judged says so as a failed invocation, and a run
that passes has warnings at most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from mt_gate.base.escaping import one_line, visible
from mt_gate.base.jsonio import canonical
from mt_gate.base.redaction import hide, shorten
from mt_gate.reporting.words.signature import signature
from mt_gate.reporting.words.texts import (
    VERDICT_WORDS,
    Catalogue,
    decision_words,
    level_of,
    pooled_title,
    sentence,
    text_of,
)
from mt_gate.results.result import Comparison, GateVerdict, Overall, RelationResult, Result

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"
OVERALL, VERDICT = "all-relations", "verdict"
"""Rules beside the relations': all of them pooled, and the limits that a gate sets."""

_LONGEST = 1000
_SIGNS = str.maketrans({"\\": "\\\\", "{": "{{", "}": "}}"})

Json = dict[str, Any]


def _message(text: str) -> Json:
    """Return a message: braces would be blanks to fill in, ``[words](address)`` a link.

    A blank undoes a link in every reader; not all of them know the standard's own escape. Secrets
    are hidden first: with braces doubled they are not found any more.
    """
    shown = visible(shorten(hide(text), _LONGEST)).replace("](", "] (")
    return {"text": shown.translate(_SIGNS)}


_TOGETHER = (
    "All relations of the suite, counted together.",
    "The relations of the suite whose loss blocks, counted together.",
)


def _rules(result: Result, catalogue: Catalogue) -> list[Json]:
    rules = []
    for relation in result.relations:
        text = text_of(catalogue, relation.id)
        example = f" Before: {text.before} After: {text.after}" if text.before else ""
        rules.append(_rule(relation.id, text.title, (text.description or text.title) + example))
    rules.append(_rule(OVERALL, pooled_title(result), _TOGETHER[result.settings.policy.has_tiers]))
    rules.append(_rule(VERDICT, "Verdict", "Limits of this gate, in addition to the relations."))
    return rules


def _rule(name: str, title: str, description: str) -> Json:
    return {
        "id": one_line(name),
        "shortDescription": _message(title),
        "fullDescription": _message(description),
    }


def _location(result: Result, name: str) -> Json:
    """Return where a result belongs: the baseline's file, which code scanning can link to."""
    place: Json = {"logicalLocations": [{"fullyQualifiedName": one_line(name), "kind": "member"}]}
    if result.baseline is not None:
        path = PurePath(visible(result.baseline.path))
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        place["physicalLocation"] = {
            "artifactLocation": {"uri": uri},
            "region": {"startLine": 1},
        }
    return place


def _result(index: int, name: str, level: str, text: str, result: Result) -> Json:
    """Return one result; its fingerprint is the same in every run of this gate.

    Gates of one suite are told apart by the names of their baselines.
    """
    head = result.suite
    baseline = result.baseline.name if result.baseline else ""
    identity = canonical([one_line(part) for part in (head.name, head.task, baseline, name)])
    return {
        "ruleId": one_line(name),
        "ruleIndex": index,
        "level": level,
        "message": _message(text),
        "locations": [_location(result, name)],
        "partialFingerprints": {"relation/v1": hashlib.sha256(identity).hexdigest()},
    }


def _figures(comparison: Comparison) -> Json:
    """Return the figures of a decision; rates and differences are shares, not percentages."""
    return {
        "decision": str(comparison.decision),
        "delta": comparison.delta,
        "ci95": list(comparison.ci95) if comparison.ci95 else None,
        "pAdjusted": comparison.p_adjusted,
        "newViolations": comparison.new_violations,
        "fixedViolations": comparison.fixed_violations,
    }


def _results(result: Result, catalogue: Catalogue) -> Iterator[Json]:
    entries: list[tuple[str, str, RelationResult | Overall]] = [
        (relation.id, text_of(catalogue, relation.id).title, relation)
        for relation in result.relations
    ]
    entries.append((OVERALL, pooled_title(result), result.overall))
    failed = False
    for index, (name, title, entry) in enumerate(entries):
        comparison = entry.comparison
        level = level_of(comparison) if comparison else None
        if comparison is None or level is None:
            continue
        failed |= level == "error"
        word = decision_words(entry).lower()
        text = f"{title}: {word}. {comparison.reason}"
        yield {**_result(index, name, level, text, result), "properties": _figures(comparison)}
    if result.exit_code == 1 and not failed:
        text = " ".join([sentence(result, catalogue), *result.reasons])
        yield _result(len(entries), VERDICT, "error", text, result)


def _invocation(result: Result, catalogue: Catalogue) -> Json:
    judged = result.verdict is not GateVerdict.CANNOT_JUDGE
    word = VERDICT_WORDS[result.verdict]
    found: Json = {
        "executionSuccessful": judged,
        "exitCode": result.exit_code,
        "exitCodeDescription": word,
    }
    if not judged:
        texts = result.reasons or (sentence(result, catalogue),)
        found["toolExecutionNotifications"] = [
            {"level": "error", "message": _message(text)} for text in texts
        ]
    return found


def sarif(result: Result, catalogue: Catalogue) -> str:
    """Return the SARIF log of a run.

    Args:
        result: the run.
        catalogue: title, description and example of each relation.
    """
    # No automationDetails: upload-sarif fills them in where there are none, by its ``category``
    # or by workflow and job, and keeps gates apart by them.
    run = {
        "tool": {
            "driver": {
                "name": one_line(result.tool.name),
                "version": one_line(result.tool.version),
                "rules": _rules(result, catalogue),
            }
        },
        "invocations": [_invocation(result, catalogue)],
        "results": list(_results(result, catalogue)),
        "properties": {"signature": signature(result), "verdict": str(result.verdict)},
    }
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"
