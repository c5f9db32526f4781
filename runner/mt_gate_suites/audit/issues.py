"""Suspicious issues of a run: a sheet for reviewers, and the share with a wrong prediction.

TIN (Yu et al., ESEC/FSE 2023), sections 4.3 to 4.5. A *suspicious issue* is a violated case. It is
*erroneous* if the prediction for at least one of its texts is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.figures import counted, percent
from mt_gate.domain import Entity, Side, Verdict, inverse, map_span
from mt_gate.judging.statistics import wilson
from mt_gate.relations.base import ExecutedGroup
from mt_gate.relations.ner.entities import categorise, cores
from mt_gate.repairing.repair import Gold, read_labels
from mt_gate.reporting.words.texts import ERRORS
from mt_gate.results.result import GroupRow
from mt_gate.results.store import read_result, read_rows, result_file
from mt_gate.suites.format import Suite, find_suite, masked_of, read_suite
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.audit import GROUPS, write_new
from mt_gate_suites.audit.readable import ReviewCase, predictions_text, sample
from mt_gate_suites.audit.sheet import line_of, read_sheet, to_csv
from mt_gate_suites.audit.suite_texts import list_relations

SHEET = "issues.csv"
ERROR, NONE = "error", "none"
"""Marks: at least one prediction is wrong, or none is."""


class Issue(NamedTuple):
    """A violated case, its categories of error, and whether labels show an error, if known."""

    case: ReviewCase
    categories: tuple[str, ...]
    wrong: bool | None = None


class IssuePrecision(NamedTuple):
    """Erroneous issues of those that are marked, or labelled, for a relation or a category."""

    name: str
    wrong: int
    of: int

    def __str__(self) -> str:
        """Return the counts and the share with its 95% interval (Wilson)."""
        low, high = map(percent, wilson(self.wrong, self.of))
        share = percent(self.wrong / self.of)
        number = counted(self.of, "issue")
        return f"{self.name}: {self.wrong} of {number} erroneous, {share} (95% CI {low} to {high})"


def read_issues(suite: Suite, result: Path, labels: Path | None) -> list[Issue]:
    """Return the violated cases of a run; ``labels`` (task ner) show which predictions are wrong.

    With labels, the categories are those of the wrong side. Without, an entity that only one side
    has is an omission or over-labelling.

    Raises:
        UsageError: labels for another task.
        CannotJudge: the run is missing, or of another suite.
    """
    path, task = result_file(result), suite.head.task
    run = read_result(path)
    if (run.suite.name, run.suite.task) != (suite.head.name, task):
        raise CannotJudge(
            f"{path} is a run of suite {run.suite.name}, not of {suite.head.name}. Pass its suite."
        )
    if labels is not None and not TASKS[task].spans:
        raise UsageError(f"--labels works with --issues only for task ner, not {task}. Omit it.")
    known = read_labels(labels) if labels else {}
    issues: dict[str, Issue] = {}
    for row in read_rows(path, run):
        if row.verdict is not Verdict.VIOLATED or row.follow_up is None:
            continue
        answers = predictions_text(task, row, row.follow_up)
        case = ReviewCase(
            row.id, row.relation, row.source, row.follow_up, row.alignment,
            second=row.second, answers=answers,
        )  # fmt: skip
        categories = dict.fromkeys(error.category.value for error in row.errors)
        wrong, gold = None, known.get(row.source["text"]) if known else None
        if gold is not None:
            wrong, categories = _judge_by_labels(row, gold)
        issues[row.id] = Issue(case, tuple(categories), wrong)
    return [*issues.values()]


def _judge_by_labels(row: GroupRow, gold: Gold) -> tuple[bool, dict[str, None]]:
    """Return whether a prediction is wrong, and the categories of error by the labels.

    The labels of the edited text are those of the same words of the original.
    """
    assert row.follow_up is not None
    texts = {Side.SOURCE: row.source["text"], Side.FOLLOW_UP: row.follow_up["text"]}
    outputs = {Side.SOURCE: row.source_output, Side.FOLLOW_UP: row.follow_up_output}
    moved = {map_span(row.alignment, *span): label for span, label in gold.items()}
    right = {
        Side.SOURCE: dict(gold),
        Side.FOLLOW_UP: {span: label for span, label in moved.items() if span is not None},
    }
    votes: dict[tuple[Side, int, int], str | None] = {}
    wrong = False
    for side, labels in right.items():
        predicted = {(one.start, one.end): one.label for one in cores(texts[side], outputs[side])}
        wrong |= predicted != labels
        # A span that the edit has changed has no label.
        back = row.alignment if side is Side.SOURCE else inverse(row.alignment)
        shared = {span for span in predicted if side is Side.SOURCE or map_span(back, *span)}
        votes |= {(side, *span): labels.get(span) for span in shared | labels.keys()}
    before, after = outputs.values()
    case = ExecutedGroup(row.source, row.follow_up, before, after, row.alignment)
    breaking = row.unmatched or {}
    lost, added = (
        [Entity(*entity) for entity in breaking.get(name, ())] for name in ("source", "follow_up")
    )
    errors = categorise(case, lost, added, votes)
    return wrong, dict.fromkeys(error.category.value for error in errors)


def draw_issues(
    name: str,
    out: Path,
    result: Path,
    *,
    groups: int = GROUPS,
    relation: str | None = None,
    seed: int | None = None,
    labels: Path | None = None,
    mask: bool = True,
) -> tuple[Path, list[IssuePrecision]]:
    """Write a sheet of random issues of each relation; return it, and the figures by labels.

    Raises:
        UsageError: no such suite or relation, no issue, or the sheet exists.
        CannotJudge: the run is missing, or of another suite.
    """
    suite = read_suite(find_suite(name))
    listed = [item.id for item in list_relations(suite, relation)]
    issues = {
        issue.case.id: issue
        for issue in read_issues(suite, result, labels)
        if issue.case.relation in listed
    }
    if not issues:
        raise UsageError(f"{result} has no violated case of {relation or 'any relation'} to audit.")
    chosen = suite.head.seed if seed is None else seed
    cases = [issue.case for issue in issues.values()]
    task, masked = TASKS[suite.head.task], Mask(masked_of(suite.head) if mask else ())
    lines = [
        line_of(task, case.masked(task, masked))._replace(
            stratum=", ".join(ERRORS[category] for category in issues[case.id].categories)
        )
        for item in listed
        for case in sample(cases, item, groups, chosen)
    ]
    write_new({out / SHEET: to_csv(lines)})
    judged = [(issue, issue.wrong) for issue in issues.values() if issue.wrong is not None]
    return out / SHEET, count_precisions(judged)


def read_marks(
    name: str, sheets: Sequence[Path], result: Path, labels: Path | None = None
) -> list[IssuePrecision]:
    """Return the precision of marked issues, by relation and by category of error.

    Raises CannotJudge: a sheet is damaged or unfinished, or has a case that is no issue of the run.
    """
    suite = read_suite(find_suite(name))
    known = {issue.case.id: issue for issue in read_issues(suite, result, labels)}
    marks: dict[str, str] = {}
    for path in sheets:
        for line in read_sheet(path)[0]:
            mark = line.mark.strip().lower()
            if line.id not in known:
                raise CannotJudge(
                    f"{path}: {quoted(line.id, 40)} is not a violated case of {result}. Pass the "
                    "result that the sheet was made from."
                )
            if mark not in (ERROR, NONE):
                raise CannotJudge(
                    f"{path}: case {line.id} is marked {quoted(mark, 40)}. Mark each {ERROR} (a "
                    f"prediction is wrong) or {NONE}."
                )
            if marks.setdefault(line.id, mark) != mark:
                raise CannotJudge(f"{path}: case {line.id} has two different marks. Remove one.")
    return count_precisions([(known[case], mark == ERROR) for case, mark in marks.items()])


def count_precisions(judged: Sequence[tuple[Issue, bool]]) -> list[IssuePrecision]:
    """Count by relation, overall, and by category of error; an issue may have several."""
    counts: dict[str, list[bool]] = {}
    for issue, wrong in judged:
        counts.setdefault(issue.case.relation, []).append(wrong)
    categories: dict[str, list[bool]] = {}
    for issue, wrong in judged:
        for category in issue.categories:
            categories.setdefault(ERRORS[category], []).append(wrong)
    every: Mapping[str, list[bool]] = {
        **counts,
        "all relations": [wrong for _, wrong in judged],
        **categories,
    }
    return [IssuePrecision(name, sum(wrong), len(wrong)) for name, wrong in every.items() if wrong]
