"""The command that repeats a run, as far as its result knows how it was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from mt_gate.base.escaping import visible
from mt_gate.relations import catalogue
from mt_gate.results.result import Result, Runtime
from mt_gate.settings.record import PRECISIONS, SETTINGS, STORED
from mt_gate.settings.values import option_words
from mt_gate.suites.quick import MARK, quick_name

_SHORT = 7
"""Characters of a commit in a file's name."""


def command(result: Result) -> str:
    """Return a command line for a shell that runs the same gate again, however long it is.

    Paths are those that the user gave, relative to the folder of the run. A result of an earlier
    release does not tell them, so that its names stand in their place. A baseline that git gave is
    taken from git again first, into a separate file, next to the working tree's.
    """
    if result.baseline is not None and result.baseline.against:
        return _shell(_words(result, ""))
    baseline, before = _baseline(result)
    return before + _shell(_words(result, baseline))


def _shell(words: Iterable[str]) -> str:
    return " ".join(shlex.quote(visible(word)) for word in words)


def _baseline(result: Result) -> tuple[str, str]:
    """Return the baseline's file, and what has to run before to have it."""
    head = result.baseline
    if head is None or not head.commit:
        return head.path if head else "", ""
    path = PurePath(head.path)
    file = f"{path.stem}-{head.commit[:_SHORT]}.json"
    # Git reads a path from ./ on as one of the working folder, and no absolute one.
    place = ["-C", str(path.parent)] if path.is_absolute() else []
    inside = path.name if path.is_absolute() else path.as_posix()
    shown = _shell(["git", *place, "show", f"{head.commit}:./{inside}"])
    return file, f"{shown} > {_shell([file])} && "


def _words(result: Result, baseline: str) -> Iterator[str]:
    yield from ("mt-gate", "run")
    known = _settings(result, baseline)
    for name in SETTINGS:
        yield from option_words(name, known.get(name))


def _settings(result: Result, baseline: str) -> dict[str, Any]:
    """Return the settings of the run by name, as far as its result tells them."""
    found = {name: getattr(result.settings, name) for name in STORED}
    if _default(result):
        del found["relations"]
    onnx, name = bool(result.checkpoint.runtime.onnxruntime), result.checkpoint.name
    tested = {"checkpoint": name} if onnx else {"system": f"KIND:{name}"}
    return {
        **found,
        **(tested if not result.options else {}),
        "label_map": result.checkpoint.label_map,
        "threshold": result.checkpoint.threshold,
        "task": result.suite.task,
        "suite": _suite(result),
        "baseline": baseline,
        "labels": result.labelled.labels if result.labelled else "",
        "early_stop": result.early is not None,
        **_part(result),
        "ontology": result.suite.ontology.partition(" ")[0],
        **result.options,
        **_of_two(result),
    }


def _of_two(result: Result) -> dict[str, Any]:
    """Return how two were computed that were run in one job; else the defaults say it."""
    base = result.baseline
    if base is None or not base.against:
        return {}
    return {
        "against": base.against,
        **_computed(result.checkpoint.runtime, ""),
        **(_computed(base.runtime, "base_") if base.runtime else {}),
    }


def _computed(runtime: Runtime, prefix: str) -> dict[str, Any]:
    if not runtime.onnxruntime:
        return {}
    known = runtime.precision if runtime.precision in PRECISIONS else None
    return {f"{prefix}precision": known, f"{prefix}threads": runtime.threads or None}


def _suite(result: Result) -> str:
    name = result.suite.name
    is_quick = any(words.startswith(f"{MARK},") for words in result.suite.part)
    return quick_name(name) if is_quick else name


def _default(result: Result) -> bool:
    """Whether the relations are those that a run takes where none is named: all, no other.

    Those that the suite states always run.
    """
    stated = {relation.id for relation in result.relations if relation.words is not None}
    by_default = {name for name, relation in catalogue.BY_ID.items() if relation.default}
    return result.settings.complete and {*result.settings.relations} <= stated | by_default


def _part(result: Result) -> dict[str, Any]:
    """Return the settings that leave out a part of the suite, from its words on that."""
    left_out, sources = [], None
    for words in result.suite.part:
        match words.replace(",", "").split():
            case ["without", name]:
                left_out.append(name)
            case [number, "of", _, "sources", "seed", _]:
                sources = number
    return {"sources": sources, "exclude": tuple(left_out)}
