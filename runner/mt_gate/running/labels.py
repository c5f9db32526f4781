"""Labelled inputs that a run predicts in addition to its suite, to count wrong predictions.

They form a relation, ``TASK/labels``, with a case per input. For task ``ner``, an input has a
case per gold entity, and one for all other predicted entities. Each case is in the slice of its
label. So accuracy, and recall of every label, are tested, paired and reported like a relation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.escaping import shorten
from mt_gate.base.files import sha256_file
from mt_gate.domain import LABELS, Block, Verdict
from mt_gate.results.result import GroupRow, LabelledAnswers
from mt_gate.running.predicting import Predictor
from mt_gate.suites.format import group_id
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.table import TASKS, listed


class LabelledInputs(NamedTuple):
    """The samples of a file (``evaluating.labelled.Labelled``), in order of cluster and id."""

    path: Path
    sha256: str
    samples: Sequence[Any]


def read_labels(
    path: Path, task: str, label_map: Mapping[str, Sequence[str]] = {}
) -> LabelledInputs:
    """Read a labelled file in mt-gate's format, as ``mt-gate evaluate`` does.

    The file has the suite's labels, or the system's, which ``label_map`` renames. Raises
    UsageError: the task has no labelled files. CannotJudge: it is missing, invalid or empty.
    """
    if not TASKS[task].evaluation:
        known = listed(lambda spec: spec.evaluation)
        raise UsageError(f"--labels works only with task {known}, but the task is {task}. Omit it.")
    meant = {own: label for label, names in label_map.items() for own in names}
    samples = []
    for sample in resolve_name(TASKS[task].evaluation).samples(path, task):
        labels = {*sample.gold.get("labels", ())}
        if not labels.isdisjoint(meant):
            gold = {"labels": sorted({meant.get(label, label) for label in labels})}
            sample = sample._replace(gold=gold)
        samples.append(sample)
    samples.sort(key=lambda sample: (cluster_of(sample), sample.id))
    return LabelledInputs(path, sha256_file(path), samples)


class LabelledPredictions(NamedTuple):
    """Labelled inputs, and the system's prediction for each, in the same order."""

    labels: LabelledInputs
    task: str
    predictions: Sequence[Prediction]

    def wrong(self) -> LabelledAnswers:
        """Return which inputs are predicted wrongly, or have no prediction."""
        is_right = TASKS[self.task].is_right
        pairs = zip(self.labels.samples, self.predictions, strict=True)
        wrong = tuple(
            number
            for number, (sample, prediction) in enumerate(pairs)
            if prediction.output is None or not is_right(sample.gold, prediction.output)
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
        """Yield the cases of the relation of labelled inputs, each with its verdict."""
        spec, relation = TASKS[self.task], f"{self.task}/{LABELS}"
        for sample, prediction in zip(self.labels.samples, self.predictions, strict=True):
            for name, right, labels in self._parts(sample, prediction):
                verdict = Verdict.SATISFIED if right else Verdict.VIOLATED
                if prediction.output is None:
                    verdict = Verdict.NOT_APPLICABLE
                yield GroupRow(
                    id=group_id(relation, sample.input, {"part": name, "expected": labels}),
                    relation=relation,
                    source_id=sample.id,
                    cluster=sample.cluster,
                    verdict=verdict,
                    source=sample.input,
                    follow_up=sample.input,
                    alignment=(Block(0, 0, len(spec.text(sample.input))),),
                    source_output=prediction.output,
                    follow_up_output=prediction.output,
                    unmatched={"expected": labels} if verdict is Verdict.VIOLATED else None,
                    reason=prediction.reason if prediction.output is None else "",
                    slices=tuple(f"label: {label}" for label in labels) or ("label: none",),
                    unstable=prediction.margin < 2 * noise,
                )

    def _parts(self, sample: Any, prediction: Prediction) -> Iterator[tuple[str, bool, list[str]]]:
        """Yield the parts of an input that are judged separately: name, whether right, labels."""
        spec = TASKS[self.task]
        items = resolve_name(spec.evaluation).items
        gold = [*items(sample.gold)]
        if not spec.spans:
            right = prediction.output is not None and spec.is_right(sample.gold, prediction.output)
            yield "", right, [label for label, _ in gold]
            return
        predicted = [] if prediction.output is None else [*items(prediction.output)]
        for number, (label, place) in enumerate(gold):
            yield str(number), (label, place) in predicted, [label]
        yield "rest", all(item in gold for item in predicted), []


def predict_labelled(
    labels: LabelledInputs, task: str, predictor: Predictor
) -> LabelledPredictions:
    """Predict all labelled inputs. Raises CannotJudge: file and system share no label."""
    predictions = predictor.predict([sample.input for sample in labels.samples])
    about = resolve_name(TASKS[task].evaluation)
    gold, predicted = (
        {label for output in outputs for label, _ in about.items(output)}
        for outputs in (
            (sample.gold for sample in labels.samples),
            (prediction.output for prediction in predictions if prediction.output is not None),
        )
    )
    if about.named:
        check_common(labels.path, gold, predicted)
    return LabelledPredictions(labels, task, predictions)


def check_common(
    path: Path | None,
    gold: Set[str],
    predicted: Set[str],
    todo: str = "Rename the labels of the file.",
) -> None:
    """Raise CannotJudge if a file and a model share no label, so that every prediction is wrong."""
    if gold and predicted and not gold & predicted:
        raise CannotJudge(
            f"{path} has the labels {few(gold)}, but the model predicts {few(predicted)}. Both "
            f"need the same names. {todo}"
        )


def few(names: Iterable[str]) -> str:
    """Return the first names, joined."""
    return shorten(", ".join(sorted(names)[:6]), 200)


def cluster_of(sample: Any) -> str:
    """Return the cluster of a labelled input; without one, each input is its own cluster."""
    key: str = sample.cluster or sample.id
    return key
