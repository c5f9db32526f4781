"""Labelled inputs that a run predicts in addition to its suite: which predictions are wrong.

They are judged as a relation, ``TASK/labels``: a group for each input, of task ``ner`` one for each
entity and one for what else is found, each in the slice of its label. So accuracy and the recall
of every label are tested, paired and reported as every relation is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import sha256_file
from mt_gate.base.lazy import resolve
from mt_gate.base.redaction import shorten
from mt_gate.domain import Block, Verdict
from mt_gate.relations.known_answer import labels_id
from mt_gate.results.result import GroupRow, LabelledAnswers
from mt_gate.running.predicting import Predictor
from mt_gate.suites.format import group_id
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.table import TASKS, listed

_NO_LABEL = "label: none"


class Sample(Protocol):
    """An input with its gold output (``evaluating.labelled.Labelled``)."""

    id: str
    input: Mapping[str, Any]
    gold: Mapping[str, Any]
    cluster: str

    def _replace(self, *, gold: Mapping[str, Any]) -> Sample:
        """Return the sample with another gold output."""


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


def read_labels(
    path: Path, task: str, label_map: Mapping[str, Sequence[str]] = {}
) -> LabelledInputs:
    """Read a labelled file in mt-gate's own form, as ``mt-gate evaluate`` does.

    Raises UsageError: a task that has no labelled files. CannotJudge: missing, unfit, or without a
    labelled input.
    """
    if not TASKS[task].evaluation:
        known = listed(lambda spec: spec.evaluation)
        raise UsageError(f"--labels: of task {known} alone, this is {task}; omit it")
    meant = {own: label for label, names in label_map.items() for own in names}
    samples = [_mapped(one, meant) for one in _labels_of(task).samples(path, task)]
    ordered = sorted(samples, key=lambda sample: (cluster_of(sample), sample.id))
    return LabelledInputs(path, sha256_file(path), ordered)


def _mapped(sample: Sample, meant: Mapping[str, str]) -> Sample:
    labels = sample.gold.get("labels")
    if not meant or labels is None or not any(label in meant for label in labels):
        return sample
    return sample._replace(gold={"labels": sorted({meant.get(one, one) for one in labels})})


class LabelledPredictions(NamedTuple):
    """Labelled inputs with what the system predicts for each, in their order."""

    labels: LabelledInputs
    task: str
    predictions: Sequence[Prediction]

    def wrong(self) -> LabelledAnswers:
        """Return which inputs are predicted wrong; one without a prediction is."""
        is_right = TASKS[self.task].is_right
        wrong = tuple(
            number
            for number, (sample, found) in enumerate(self._pairs())
            if found.output is None or not is_right(sample.gold, found.output)
        )
        sizes = tuple(Counter(map(cluster_of, self.labels.samples)).values())
        return LabelledAnswers(
            labels=self.labels.path.name,
            sha256=self.labels.sha256,
            inputs=len(self.labels.samples),
            wrong=wrong,
            clusters=() if set(sizes) == {1} else sizes,
        )

    def rows(self, noise: float) -> Iterator[GroupRow]:
        """Yield the groups of the relation of labelled examples, each with its verdict."""
        for sample, found in self._pairs():
            for part in self._parts(sample, found):
                yield self._row(sample, found, part, noise)

    def _pairs(self) -> Iterator[tuple[Sample, Prediction]]:
        return zip(self.labels.samples, self.predictions, strict=True)

    def _parts(self, sample: Sample, found: Prediction) -> Iterator[_Part]:
        spec, items = TASKS[self.task], _labels_of(self.task).items
        gold = [*items(sample.gold)]
        if not spec.spans:
            right = found.output is not None and spec.is_right(sample.gold, found.output)
            names = tuple(f"label: {label}" for label, _ in gold) or (_NO_LABEL,)
            yield _Part("", right, names, [label for label, _ in gold])
            return
        predicted = [] if found.output is None else [*items(found.output)]
        for number, (label, place) in enumerate(gold):
            right = (label, place) in predicted
            yield _Part(str(number), right, (f"label: {label}",), [label])
        yield _Part("rest", all(item in gold for item in predicted), (_NO_LABEL,), [])

    def _row(self, sample: Sample, found: Prediction, part: _Part, noise: float) -> GroupRow:
        relation = labels_id(self.task)
        verdict = Verdict.SATISFIED if part.right else Verdict.VIOLATED
        if found.output is None:
            verdict = Verdict.NOT_APPLICABLE
        return GroupRow(
            id=group_id(relation, sample.input, {"part": part.name, "expected": part.expected}),
            relation=relation,
            source_id=sample.id,
            cluster=sample.cluster,
            verdict=verdict,
            source=sample.input,
            follow_up=sample.input,
            alignment=(Block(0, 0, len(TASKS[self.task].text(sample.input))),),
            source_output=found.output,
            follow_up_output=found.output,
            unmatched={"expected": part.expected} if verdict is Verdict.VIOLATED else None,
            reason=found.reason if found.output is None else "",
            slices=part.slices,
            unstable=found.margin < 2 * noise,
        )


class _Part(NamedTuple):
    """What of a labelled input is right or wrong by itself."""

    name: str
    right: bool
    slices: tuple[str, ...]
    expected: Sequence[str]


def predict_labelled(
    labels: LabelledInputs, task: str, predictor: Predictor
) -> LabelledPredictions:
    """Have all labelled inputs predicted.

    Raises CannotJudge: the system's labels have other names.
    """
    predictions = predictor.predict([sample.input for sample in labels.samples])
    about = _labels_of(task)
    gold, said = (
        {label for output in of for label, _ in about.items(output)}
        for of in (
            (sample.gold for sample in labels.samples),
            ([found.output for found in predictions if found.output is not None]),
        )
    )
    if about.named and gold and said and not gold & said:
        raise CannotJudge(
            f"{labels.path}: labels are {few(gold)}, the system's are {few(said)}; expected the "
            "same names; rename those of the file"
        )
    return LabelledPredictions(labels, task, predictions)


def _labels_of(task: str) -> Labels:
    found: Labels = resolve(TASKS[task].evaluation)
    return found


def few(names: Iterable[str]) -> str:
    """Return some of the names in words."""
    return shorten(", ".join(sorted(names)[:6]), 200)


def cluster_of(sample: Sample) -> str:
    """Return what a labelled input is counted under: its cluster, else itself."""
    return sample.cluster or sample.id
