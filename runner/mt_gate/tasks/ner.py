"""Named entity recognition: inputs, outputs, and statistics of predictions.

Input: ``{"text": str}``. Output: ``{"entities": [[start, end, label], ...]}``,
character spans, sorted, disjoint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mt_gate.domain import AnswerChange, AnswerMove, Entity
from mt_gate.tasks.spec import CheckpointForm, Demo, TaskSpec

ID = "ner"


def entities(output: Mapping[str, Any]) -> tuple[Entity, ...]:
    """Read an output's entities."""
    return tuple(Entity(*item) for item in output["entities"])


def profile(outputs: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return entities per sentence, overall and by label, over distinct inputs.

    A regression to few or no predictions shows here first.
    """
    counts: dict[str, int] = {}
    sentences = 0
    answered = 0
    for output in outputs:
        sentences += 1
        answered += bool(output["entities"])
        for _, _, label in output["entities"]:
            counts[label] = counts.get(label, 0) + 1
    if not sentences:
        return {}
    shares = {
        f"entities per sentence: {label}": counts[label] / sentences for label in sorted(counts)
    }
    return {
        "entities per sentence": sum(counts.values()) / sentences,
        **shares,
        "share of sentences with an entity": answered / sentences,
    }


def is_right(gold: Mapping[str, Any], output: Mapping[str, Any]) -> bool:
    """Whether the entities equal the gold entities, in spans and labels."""
    return set(entities(gold)) == set(entities(output))


def moves(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[AnswerMove]:
    """Yield the change of each entity: unchanged, relabelled, moved to an overlap, lost or new.

    Each entity has at most one counterpart. Entities of ``after`` without one are new.
    """
    if before == after:  # most are equal, and this path is faster
        for _, _, label in sorted({(*item,) for item in before["entities"]}):
            yield AnswerMove(AnswerChange.KEPT, label, label)
        return
    old, new = set(entities(before)), set(entities(after))
    for entity in sorted(old & new):
        yield AnswerMove(AnswerChange.KEPT, entity.label, entity.label)
    left = sorted(new - old)
    gone = sorted(old - new)
    for how in (AnswerChange.RELABELLED, AnswerChange.MOVED):
        for entity in [*gone]:
            meeting = (e for e in left if e.start < entity.end and entity.start < e.end)
            same = how is AnswerChange.RELABELLED
            other = next((e for e in meeting if e[:2] == entity[:2] or not same), None)
            if other is not None:
                gone.remove(entity)
                left.remove(other)
                yield AnswerMove(how, entity.label, other.label)
    yield from (AnswerMove(AnswerChange.LOST, before=entity.label) for entity in gone)
    yield from (AnswerMove(AnswerChange.FOUND, after=entity.label) for entity in left)


TASK = TaskSpec(
    path=f"{__name__}:TASK",
    id=ID,
    texts=("text",),
    probe={"text": "Anna met Boris in Oslo."},
    profile=profile,
    is_right=is_right,
    says_nothing=lambda output: not output["entities"],
    moves=moves,
    decided=lambda output: {label for _, _, label in output["entities"]},
    spans=True,
    forms={"text": CheckpointForm("mt_gate.sut.reader:TokenClassification")},
    default_suite="ner-default",
    renderer="mt_gate.reporting.words.entities:RENDERER",
    export="mt_gate.exporting.heads:NER",
    evaluation="mt_gate.evaluating.labelled:NER",
    # Without the name swaps that are built at run time, half of the inputs remain.
    demo=Demo("ner-baseline", "ner-candidate", at_run_time=False, sources=2500),
    second_demo=Demo("pii-baseline", "pii-candidate", suite="pii-default"),
    other_systems=("spacy", "flair", "command", "aws-comprehend", "azure-language", "openai"),
    exchange="mt_gate.sut.systems.command:ENTITIES",
    repairable=True,
)
