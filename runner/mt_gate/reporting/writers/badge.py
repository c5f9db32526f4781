"""``badge.json``: a verdict in the form that the endpoint badges of shields.io read."""

from __future__ import annotations

import json

from mt_gate.base.escaping import one_line
from mt_gate.base.redaction import shorten
from mt_gate.reporting.words.texts import VERDICT_WORDS
from mt_gate.results.result import GateVerdict, Result, fails

_COLOURS = {
    GateVerdict.WARNING: "orange",
    GateVerdict.INCONCLUSIVE: "yellow",
    GateVerdict.PASS: "brightgreen",
    GateVerdict.IMPROVED: "brightgreen",
    GateVerdict.MEASURED: "blue",
    GateVerdict.CANNOT_JUDGE: "lightgrey",
}
_LONGEST_LABEL = 60


def badge(result: Result) -> str:
    """Return the JSON of a run's badge: ``schemaVersion``, ``label``, ``message``, ``color``.

    A run that fails is red whatever its verdict is called, as an inconclusive one
    under ``--strict`` is.
    """
    value = {
        "schemaVersion": 1,
        "label": shorten(one_line(f"mt-gate {result.suite.task}"), _LONGEST_LABEL),
        "message": VERDICT_WORDS[result.verdict].lower(),
        "color": "red" if fails(result.verdict, result.settings) else _COLOURS[result.verdict],
    }
    return json.dumps(value, indent=2) + "\n"
