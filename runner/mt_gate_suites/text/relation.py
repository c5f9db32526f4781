"""The record of a relation over texts, from which a suite states it.

A run needs none of these records: what must hold, and what reports say of it, is in the
suite (``suites.format.SuiteRelation``), for any task whose inputs the transformation can edit.
"""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.relations.stated import Falls, OutputRelation, Rises, Same, SpansMapped, When
from mt_gate.suites.format import SuiteRelation
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.text.transformation import Transformation


class Directed(NamedTuple):
    """An output relation of a label that the user names: its score must not move the other way.

    Only of sources that have the label: to deny or to doubt what is kind may well be unkind.

    Args:
        kind: Rises or Falls.
        by: at least by so much.
        slack: with a ``by`` of 0, how far it may move the other way: by more than scores jitter.
    """

    kind: type[Rises] | type[Falls]
    by: float = 0.0
    slack: float = 0.05

    def of(self, label: str) -> OutputRelation:
        """Return the output relation of a label."""
        return self.kind(label=label, by=self.by, slack=self.slack, when=When(label=label))


class TextRelation(NamedTuple):
    """A relation over texts: ``TASK/NAME`` in a suite of a task that it serves.

    Args:
        name: the part of its id after the task.
        title: a noun phrase of at most five words, and in brackets what is expected, unless it is
            the same prediction.
        description: two short sentences: the edit, then what must follow.
        paper: where it comes from.
        before: an example source, ``after`` its follow-up.
        transformation: makes follow-ups.
        output: what must hold; of a label, where ``Directed``.
        surface: whether it edits only the spelling, so that it serves other tasks too. Entities,
            where a task has them, are mapped through the edit.
    """

    name: str
    title: str
    description: str
    paper: str
    before: str
    after: str
    transformation: Transformation
    output: OutputRelation | Directed = Same()
    surface: bool = False

    def serves(self, task: TaskSpec) -> bool:
        """Whether its transformation edits the inputs of a task.

        All edit those of text classification; spelling may change in any task.
        """
        return self.surface or task.label_map

    def output_in(self, task: str, label: str = "") -> OutputRelation | None:
        """Return what must hold of a task's answers; None if a needed label is missing.

        Args:
            task: one that it serves.
            label: of a ``Directed`` relation.
        """
        if TASKS[task].spans:
            return SpansMapped()
        if isinstance(self.output, Directed):
            return self.output.of(label) if label else None
        return self.output

    def stated(self, task: str, output: OutputRelation) -> SuiteRelation:
        """Return the relation as a suite states it, without groups yet."""
        return SuiteRelation(
            id=f"{task}/{self.name}",
            groups=0,
            sources=0,
            title=self.title,
            description=self.description,
            paper=self.paper,
            before=self.before,
            after=self.after,
            output=output,
        )
