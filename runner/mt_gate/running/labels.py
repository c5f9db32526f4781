"""Labelled inputs that a run asks beside its suite: which of them are answered wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import sha256_file
from mt_gate.base.lazy import resolve
from mt_gate.base.redaction import shorten
from mt_gate.results.result import LabelledAnswers
from mt_gate.running.predicting import Predictor
from mt_gate.tasks.table import TASKS, listed


class Sample(Protocol):
    """An input with its gold output (``evaluating.labelled.Labelled``)."""

    id: str
    input: Mapping[str, Any]
    gold: Mapping[str, Any]
    cluster: str


class Labels(Protocol):
    """How a task's labelled files are read (``evaluating.labelled.TaskEvaluation``)."""

    named: bool

    def samples(self, path: Path, task: str) -> Sequence[Sample]:
        """Return the samples of a file."""

    def items(self, output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
        """Return what an output finds, each with its label."""


class LabelledInputs(NamedTuple):
    """The samples of a file, in order of cluster and id."""

    path: Path
    sha256: str
    samples: Sequence[Sample]


def read_labels(path: Path, task: str) -> LabelledInputs:
    """Read a labelled file in mt-gate's own form, as ``mt-gate evaluate`` does.

    Raises:
        UsageError: a task that has no labelled files.
        CannotJudge: missing, unfit, or without a labelled input.
    """
    if not TASKS[task].evaluation:
        known = listed(lambda spec: spec.evaluation)
        raise UsageError(f"--labels: of task {known} alone, this is {task}; omit it")
    samples = _labels_of(task).samples(path, task)
    ordered = sorted(samples, key=lambda sample: (cluster_of(sample), sample.id))
    return LabelledInputs(path, sha256_file(path), ordered)


def answered_wrong(labels: LabelledInputs, task: str, predictor: Predictor) -> LabelledAnswers:
    """Ask a system all labelled inputs; one that it cannot answer is wrong.

    Raises:
        CannotJudge: its labels have other names.
    """
    predictions = predictor.predict([sample.input for sample in labels.samples])
    _check_names(labels, task, [found.output for found in predictions if found.output is not None])
    is_right = TASKS[task].is_right
    wrong = tuple(
        number
        for number, (sample, found) in enumerate(zip(labels.samples, predictions, strict=True))
        if found.output is None or not is_right(sample.gold, found.output)
    )
    sizes = tuple(Counter(map(cluster_of, labels.samples)).values())
    return LabelledAnswers(
        labels=labels.path.name,
        sha256=labels.sha256,
        inputs=len(labels.samples),
        wrong=wrong,
        clusters=() if set(sizes) == {1} else sizes,
    )


def _labels_of(task: str) -> Labels:
    found: Labels = resolve(TASKS[task].evaluation)
    return found


def _check_names(labels: LabelledInputs, task: str, outputs: Iterable[Mapping[str, Any]]) -> None:
    about = _labels_of(task)
    gold, said = (
        {label for output in of for label, _ in about.items(output)}
        for of in ((sample.gold for sample in labels.samples), outputs)
    )
    if about.named and gold and said and not gold & said:
        raise CannotJudge(
            f"{labels.path}: labels are {few(gold)}, the system's are {few(said)}; expected the "
            "same names; rename those of the file"
        )


def few(names: Iterable[str]) -> str:
    """Return some of the names in words."""
    return shorten(", ".join(sorted(names)[:6]), 200)


def cluster_of(sample: Sample) -> str:
    """Return what a labelled input is counted under: its cluster, else itself."""
    return sample.cluster or sample.id
