"""Which run a figure belongs to, in one line, and the command that repeats the run."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from mt_gate.base.escaping import one_line, visible
from mt_gate.base.figures import setting
from mt_gate.relations import catalogue
from mt_gate.results.result import Result, Runtime, runtime_signature, short_fingerprint
from mt_gate.settings.policy import Policy
from mt_gate.settings.policy_reading import policy_text
from mt_gate.settings.record import PRECISIONS, SETTINGS, STORED
from mt_gate.settings.values import option_words

_DIGITS = 8
"""Hexadecimal digits shown of a hash: enough to distinguish the runs of a project."""


def signature(result: Result) -> str:
    """Return the run's signature: tool, suite, checkpoint, runtime, settings.

    Two results with one signature can be compared figure by figure.
    """
    suite, used = result.suite, result.settings
    settings = [f"alpha {setting(used.alpha)}", f"margin {setting(used.margin)}"]
    if result.early:
        settings.append(f"look {result.early.look} of {result.early.looks}")
    if used.strict:
        settings.append("strict")
    if used.policy != Policy():
        text = policy_text(used.policy).encode(errors="backslashreplace")
        settings.append(f"policy {hashlib.sha256(text).hexdigest()[:_DIGITS]}")
    if not used.complete:
        settings.append(f"only {','.join(used.relations)}")
    parts = (
        f"{result.tool.name} {result.tool.version}",
        f"suite {suite.name} {suite.version} {suite.sha256[:_DIGITS]}",
        f"checkpoint {short_fingerprint(result.checkpoint.fingerprint, _DIGITS)}",
        runtime_signature(result.checkpoint.runtime),
        " ".join(settings),
    )
    return one_line("|".join(parts))


def command(result: Result) -> str:
    """Return a command line for a shell that runs the same gate again, however long it is.

    Paths are those that the user gave, relative to the folder of the run. A baseline that git gave
    is taken from git again first, into a separate file, next to the working tree's.
    """
    head, before = result.baseline, ""
    baseline = head.path if head and not head.against else ""
    if head and head.commit and not head.against:
        path = PurePath(head.path)
        baseline = f"{path.stem}-{head.commit[:7]}.json"
        # Git reads a path from ./ on as one of the working folder, and no absolute one.
        place = ["-C", str(path.parent)] if path.is_absolute() else []
        inside = path.name if path.is_absolute() else path.as_posix()
        shown = _shell(["git", *place, "show", f"{head.commit}:./{inside}"])
        before = f"{shown} > {_shell([baseline])} && "
    known = _settings(result, baseline)
    words = [word for name in SETTINGS for word in option_words(name, known.get(name))]
    return before + _shell(["mt-gate", "run", *words])


def _shell(words: Iterable[str]) -> str:
    return " ".join(shlex.quote(visible(word)) for word in words)


def _settings(result: Result, baseline: str) -> dict[str, Any]:
    """Return the settings of the run by name, as far as its result has them."""
    values: dict[str, Any] = {name: getattr(result.settings, name) for name in STORED}
    # Where none is named, a run takes these, and those that the suite states.
    stated = {relation.id for relation in result.relations if relation.words is not None}
    default = {name for name, relation in catalogue.BY_ID.items() if relation.default}
    if result.settings.complete and {*result.settings.relations} <= stated | default:
        del values["relations"]
    left_out = []
    for words in result.suite.part:  # what the suite says that it leaves out
        match words.replace(",", "").split():
            case ["without", name]:
                left_out.append(name)
            case [number, "of", _, "sources", "seed", _]:
                values["sources"] = number
    values |= {
        "label_map": result.checkpoint.label_map,
        "threshold": result.checkpoint.threshold,
        "task": result.suite.task,
        "suite": result.suite.name,
        "baseline": baseline,
        "early_stop": result.early is not None,
        "exclude": tuple(left_out),
        **result.options,
    }
    base = result.baseline
    if base is not None and base.against:
        values |= {"against": base.against, **_computed(result.checkpoint.runtime, "")}
        values |= _computed(base.runtime, "base_") if base.runtime else {}
    return values


def _computed(runtime: Runtime, prefix: str) -> dict[str, Any]:
    if not runtime.onnxruntime:
        return {}
    known = runtime.precision if runtime.precision in PRECISIONS else None
    return {f"{prefix}precision": known, f"{prefix}threads": runtime.threads or None}
