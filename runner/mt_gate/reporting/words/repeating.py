"""The command that repeats a run, as far as its result knows how it was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from mt_gate.base.escaping import visible
from mt_gate.relations import catalogue
from mt_gate.results.result import Result, RunSettings

_SHORT = 7
"""Characters of a commit in a file's name."""


def command(result: Result) -> str:
    """Return a command line for a shell that runs the same gate again, however long it is.

    Checkpoint, suite and baseline are named as the result names them: where
    they lie on a reader's machine it does not know, nor what kind of system
    answered where it was no checkpoint. A baseline that git gave is taken from
    git again first, into a file of its own beside the working tree's.
    """
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
    settings = result.settings
    onnx = bool(result.checkpoint.runtime.onnxruntime)
    yield from ("mt-gate", "run", "--checkpoint" if onnx else "--system")
    yield result.checkpoint.name if onnx else f"KIND:{result.checkpoint.name}"
    yield from ("--task", result.suite.task, "--suite", result.suite.name)
    if baseline:
        yield from ("--baseline", baseline)
    yield from ("--alpha", repr(settings.alpha), "--margin", repr(settings.margin))
    yield from ("--max-applicability-loss", repr(settings.max_applicability_loss))
    if settings.strict:
        yield "--strict"
    if settings.max_violation_rate:
        rates = (f"{name}={rate!r}" for name, rate in settings.max_violation_rate.items())
        yield from ("--max-violation-rate", ",".join(rates))
    if settings.must_hold:
        yield from ("--must-hold", ",".join(settings.must_hold))
    if settings.relations and not _default(settings):
        yield from ("--relations", ",".join(settings.relations))
    yield from _part(result)
    if result.suite.ontology:
        yield from ("--ontology", result.suite.ontology.partition(" ")[0])


def _default(settings: RunSettings) -> bool:
    """Whether the relations are those that a run takes where none is named: all, no other."""
    known = [catalogue.BY_ID.get(name) for name in settings.relations]
    return settings.complete and all(relation and relation.default for relation in known)


def _part(result: Result) -> Iterator[str]:
    """Yield the options that leave out a part of the suite, from its words on that."""
    left_out = []
    for words in result.suite.part:
        match words.replace(",", "").split():
            case ["without", name]:
                left_out.append(name)
            case [number, "of", _, "sources", "seed", _]:
                yield from ("--sources", number)
    if left_out:
        yield from ("--exclude", ",".join(left_out))
