"""Cases for human review: those of a suite, and those that a run built from predictions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.domain import Alignment
from mt_gate.relations.base import is_known_answer
from mt_gate.reporting.words.rendering import renderer
from mt_gate.results.result import GroupRow
from mt_gate.results.store import GROUPS, read_result, read_rows, result_file
from mt_gate.suites.format import Suite, check_input, group_id
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.table import TASKS

_CAUSE = "Pass the result of a run of this suite, or run 'mt-gate run' again."


class Readable(NamedTuple):
    """A case to review; ``second`` is the second original text of a relation that has two.

    ``answers`` is a text with the predictions, if the case was built from predictions.
    """

    id: str
    relation: str
    source: Input
    follow_up: Input
    alignment: Alignment = ()
    stratum: str = ""
    second: Input | None = None
    answers: str = ""

    def masked(self, task: TaskSpec, mask: Mask) -> Readable:
        """Return the case with its offensive words masked."""
        source, follow_up = mask.group(task, self.source, self.follow_up, self.alignment)
        second = None if self.second is None else mask.group(task, self.second, None).source
        return self._replace(source=source, follow_up=follow_up or self.follow_up, second=second)


def of_suite(suite: Suite) -> list[Readable]:
    """Return the cases of a suite that have an edited text, in its order."""
    inputs = {source.id: source.input for source in suite.sources}
    return [
        Readable(g.id, g.relation, inputs[g.source], g.follow_up, g.alignment, g.stratum)
        for g in suite.groups
        if not is_known_answer(g.relation)
    ]


def of_run(suite: Suite, result: Path) -> list[Readable]:
    """Return the cases that a stored run of a suite built at run time, in its order.

    Args:
        suite: the run's suite, or the whole suite if the run used a sample of it.
        result: the run's folder, or its ``result.json``.

    Raises:
        CannotJudge: missing or damaged, of another task, or with a case that is
            not built from this suite's sources.
    """
    path, head = result_file(result), suite.head
    run = read_result(path)
    if run.suite.task != head.task:
        raise CannotJudge(
            f"{path} is a run of task {run.suite.task}, but suite {head.name} is for {head.task}. "
            f"{_CAUSE}"
        )
    bound = {relation.id for relation in head.relations if relation.bound}
    sources = {source.id: source for source in suite.sources}
    groups, task = path.parent / GROUPS, TASKS[head.task]
    readables: dict[str, Readable] = {}
    for row in read_rows(path, run):
        if row.relation not in bound or row.follow_up is None or row.id in readables:
            continue
        source = sources.get(row.source_id)
        fits = source is not None and row.relation in source.bind and row.source == source.input
        if not fits or row.id != group_id(row.relation, row.source, row.follow_up):
            raise CannotJudge(
                f"{groups}: case {quoted(row.id, 40)} of {row.relation} is not built from a source "
                f"of suite {head.name}. {_CAUSE}"
            )
        for value in (row.follow_up, row.second):
            if value is not None:
                check_input(groups, row.id, task, value)
        readables[row.id] = Readable(
            row.id,
            row.relation,
            row.source,
            row.follow_up,
            row.alignment,
            row.stratum,
            row.second,
            _answers(head.task, row, row.follow_up),
        )
    return [*readables.values()]


def _answers(task: str, row: GroupRow, follow_up: Input) -> str:
    answered = renderer(task).answered
    parts = [f"source: {answered(row.source, row.source_output)}"]
    if row.second is not None:
        parts.append(f"second: {answered(row.second, row.second_output)}")
    return "; ".join([*parts, f"follow-up: {answered(follow_up, row.follow_up_output)}"])


def sample(groups: Sequence[Readable], relation: str, count: int, seed: int) -> list[Readable]:
    """Return random cases of a relation: those with the smallest hashes of seed and id."""

    def rank(group: Readable) -> bytes:
        return hashlib.sha256(f"{seed}\0{group.id}".encode()).digest()

    return sorted((group for group in groups if group.relation == relation), key=rank)[:count]
