"""One line that says which run a figure belongs to."""

from __future__ import annotations

import hashlib

from mt_gate.base.escaping import one_line
from mt_gate.base.figures import setting
from mt_gate.results.result import Result, runtime_signature, short_fingerprint
from mt_gate.settings.policy import Policy
from mt_gate.settings.policy_reading import policy_text

_DIGITS = 8
"""Hexadecimal digits shown of a hash: enough to tell the runs of a project apart."""


def _settings(result: Result) -> str:
    used = result.settings
    parts = [f"alpha {setting(used.alpha)}", f"margin {setting(used.margin)}"]
    if result.early:
        parts.append(f"look {result.early.look} of {result.early.looks}")
    if used.strict:
        parts.append("strict")
    if used.policy != Policy():
        text = policy_text(used.policy).encode(errors="backslashreplace")
        parts.append(f"policy {hashlib.sha256(text).hexdigest()[:_DIGITS]}")
    if not used.complete:
        parts.append(f"only {','.join(used.relations)}")
    return " ".join(parts)


def signature(result: Result) -> str:
    """Return the run's signature: tool, suite, checkpoint, runtime, settings.

    Two results with one signature can be compared figure by figure.
    """
    suite, checkpoint = result.suite, result.checkpoint
    return one_line(
        "|".join(
            (
                f"{result.tool.name} {result.tool.version}",
                f"suite {suite.name} {suite.version} {suite.sha256[:_DIGITS]}",
                f"checkpoint {short_fingerprint(checkpoint.fingerprint, _DIGITS)}",
                runtime_signature(checkpoint.runtime),
                _settings(result),
            )
        )
    )
