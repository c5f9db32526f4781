"""Text classification: inputs, outputs, and the comparison of predictions.

Input: ``{"text": str}``, or a pair, ``{"text": str, "second": str}``. Output: ``{"labels": [...],
"scores": {label: score}}``. ``labels`` are the predicted labels, each once, the likeliest first.
``scores`` are in [0, 1], for the labels that have one. A system of one label per prediction always
has one; a system of any number may have none. A system that returns a plain score has no labels
unless a threshold decides. A gold output has only ``labels``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from mt_gate.domain import AnswerChange, AnswerMove
from mt_gate.tasks.spec import (
    PROMPT,
    CheckpointForm,
    Demo,
    Input,
    Output,
    Score,
    TaskSpec,
    one_label,
)

ID = "text"
TEXT, SECOND = "text", "second"
ONE, PAIR = "text", "text-pair"
"""Input forms of checkpoints."""
SOFTMAX, SIGMOID, NONE = "softmax", "sigmoid", "none"
"""Activations of logits: for one label per prediction, for any number, and for a plain score."""
ACTIVATIONS = (SOFTMAX, SIGMOID, NONE)
MANY, LIKELIEST = 32, 10
"""Maximum labels whose scores are all shown; of more labels, this many likeliest are shown."""
_PROFILED = 30
"""Maximum labels in a profile: the most frequent ones."""


def decided(output: Output) -> tuple[str, ...]:
    """Return the labels."""
    return tuple(output["labels"])


def scores(output: Output) -> Mapping[str, float]:
    """Return the score of each label that has one."""
    by_label: Mapping[str, float] = output.get("scores") or {}
    return by_label


def shown_scores(scores: Mapping[str, float], needed: Collection[str]) -> dict[str, float]:
    """Return the scores to show of many labels: the likeliest, and those that are needed."""
    likeliest = sorted(scores, key=lambda label: (-scores[label], label))[:LIKELIEST]
    shown = {*likeliest, *needed}
    return {label: score for label, score in scores.items() if label in shown}


def profile(outputs: Iterable[Output]) -> dict[str, float]:
    """Return the share of each label over distinct inputs; without labels, the mean of scores."""
    counts: Counter[str] = Counter()
    by_class: dict[str, list[float]] = {}
    answers = silent = 0
    for output in outputs:
        answers += 1
        silent += not output["labels"]
        counts.update(output["labels"])
        for label, score in () if counts else scores(output).items():
            by_class.setdefault(label, []).append(score)
    if not counts:
        return {
            f"mean score of {label}": math.fsum(by_class[label]) / len(by_class[label])
            for label in sorted(by_class)[:_PROFILED]
        }
    # Break ties by name, so that the order in which inputs were run does not matter.
    frequent = sorted(sorted(counts, key=lambda label: (-counts[label], label))[:_PROFILED])
    return {
        **{f"share of {label}": counts[label] / answers for label in frequent},
        **({"share without a label": silent / answers} if silent else {}),
    }


def is_right(gold: Output, output: Output) -> bool:
    """Whether the labels are the gold labels, all of them."""
    return set(gold["labels"]) == set(output["labels"])


def moves(before: Output, after: Output) -> Iterator[AnswerMove]:
    """Yield the change of each label; a prediction may have several, or none."""
    old, new = decided(before), decided(after)
    if len(old) == len(new) == 1:
        yield from one_label(old[0], new[0])
        return
    yield from (AnswerMove(AnswerChange.KEPT, label, label) for label in old if label in new)
    yield from (AnswerMove(AnswerChange.LOST, before=label) for label in old if label not in new)
    yield from (AnswerMove(AnswerChange.FOUND, after=label) for label in new if label not in old)


def score(output: Output) -> Score | None:
    """Return the score of the likeliest label, or the only score that there is."""
    by_label, labels = scores(output), decided(output)
    of = labels[0] if labels else next(iter(by_label), "")
    if of not in by_label or not (labels or len(by_label) == 1):
        return None
    return Score(of, min(max(by_label[of], 0.0), 1.0))


def fault(value: Input) -> str:
    """Return a message on a wrong second text of a pair; empty if it is right."""
    second = value.get(SECOND, "text")
    usable = isinstance(second, str) and second.strip()
    return "" if usable else f"{SECOND} is empty or no text: a single text has no {SECOND!r}"


TASK = TaskSpec(
    path=f"{__name__}:TASK",
    id=ID,
    texts=(TEXT, SECOND),
    optional=(SECOND,),
    probe={TEXT: "The film was good."},
    profile=profile,
    is_right=is_right,
    says_nothing=lambda output: not output["labels"],
    moves=moves,
    score=score,
    decided=decided,
    scores=scores,
    fault=fault,
    forms={
        ONE: CheckpointForm("mt_gate.sut.reader:TextReader"),
        PAIR: CheckpointForm("mt_gate.sut.reader:TextReader"),
        PROMPT: CheckpointForm("mt_gate.sut.reader:TextReader"),
    },
    default_suite="text-robustness",
    renderer="mt_gate.reporting.words.labels:RENDERER",
    export="mt_gate.exporting.heads:TEXT",
    evaluation="mt_gate.evaluating.labelled:TEXT",
    other_systems=("command", "openai"),
    exchange="mt_gate.sut.systems.command:LABELS",
    demo=Demo(
        "text-baseline",
        "text-candidate",
        suite="moderation-default",
        label_map={"hateful": ("hate_speech",)},
    ),
    label_map=True,
)
