"""The operating point of task text: a label map, and decision thresholds.

    label-map   hateful = ["LABEL_1"]     the suite's label hateful is the checkpoint's LABEL_1;
                                          labels that are not in the map keep their names
    threshold   hateful = 0.8             predict hateful if its score is at least 0.8

Relations compare the resulting labels, and reports also show the scores. Without map and
threshold, labels and decisions are those of the system. Another map or threshold changes the
fingerprint. The cache stores predictions before both are applied, so a changed threshold needs no
new predictions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, nearest, page, quoted
from mt_gate.base.escaping import shorten
from mt_gate.relations.stated import Equals, Falls, Rises, Within, labels_in
from mt_gate.results.result import CheckpointHead
from mt_gate.settings.record import Settings, dashed
from mt_gate.settings.values import in_text
from mt_gate.suites.format import SuiteFile, label_set
from mt_gate.sut.card import derived
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.protocol import Noise, Prediction, System
from mt_gate.tasks.spec import Output
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.text import LIKELIEST, MANY, NONE, SIGMOID, SOFTMAX, shown_scores

ALL = "*"
"""The key of thresholds for all labels that are not named."""
_LEAST = 1e-9
_LONGEST_READING = 1000
"""Maximum characters of the map and thresholds in a result."""
_DIGITS = 6
_OWN = "(own)"
"""Suffix of a system's label if the label map uses its name for another label."""
_LONGEST_MAP = 300
"""Maximum characters of a proposed label map in a message."""
_SOME_LABEL = "LABEL"
"""Placeholder for a label of the system in a proposed label map."""
_MOST_CHANGES = 3
"""Maximum changes that a sentence names."""
_BY_SCORE = (Rises, Falls, Within)


class Needs(NamedTuple):
    """The labels and scores that a suite needs from a system.

    ``labels`` are those that its output relations name, or its whole label set if a relation
    compares gold labels. ``relation`` is one that compares decisions, empty if all compare scores.
    ``scored`` are the labels whose scores are compared. ``kinds`` are the labels of known entities
    (task ner), of which a system may lack some.
    """

    suite: str = ""
    labels: tuple[str, ...] = ()
    relation: str = ""
    scored: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


def needs_of(head: SuiteFile, relations: Collection[str]) -> Needs:
    """Return the labels and scores that these relations of a suite need."""
    outputs = [
        (relation.id, relation.output)
        for relation in head.relations
        if relation.output is not None and relation.id in relations
    ]
    named = {label for _, output in outputs for label in labels_in(output)}
    if any(isinstance(output, Equals) for _, output in outputs):
        named.update(label_set(head))  # gold labels may be any of them
    deciding = [
        name
        for name, output in outputs
        if not isinstance(output, _BY_SCORE) or output.when is not None
    ]
    return Needs(
        head.name,
        tuple(x for x in label_set(head) if x in named),
        deciding[0] if deciding else "",
        tuple(sorted({output.label for _, output in outputs if isinstance(output, _BY_SCORE)})),
    )


def check_named(head: CheckpointHead, needs: Needs, outputs: Iterable[Output]) -> None:
    """Reject predictions without needed labels; a checkpoint's labels were checked before."""
    if head.runtime.onnxruntime or not needs.labels:
        return
    named, scored = set[str](), set[str]()
    for output in outputs:
        scored.update(output["scores"])
        named.update(output["labels"])
    named |= scored
    lacking = [label for label in needs.scored if scored and label not in scored]
    if named and named.isdisjoint(needs.labels):
        lacking = [*needs.labels]
    if lacking:
        example = in_text({lacking[0]: (_SOME_LABEL,)})
        raise CannotJudge(
            f"Suite {needs.suite} needs label {quoted(lacking[0], 60)}, but the model never "
            f"predicts it. Its predictions have {_few(sorted(named))}. Fix the model's labels, "
            f"or map them: --label-map {quoted(example, 120)} (see "
            f"{page('labels', 'label-map')})"
        )


def check_labels(settings: Settings, labels: Sequence[str], needs: Needs) -> None:
    """Reject a label map or a suite that does not fit a checkpoint's labels, before its export.

    Raises UsageError: a label map or a threshold names a label that the checkpoint does not have.
    CannotJudge: a label that the suite needs is neither in the map nor in the checkpoint.
    """
    if TASKS[settings.task].label_map and labels:
        name = f"checkpoint {Path(settings.checkpoint).resolve().name}"
        _point(_System(name, labels, ""), settings, needs)


def operated(system: System, settings: Settings, needs: Needs) -> System:
    """Return a system that applies a run's label map and thresholds (task text)."""
    about = _System("system", (), "")
    if isinstance(system, ConfinedCheckpoint):
        activation = system.card.activation or SOFTMAX
        about = _System(f"checkpoint {system.head.name}", system.labels, activation)
    point = _point(about, settings, needs)
    if needs.relation and about.activation == NONE and not point.threshold:
        example = f"{next(iter(point.label_map or about.labels))}=T"
        raise CannotJudge(
            f"Suite {needs.suite}: relation {needs.relation} compares labels, but {about.name} "
            "returns only a score. Set the decision threshold with --threshold "
            f"{quoted(example, 120)}, or choose a suite that compares scores."
        )
    values = {"label_map": settings.label_map, "threshold": settings.threshold}
    stated = {name: value for name, value in values.items() if value}
    labels = _whole(point.label_map, about.labels) if about.labels else ()
    return OperatedSystem(system, point, stated, labels)


class OperatingPoint(NamedTuple):
    """A label map, thresholds and the activation, completed for one system.

    ``scored`` are labels whose scores are always in the result.
    """

    label_map: Mapping[str, tuple[str, ...]]
    threshold: Mapping[str, float]
    activation: str
    scored: tuple[str, ...] = ()


class _System(NamedTuple):
    """The name of a system, and its labels and activation, empty if they are not known yet."""

    name: str
    labels: Sequence[str]
    activation: str


def _point(system: _System, settings: Settings, needs: Needs) -> OperatingPoint:
    """Check label map and thresholds against a system, and return them complete."""
    label_map = {label: tuple(names) for label, names in settings.label_map.items()}
    of: dict[str, str] = {}
    for label, names in label_map.items():
        for name in names:
            if system.labels and name not in system.labels:
                raise UsageError(
                    f"--label-map {label}: {quoted(name, 60)} is not a label of {system.name}, "
                    f"which has {_few(system.labels)}.{did_you_mean(name, system.labels)} Fix "
                    "the map."
                )
            if of.setdefault(name, label) != label and system.activation == SOFTMAX:
                raise UsageError(
                    f"--label-map: {quoted(name, 60)} is mapped to both {of[name]} and {label}, "
                    f"but {system.name} predicts one label. Fix the map."
                )
    missing = [
        label
        for label in needs.labels
        if label not in label_map
        and (label in of or (system.labels and label not in system.labels))
    ]
    if missing:
        # Propose a complete map. An entry for a label that is not needed may be misspelled.
        misspelt = {
            name: near
            for name in label_map
            if name not in needs.labels and (near := nearest(name, missing))
        }
        proposed = {misspelt.get(label, label): names for label, names in label_map.items()}
        proposed |= {label: (_SOME_LABEL,) for label in missing if label not in proposed}
        near = next(
            (f" (is its {quoted(n, 60)} a typo for {label}?)" for n, label in misspelt.items()), ""
        )
        known = f". The labels of {system.name} are {_few(system.labels)}" if system.labels else ""
        lacking = "the label map lacks it" if label_map else "the model has no such label"
        raise CannotJudge(
            f"Suite {needs.suite} needs label {quoted(missing[0], 60)}, but "
            f"{lacking}{near}{known}. Map the labels: --label-map "
            f"{quoted(in_text(proposed), _LONGEST_MAP)} (see {page('labels', 'label-map')})"
        )
    read = label_map | {label: (label,) for label in needs.labels if label not in label_map}
    labels = dict.fromkeys((*read, *_whole(read, system.labels)))
    threshold = dict(settings.threshold)
    unknown = [label for label in threshold if label != ALL and label not in labels]
    if unknown and system.labels:
        raise UsageError(
            f"--threshold: {quoted(unknown[0], 60)} is not a label of {system.name}. Its labels, "
            f"after the label map, are {_few(labels)}.{did_you_mean(unknown[0], labels)} Fix it."
        )
    every = threshold.pop(ALL, None)
    if system.activation == SOFTMAX and (every is not None or len(threshold) > 1):
        several = f"{len(threshold)}, of {_few(threshold)}"
        raise UsageError(
            f"--threshold: {system.name} predicts one label of several, so only one label may "
            f"have a threshold (got {several if every is None else 'one for all labels'}). Pass "
            f"one LABEL=T, with a label of {_few(labels)}."
        )
    if every is not None:
        threshold = dict.fromkeys(labels, every) | threshold
        if not labels:
            raise UsageError(
                f"--threshold {every:g}: mt-gate does not know the model's labels in advance. "
                "Name the label: LABEL=T"
            )
    return OperatingPoint(read, threshold, system.activation, needs.scored)


def _whole(
    label_map: Mapping[str, tuple[str, ...]], own: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return a label map that also has the system's other labels, each mapped to itself.

    A label whose name the map uses for another label gets a suffix.
    """
    taken = {name for names in label_map.values() for name in names}
    rest = {f"{n} {_OWN}" if n in label_map else n: (n,) for n in own if n not in taken}
    return {**label_map, **rest}


@dataclass(eq=False)
class OperatedSystem:
    """An opened system with an operating point, which is applied to its predictions.

    ``chosen`` are the settings of the user. ``labels`` are those that it can predict, after the
    label map, and empty if they are not known. In task ner, ``point`` is None, because predictions
    keep the system's labels.
    """

    system: System
    point: OperatingPoint | None
    chosen: Mapping[str, Any]
    labels: Collection[str] = ()

    @property
    def head(self) -> CheckpointHead:
        """Name, runtime, and a fingerprint that covers map and thresholds."""
        head = self.system.head
        reading = "; ".join(
            f"{dashed(name).replace('-', ' ')} {in_text(value, ', ')}"
            for name, value in self.chosen.items()
        )
        return msgspec.structs.replace(
            head,
            fingerprint=derived(head.fingerprint, self.chosen) if head.fingerprint else "",
            reading=shorten(reading, _LONGEST_READING),
            own_fingerprint=head.fingerprint if self.chosen else "",
            **self.chosen,
        )

    @property
    def cache_key(self) -> str:
        """The system's key, because the cache stores predictions without the operating point."""
        return self.system.cache_key

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict every input."""
        for batch in self.system.predict(inputs):
            point = self.point
            yield [(at, read(said, point)) if point else (at, said) for at, said in batch]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how much scores differ between predictions on the same input."""
        return self.system.noise(inputs)

    def close(self) -> None:
        """Close the system."""
        self.system.close()


def reading_change(now: CheckpointHead, before: CheckpointHead) -> str:
    """Return a sentence on label maps or thresholds that differ in two runs of one checkpoint.

    It is empty if none differ, or if the runs may be of different checkpoints.
    """
    own, other = (head.own_fingerprint or head.fingerprint for head in (now, before))
    changes = []
    for label in dict.fromkeys((*before.threshold, *now.threshold)):
        if before.threshold.get(label) != now.threshold.get(label):
            was, new = (
                f"{bounds[label if label in bounds else ALL]:g}"
                if label in bounds or ALL in bounds
                else "its default"
                for bounds in (before.threshold, now.threshold)
            )
            which = "all labels" if label == ALL else label
            changes.append(f"the threshold for {which} changed from {was} to {new}")
    if now.label_map != before.label_map:
        changes.append("the label map changed")
    if not own or own != other or not changes:
        return ""
    more = ["more thresholds changed"] if changes[_MOST_CHANGES:] else []
    sentence = ", and ".join([*changes[:_MOST_CHANGES], *more])
    return f"{sentence[0].upper()}{sentence[1:]}. The checkpoint is the same."


def read(prediction: Prediction, point: OperatingPoint) -> Prediction:
    """Apply an operating point to a prediction. Raises CannotJudge."""
    output = prediction.output
    if output is None:
        return prediction
    own, own_scores = output["labels"], output.get("scores") or {}
    if point.label_map or point.threshold:
        label_map = _whole(point.label_map, dict.fromkeys((*own_scores, *own)))
        scores = {}
        for label, names in label_map.items():
            some = [own_scores[name] for name in names if name in own_scores]
            if some:  # add up softmax scores: the probability of any of them
                scores[label] = sum(some) if point.activation == SOFTMAX else max(some)
        scores = _rounded(scores, point.activation)
        decided, margin = _decided(label_map, own, scores, point)
        number = len(scores)
    else:  # the usual case: do no work for scores that are not shown
        some_scores, number = dict(own_scores), len(own_scores)
        if number > MANY:  # keep needed labels, and those that rounding may make likeliest
            needed = {*own, *point.scored}
            least = sorted(own_scores.values())[-LIKELIEST] - 10**-_DIGITS
            some_scores = {n: v for n, v in own_scores.items() if v >= least or n in needed}
        scores, decided, margin = _rounded(some_scores, point.activation), {*own}, None
    labels = sorted(decided, key=lambda label: (-scores.get(label, 0.0), label))
    if number > MANY:
        scores = shown_scores(scores, {*labels, *point.scored, *point.threshold})
    closest = prediction.margin if margin is None else margin
    return Prediction({"labels": labels, "scores": scores}, closest)


def _rounded(scores: Mapping[str, float], activation: str) -> dict[str, float]:
    if activation != SOFTMAX:
        return dict(scores)
    return {label: round(score, _DIGITS) for label, score in scores.items()}


def _decided(
    label_map: Mapping[str, tuple[str, ...]],
    own: Sequence[str],
    scores: Mapping[str, float],
    point: OperatingPoint,
) -> tuple[set[str], float | None]:
    """Return the predicted labels and their margin; None if the system's margin still applies.

    A margin is a difference of logits. For softmax that is a difference of logarithms of scores.
    """
    threshold = point.threshold
    for label in threshold:
        if label not in scores:
            raise CannotJudge(
                f"--threshold {label}: the model returns no score for that label. Omit the "
                f"threshold, or make the model return its scores: {page('labels', 'threshold')}"
            )
    meant = {label for label, names in label_map.items() if not {*names}.isdisjoint(own)}
    if point.activation == SOFTMAX:
        gap = math.inf
        if not threshold and all(len(label_map[label]) == 1 for label in scores):
            return meant, None
        for label, bound in threshold.items():
            gap = abs(_logit(scores[label]) - _logit(bound))
            if scores[label] >= bound:
                return {label}, gap
        # If scores are equal, prefer the label that the system predicts.
        rest = [label for label in scores if label not in threshold]
        best = sorted(rest, key=lambda label: (-scores[label], label not in meant, label))[:2]
        gaps = [math.log(max(scores[label], _LEAST)) for label in best]
        return {*best[:1]}, min([gap, *([gaps[0] - gaps[1]] if gaps[1:] else [])])
    labels = {label for label, bound in threshold.items() if scores[label] >= bound}
    labels |= meant - {*threshold}
    if not threshold or not point.activation:
        return labels, None
    if point.activation == NONE:
        return labels, min(abs(scores[label] - bound) for label, bound in threshold.items())
    assert point.activation == SIGMOID
    bounds = dict.fromkeys(scores, 0.5) | dict(threshold)
    return labels, min(abs(_logit(scores[label]) - _logit(bounds[label])) for label in scores)


def _logit(score: float) -> float:
    inside = min(max(score, _LEAST), 1 - _LEAST)
    return math.log(inside / (1 - inside))


def _few(labels: Collection[str]) -> str:
    shown = [*labels][:6]
    text = quoted(", ".join(shown) + (", ..." if len(labels) > len(shown) else ""), 120)
    if not any(label.endswith(f" {_OWN}") for label in shown):
        return text
    return f"{text} [{_OWN}: the label map uses this name for another label]"
