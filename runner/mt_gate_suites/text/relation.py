"""The record of a relation over texts, from which a suite states it.

A run needs none of these records: the suite has the output relation and the texts for reports
(``suites.format.SuiteRelation``). A relation serves all tasks whose inputs it can edit.
"""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.relations.stated import Falls, OutputRelation, Rises, Same, SpansMapped, When
from mt_gate.suites.format import SuiteRelation
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS
from mt_gate_suites.text.transformation import Transformation


class Directed(NamedTuple):
    """An output relation of a label that the user names: its score must rise, or must fall.

    Only sources with that prediction are tested: the negation of a kind text may be unkind.

    Args:
        kind: Rises or Falls.
        by: least change of the score.
        slack: if ``by`` is 0, how far the score may move the other way, because scores vary.
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
        before: an example of an original text; ``after`` is its edited text.
        transformation: makes edited texts.
        output: the output relation; if ``Directed``, the user names the label.
        surface: whether it edits only the spelling, so that it serves other tasks too. If a task
            has entities, the edit maps them.
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

        All relations edit inputs of text classification; surface relations edit any task's.
        """
        return self.surface or task.label_map

    def output_in(self, task: str, label: str = "") -> OutputRelation | None:
        """Return the output relation for a task; None if a needed label is missing.

        Args:
            task: a task that it serves.
            label: the label of a ``Directed`` relation.
        """
        if TASKS[task].spans:
            return SpansMapped()
        if isinstance(self.output, Directed):
            return self.output.of(label) if label else None
        return self.output

    def stated(self, task: str, output: OutputRelation) -> SuiteRelation:
        """Return the relation as a suite states it, without cases yet."""
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
