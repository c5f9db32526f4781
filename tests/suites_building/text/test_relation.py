"""What a record of a relation says of each task."""

from __future__ import annotations

from mt_gate.relations.stated import Falls, Rises, Same, SpansMapped, When
from mt_gate.tasks.table import TASKS
from mt_gate_suites.text.catalogue import BY_NAME


def test_entities_are_mapped_in_task_ner() -> None:
    typo = BY_NAME["keyboard-typo"]
    assert typo.output_in("ner") == SpansMapped()
    assert typo.output_in("text") == typo.output_in("boolq") == typo.output_in("re") == Same()


def test_the_spelling_may_change_in_every_task() -> None:
    assert all(BY_NAME["keyboard-typo"].serves(task) for task in TASKS.values())
    assert [name for name, task in TASKS.items() if BY_NAME["politeness"].serves(task)] == ["text"]


def test_a_directed_relation_needs_a_label() -> None:
    negation, intensifier = BY_NAME["negation"], BY_NAME["intensifier"]
    assert negation.output_in("text") is None
    toxic = When(label="toxic")
    falls, rises = (kind(label="toxic", by=0.0, slack=0.05, when=toxic) for kind in (Falls, Rises))
    assert negation.output_in("text", "toxic") == falls
    assert intensifier.output_in("text", "toxic") == rises
