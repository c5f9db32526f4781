"""How the groups of each task are shown: one renderer a task, which its record names.

A renderer turns a row's inputs and outputs, which are the task's own plain JSON values, into
marked sentences and a few words on what broke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.lazy import resolve
from mt_gate.base.redaction import shorten
from mt_gate.domain import Alignment, Entity, Verdict
from mt_gate.reporting.words import marks
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.table import TASKS

SOURCE, FOLLOW_UP = SIDES = (0, 1)
LONG = 1500
"""Characters of one sentence that a report shows."""
_LONG_LABEL = 60
_LONG_ANSWER = 2000
"""Characters of one answer in words."""
ENTITIES, ARGUMENTS = "entities", "arguments"
"""What the legend of a report explains: predicted entities, or head and tail."""
BETWEEN = " · "
"""Stands between a role and what follows it in a label: ``head · PERSON``."""


def _texts_touched(
    task: TaskSpec, source: Input, follow_up: Input, alignment: Alignment
) -> tuple[marks.Marked, marks.Marked]:
    """Return the texts that the edit touches, with what was edited."""
    view = task.view(source, follow_up, alignment)
    return (
        marks.mark(view.source, (), (), view.alignment, SOURCE),
        marks.mark(view.follow_up, (), (), view.alignment, FOLLOW_UP),
    )


class Renderer(NamedTuple):
    """What a report must know of a task."""

    sentence: Callable[[GroupRow, int], marks.Marked]  # one side of a row, perhaps unanswered
    broke: Callable[[GroupRow], tuple[str, ...]]  # what breaks the relation, in words
    weight: Callable[[GroupRow], int]  # ranks rows by how much breaks it
    profile: str  # the name of the output profile
    quantity: Callable[[float | None], str]  # writes a value of it
    legend: str = ""  # what is marked besides edits
    context: Callable[[GroupRow], str] = lambda _: ""  # what of the input the edit leaves alone
    edit: Callable[[GroupRow], str] = lambda _: ""  # what the texts do not show of the edit
    second: Callable[[GroupRow], marks.Marked | None] = lambda _: None  # the second source, if any
    # A group without answers as a reader of the suite judges it.
    reading: Callable[[TaskSpec, Input, Input, Alignment], tuple[marks.Marked, marks.Marked]] = (
        _texts_touched
    )
    answered: Callable[[Input, Any], str] = lambda _, output: shorten(str(output), _LONG_ANSWER)
    gist: Callable[[Any], Any] = lambda output: output  # what counts when two are compared
    # What of the first of two outputs the second has not; None if that is nothing.
    only_in: Callable[[Any, Any], Any] = lambda output, _: output
    in_text: bool = False  # whether ``sentence`` shows all of an answer within the text
    labels: Callable[[Any], Iterable[str]] = lambda _: ()  # those of an output, a table
    strength: str = ""  # what ``strongest``, else ``weight``, ranks by, if readers may choose it
    strongest: Callable[[GroupRow], float] | None = None


def _any_sentence(row: GroupRow, side: int) -> marks.Marked:
    text = "; ".join(f"{name}: {value}" for name, value in given(row, side).items())
    output = said(row, side)
    return shown_text(text if output is None else f"{text} -> {output}")


_ANY = Renderer(_any_sentence, lambda _: (), lambda _: 0, "Answers", figures.quantity)


def renderer(task: str) -> Renderer:
    """Return the renderer of a task; without one, inputs and outputs are shown as they are."""
    spec = TASKS.get(task)
    found: Renderer = resolve(spec.renderer) if spec and spec.renderer else _ANY
    return found


def given(row: GroupRow, side: int) -> Mapping[str, Any]:
    """Return the input of one side of a row."""
    return row.source if side == SOURCE else row.follow_up or {}


def said(row: GroupRow, side: int) -> Any:
    """Return what the system answered to one side of a row."""
    return row.source_output if side == SOURCE else row.follow_up_output


def shows_original_alone(row: GroupRow) -> bool:
    """Whether a row has no edit: its follow-up is the original, compared with a right answer."""
    return row.follow_up == row.source


def what_broke(row: GroupRow, render: Renderer) -> tuple[str, ...]:
    """Return in words what breaks the relation: of a right answer, what is predicted instead."""
    if not shows_original_alone(row):
        return render.broke(row)
    expected = (row.unmatched or {}).get("expected")
    if not isinstance(expected, list | tuple):
        return ()
    wanted = ", ".join(f"“{shorten(str(label), _LONG_LABEL)}”" for label in expected) or "no label"
    predicted = shorten(render.answered(row.source, row.source_output), _LONG_ANSWER)
    return (f"the right answer is {wanted}; predicted: {predicted}",)


def scores_of(row: GroupRow) -> tuple[float | None, float | None]:
    """Return the scores in [0, 1] of both answers; None where one has no such."""
    return score_of(row.source_output), score_of(row.follow_up_output)


def score_of(output: Any) -> float | None:
    """Return the score in [0, 1] of an output; None where it has no such."""
    score = output.get("score") if isinstance(output, Mapping) else None
    if isinstance(score, bool) or not isinstance(score, float | int):
        return None
    return float(score) if 0 <= score <= 1 else None


def shown_text(
    text: str,
    alignment: Alignment = (),
    side: int = SOURCE,
    predicted: Sequence[Entity] = (),
    unmatched: Sequence[Entity] = (),
) -> marks.Marked:
    """Return the beginning of a text with its edits and entities, saying how much is left out."""
    marked, left = marks.mark(text[:LONG], predicted, unmatched, alignment, side), len(text) - LONG
    if left <= 0:
        return marked
    return marks.with_text(marked, f"… ({figures.counted(left, 'character')} more)")


def answered_sentence(
    row: GroupRow, side: int, marked: marks.Marked, label: str, words: str = "answer"
) -> marks.Marked:
    """Return a side of a row with its answer, marked as broken where it breaks the relation."""
    return with_answer(marked, label, words, side == FOLLOW_UP and row.verdict is Verdict.VIOLATED)


def with_answer(
    marked: marks.Marked, label: str, words: str = "answer", broken: bool = False
) -> marks.Marked:
    """Return a sentence with what the system answered after it; unchanged without a label."""
    if not label:
        return marked
    spaced = marks.with_text(marked, " ")
    answer = marks.Segment((marks.Piece(words, marks.KEPT),), label, broken)
    return spaced._replace(segments=(*spaced.segments, answer))
