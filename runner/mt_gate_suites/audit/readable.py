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

_ADVICE = "Pass the result of a run of this suite, or run 'mt-gate run' again."


class ReviewCase(NamedTuple):
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

    def masked(self, task: TaskSpec, mask: Mask) -> ReviewCase:
        """Return the case with its offensive words masked."""
        source, follow_up = mask.group(task, self.source, self.follow_up, self.alignment)
        second = None if self.second is None else mask.group(task, self.second, None).source
        return self._replace(source=source, follow_up=follow_up or self.follow_up, second=second)


def suite_cases(suite: Suite) -> list[ReviewCase]:
    """Return the cases of a suite that have an edited text, in its order."""
    inputs = {source.id: source.input for source in suite.sources}
    return [
        ReviewCase(g.id, g.relation, inputs[g.source], g.follow_up, g.alignment, g.stratum)
        for g in suite.groups
        if not is_known_answer(g.relation)
    ]


def run_cases(suite: Suite, result: Path) -> list[ReviewCase]:
    """Return the cases that a stored run of a suite built at run time, in its order.

    Args:
        suite: the run's suite, or the whole suite if the run used a sample of it.
        result: the run's folder, or its ``result.json``.

    Raises:
        CannotJudge: the result is missing or damaged, is of another task, or has a case that is
            not built from this suite's sources.
    """
    path, head = result_file(result), suite.head
    run = read_result(path)
    if run.suite.task != head.task:
        raise CannotJudge(
            f"{path} is a run of task {run.suite.task}, but suite {head.name} is for {head.task}. "
            f"{_ADVICE}"
        )
    bound = {relation.id for relation in head.relations if relation.bound}
    sources = {source.id: source for source in suite.sources}
    rows_path, task = path.parent / GROUPS, TASKS[head.task]
    cases: dict[str, ReviewCase] = {}
    for row in read_rows(path, run):
        if row.relation not in bound or row.follow_up is None or row.id in cases:
            continue
        source = sources.get(row.source_id)
        fits = source is not None and row.relation in source.bind and row.source == source.input
        if not fits or row.id != group_id(row.relation, row.source, row.follow_up):
            raise CannotJudge(
                f"{rows_path}: case {quoted(row.id, 40)} of {row.relation} is not built from a "
                f"source of suite {head.name}. {_ADVICE}"
            )
        for value in (row.follow_up, row.second):
            if value is not None:
                check_input(rows_path, row.id, task, value)
        cases[row.id] = ReviewCase(
            row.id,
            row.relation,
            row.source,
            row.follow_up,
            row.alignment,
            row.stratum,
            row.second,
            predictions_text(head.task, row, row.follow_up),
        )
    return [*cases.values()]


def predictions_text(task: str, row: GroupRow, follow_up: Input) -> str:
    """Return the predictions on the texts of a case."""
    answered = renderer(task).answered
    parts = [f"original: {answered(row.source, row.source_output)}"]
    if row.second is not None:
        parts.append(f"second: {answered(row.second, row.second_output)}")
    return "; ".join([*parts, f"edited: {answered(follow_up, row.follow_up_output)}"])


def sample(cases: Sequence[ReviewCase], relation: str, count: int, seed: int) -> list[ReviewCase]:
    """Return random cases of a relation: those with the smallest hashes of seed and id."""

    def rank(case: ReviewCase) -> bytes:
        return hashlib.sha256(f"{seed}\0{case.id}".encode()).digest()

    return sorted((case for case in cases if case.relation == relation), key=rank)[:count]
