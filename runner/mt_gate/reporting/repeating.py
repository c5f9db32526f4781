"""The command that repeats a run, as far as its result knows how it was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from mt_gate.reporting.escaping import visible
from mt_gate.result import Result


def command(result: Result) -> str:
    """Return a command line for a shell that runs the same gate again.

    Checkpoint, suite and baseline are named as the result names them: where
    they lie on a reader's machine it does not know, nor what kind of system
    answered where it was no checkpoint.
    """
    return " ".join(shlex.quote(visible(word)) for word in _words(result))


def _words(result: Result) -> Iterator[str]:
    settings = result.settings
    onnx = bool(result.checkpoint.runtime.onnxruntime)
    yield from ("mt-gate", "run", "--checkpoint" if onnx else "--system")
    yield result.checkpoint.name if onnx else f"KIND:{result.checkpoint.name}"
    yield from ("--task", result.suite.task, "--suite", result.suite.name)
    if result.baseline:
        yield from ("--baseline", result.baseline.path)
    yield from ("--alpha", f"{settings.alpha:g}", "--margin", f"{settings.margin:g}")
    yield from ("--max-applicability-loss", f"{settings.max_applicability_loss:g}")
    if settings.strict:
        yield "--strict"
    if settings.max_violation_rate:
        rates = (f"{name}={rate:g}" for name, rate in settings.max_violation_rate.items())
        yield from ("--max-violation-rate", ",".join(rates))
    if settings.must_hold:
        yield from ("--must-hold", ",".join(settings.must_hold))
    if settings.relations and not settings.complete:
        yield from ("--relations", ",".join(settings.relations))
    yield from _part(result)
    if result.suite.ontology:
        yield from ("--ontology", result.suite.ontology.partition(" ")[0])


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
