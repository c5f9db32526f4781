"""How answers of task text are read: the label map, and thresholds as the product uses them.

    label-map   hateful = ["LABEL_1"]     the checkpoint's LABEL_1 is what the suite calls hateful
    threshold   hateful = 0.8             hateful from 0.8 on, and not by the likeliest label

A violation is of the decision; the scores are told beside it. Without either, labels are the
system's own and so are its decisions. Another map or threshold is another system: fingerprint and
cache key say so.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.jsonio import canonical
from mt_gate.base.redaction import shorten
from mt_gate.relations.stated import Equals, Falls, OutputRelation, Rises, Within, labels_in
from mt_gate.results.result import CheckpointHead
from mt_gate.settings.record import Settings, dashed
from mt_gate.settings.values import in_text
from mt_gate.suites.format import Suite, label_set
from mt_gate.sut.card import derived
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.protocol import Noise, Prediction, System
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.text import NONE, SIGMOID, SOFTMAX

ALL = "*"
"""In thresholds: all labels that are not named."""
_HALF = 0.5
_LONGEST_READING = 1000
"""Characters of map and thresholds that a result tells."""
_MANY, _KEPT = 32, 10
"""Labels whose scores are all told, and the likeliest ones that are of more."""
_BY_SCORE = (Rises, Falls, Within)


class Needs(NamedTuple):
    """What a suite asks of the labels of a system.

    ``labels`` are those that its output relations or gold labels name, and all others of its
    label set then; ``relation`` is one that compares decisions, empty where all compare scores.
    """

    suite: str = ""
    labels: tuple[str, ...] = ()
    relation: str = ""


def needs_of(suite: Suite, relations: Collection[str]) -> Needs:
    """Return what these relations of a suite ask of labels."""
    asked = [
        (one.id, one.output)
        for one in suite.head.relations
        if one.output is not None and one.id in relations
    ]
    named = {label for _, output in asked for label in labels_in(output)}
    if any(isinstance(output, Equals) for _, output in asked):
        named.update(label_set(suite.head))  # gold labels may be any of them
    deciding = [name for name, output in asked if _compares_decisions(output)]
    return Needs(
        suite.head.name,
        tuple(x for x in label_set(suite.head) if x in named),
        deciding[0] if deciding else "",
    )


def _compares_decisions(output: OutputRelation) -> bool:
    return not isinstance(output, _BY_SCORE) or output.when is not None


def operated(system: System, settings: Settings, needs: Needs) -> System:
    """Return a system as its answers are read in this run; itself where nothing reads otherwise.

    Args:
        system: opened.
        settings: of the run.
        needs: what is asked of its labels.

    Raises:
        UsageError: a label map or a threshold names a label that the system has not, or more
            thresholds than one are given for a system that decides for one label.
        CannotJudge: a label that the suite needs is neither mapped nor the system's own, or the
            system decides nothing.
    """
    if not TASKS[settings.task].label_map:
        return system
    about = _System(
        f"checkpoint {system.head.name}" if isinstance(system, ConfinedCheckpoint) else "system",
        system.labels if isinstance(system, ConfinedCheckpoint) else (),
        (system.card.activation or SOFTMAX) if isinstance(system, ConfinedCheckpoint) else "",
    )
    point = _point(about, settings, needs)
    _check_decides(about, point, needs)
    given = {"label_map": settings.label_map, "threshold": settings.threshold}
    return OperatedSystem(system, point, {name: value for name, value in given.items() if value})


class OperatingPoint(NamedTuple):
    """Labels by those of the system that are meant; empty for its own. Thresholds by label."""

    label_map: Mapping[str, tuple[str, ...]]
    threshold: Mapping[str, float]
    activation: str


class _System(NamedTuple):
    """Name, labels as far as they are known before it is asked, and activation, if known."""

    name: str
    labels: Sequence[str]
    activation: str


def _point(system: _System, settings: Settings, needs: Needs) -> OperatingPoint:
    given = {label: tuple(names) for label, names in settings.label_map.items()}
    _check_map(system, given)
    missing = [
        label
        for label in needs.labels
        if label not in given and (given or (system.labels and label not in system.labels))
    ]
    if missing:
        known = f"; {system.name} has {_few(system.labels)}" if system.labels else ""
        lacking = "the label map lacks it" if given else "the system has no such label"
        example = system.labels[-1] if system.labels else "LABEL_1"
        raise CannotJudge(
            f"suite {needs.suite}: needs label {quoted(missing[0], 60)}, and {lacking}{known}; say "
            f"what is meant: --label-map {quoted(f'{missing[0]}={example}', 120)} (docs/text.md)"
        )
    read = given or {label: (label,) for label in needs.labels}
    labels = tuple(read or system.labels)
    threshold = dict(settings.threshold)
    _check_thresholds(system, labels, threshold)
    every = threshold.pop(ALL, None)
    if every is not None:
        threshold = dict.fromkeys(labels, every) | threshold
        if not labels:
            raise UsageError(
                f"--threshold {every:g}: the labels of the system are not known before it is "
                "asked; say which label: LABEL=T"
            )
    return OperatingPoint(read, threshold, system.activation)


def _check_map(system: _System, given: Mapping[str, tuple[str, ...]]) -> None:
    for label, names in given.items():
        unknown = [name for name in names if system.labels and name not in system.labels]
        if unknown:
            raise UsageError(
                f"--label-map {label}: {quoted(unknown[0], 60)} is no label of {system.name}, "
                f"which has {_few(system.labels)}; fix the map"
            )
    of: dict[str, str] = {}
    for label, names in given.items():
        for name in names:
            if of.setdefault(name, label) != label and system.activation == SOFTMAX:
                raise UsageError(
                    f"--label-map: {quoted(name, 60)} is both {of[name]} and {label}, and "
                    f"{system.name} decides for one label; fix the map"
                )


def _check_thresholds(
    system: _System, labels: Sequence[str], threshold: Mapping[str, float]
) -> None:
    unknown = [label for label in threshold if label != ALL and labels and label not in labels]
    if unknown:
        raise UsageError(
            f"--threshold: {quoted(unknown[0], 60)} is no label of {system.name}, which has "
            f"{_few(labels)}; fix it"
        )
    if system.activation == SOFTMAX and (len(threshold) > 1 or ALL in threshold):
        raise UsageError(
            f"--threshold: {system.name} decides for one label of several, so that one threshold "
            f"at most has a meaning, for one label; {len(threshold)} given "
            f"({_few([*threshold])}); give one LABEL=T"
        )


def _check_decides(system: _System, point: OperatingPoint, needs: Needs) -> None:
    if needs.relation and system.activation == NONE and not point.threshold:
        raise CannotJudge(
            f"suite {needs.suite}: relation {needs.relation} compares labels, and {system.name} "
            f"gives a score and decides for none; say from which score on it does: --threshold "
            f"{quoted(f'{next(iter(point.label_map or system.labels))}=T', 120)}, or name a suite "
            "of scores"
        )


class OperatedSystem:
    """A system whose answers are read at an operating point."""

    def __init__(self, system: System, point: OperatingPoint, given: Mapping[str, Any]) -> None:
        """Wrap an opened system; ``given`` is what the user says of how it is read."""
        self.system = system
        self.point = point
        self._given = given

    @property
    def head(self) -> CheckpointHead:
        """Name, runtime, and a fingerprint that tells map and thresholds."""
        head = self.system.head
        mark = derived(head.fingerprint, self._given) if head.fingerprint else ""
        told = "; ".join(
            f"{dashed(name).replace('-', ' ')} {in_text(value, ', ')}"
            for name, value in self._given.items()
        )
        return msgspec.structs.replace(
            head, fingerprint=mark, reading=shorten(told, _LONGEST_READING)
        )

    @property
    def cache_key(self) -> str:
        """That of the system, and how its answers are read."""
        return f"{self.system.cache_key} read {canonical(self.point).decode()}"

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input."""
        for batch in self.system.predict(inputs):
            yield [(index, read(prediction, self.point)) for index, prediction in batch]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how far a score moves where no input has changed."""
        return self.system.noise(inputs)

    def close(self) -> None:
        """Close the system."""
        self.system.close()


def read(prediction: Prediction, point: OperatingPoint) -> Prediction:
    """Return an answer as it is read at an operating point.

    Raises:
        CannotJudge: a threshold is for a label that the system tells no score of.
    """
    output = prediction.output
    if output is None:
        return prediction
    own, told = tuple(output["labels"]), dict(output.get("scores") or {})
    label_map = point.label_map or {label: (label,) for label in dict.fromkeys((*told, *own))}
    scores = _scores(label_map, told, point.activation)
    decided, margin = _decided(label_map, own, told, scores, point)
    labels = sorted(decided, key=lambda label: (-scores.get(label, 0.0), label))
    found = {"labels": labels, "scores": _kept(scores, {*labels, *point.label_map})}
    return Prediction(found, prediction.margin if margin is None else margin)


def _scores(
    label_map: Mapping[str, tuple[str, ...]], told: Mapping[str, float], activation: str
) -> dict[str, float]:
    """Return the score of each label: of one label of several the sum, else the highest."""
    found = {}
    for label, names in label_map.items():
        some = [told[name] for name in names if name in told]
        if some:
            found[label] = round(sum(some), 6) if activation == SOFTMAX else max(some)
    return found


def _decided(
    label_map: Mapping[str, tuple[str, ...]],
    own: Sequence[str],
    told: Mapping[str, float],
    scores: Mapping[str, float],
    point: OperatingPoint,
) -> tuple[set[str], float | None]:
    """Return the labels decided for, and the margin where that is not the system's own."""
    threshold = point.threshold
    for label in threshold:
        if label not in scores:
            raise CannotJudge(
                f"--threshold {label}: the system tells no score of that label; omit the "
                "threshold, or have it tell its scores (docs/text.md)"
            )
    if point.activation == SOFTMAX and threshold:
        ((label, bound),) = threshold.items()
        gap = abs(_logit(scores[label]) - _logit(bound))
        if scores[label] >= bound:
            return {label}, gap
        others = {name: one for name, one in told.items() if name not in label_map[label]}
        best = sorted(others, key=lambda name: -others[name])[:2]
        gaps = [_logit(others[name]) for name in best]
        return _meant(label_map, best[:1]), min([gap, *([gaps[0] - gaps[1]] if gaps[1:] else [])])
    found = {label for label, bound in threshold.items() if scores[label] >= bound}
    found |= _meant(label_map, own) - {*threshold}
    if not threshold or not point.activation:
        return found, None
    if point.activation == NONE:
        return found, min(abs(scores[label] - bound) for label, bound in threshold.items())
    assert point.activation == SIGMOID
    bounds = dict.fromkeys(scores, _HALF) | dict(threshold)
    return found, min(abs(_logit(scores[label]) - _logit(bounds[label])) for label in scores)


def _meant(label_map: Mapping[str, tuple[str, ...]], own: Collection[str]) -> set[str]:
    return {label for label, names in label_map.items() if not {*names}.isdisjoint(own)}


def _kept(scores: Mapping[str, float], needed: Collection[str]) -> dict[str, float]:
    """Return the scores that are told: of many labels the likeliest, and those that are needed."""
    if len(scores) <= _MANY:
        return dict(scores)
    likeliest = sorted(scores, key=lambda label: (-scores[label], label))[:_KEPT]
    kept = {*likeliest, *(needed if len(needed) <= _MANY else ())}
    return {label: score for label, score in scores.items() if label in kept}


def _logit(score: float) -> float:
    inside = min(max(score, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


def _few(labels: Collection[str]) -> str:
    shown = [*labels][:6]
    return quoted(", ".join(shown) + (", ..." if len(labels) > len(shown) else ""), 120)
