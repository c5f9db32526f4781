"""How the groups of each task are shown: one renderer a task, which its record names.

A renderer turns a row's inputs and outputs, which are the task's own plain JSON values, into
marked sentences and a few words on what broke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.lazy import resolve
from mt_gate.base.redaction import shorten
from mt_gate.domain import Alignment, Verdict
from mt_gate.reporting.words import marks
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.table import TASKS

SOURCE, FOLLOW_UP = 0, 1

LONG = 1500
"""Characters of one sentence that a report shows."""

_LONG_LABEL = 60
_LONG_ANSWER = 2000
"""Characters of one answer in words."""

ENTITIES, ARGUMENTS = "entities", "arguments"
"""What the legend of a report explains: predicted entities, or head and tail."""

BETWEEN = " · "
"""Stands between a role and what follows it in a label: ``head · PERSON``."""

Reading = Callable[[TaskSpec, Input, Input, Alignment], tuple[marks.Marked, marks.Marked]]
"""From task, source, follow-up and alignment to both as a reader of them judges them."""


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
    """What a report must know of a task.

    ``sentence`` marks up one side of a row, which may hold no answer, ``broke`` says in words what
    breaks the relation, ``weight`` ranks rows by how much does, ``profile``
    names the output profile, ``legend`` says what is marked besides edits,
    ``context`` is what of the input the edit leaves alone, ``edit`` says in
    words what the texts do not show of it, ``second`` marks up the second
    source of a row that has one. ``reading`` is for readers of a suite: a group
    without answers. ``answered`` is an input's answer in words, ``gist`` what of an
    output counts when two are compared, ``only_in`` what of the first of two the second
    has not, None if that is nothing, ``labels`` are those of an output, a table, and
    ``in_text`` says whether ``sentence`` shows all of an answer within the text.
    ``strength`` says in words what the order puts first that readers may choose, and
    ``strongest`` ranks by it, where ``weight`` does not.
    """

    sentence: Callable[[GroupRow, int], marks.Marked]
    broke: Callable[[GroupRow], tuple[str, ...]]
    weight: Callable[[GroupRow], int]
    profile: str
    quantity: Callable[[float | None], str]
    legend: str = ""
    context: Callable[[GroupRow], str] = lambda _: ""
    edit: Callable[[GroupRow], str] = lambda _: ""
    second: Callable[[GroupRow], marks.Marked | None] = lambda _: None
    reading: Reading = _texts_touched
    answered: Callable[[Input, Any], str] = lambda _, output: shorten(str(output), _LONG_ANSWER)
    gist: Callable[[Any], Any] = lambda output: output
    only_in: Callable[[Any, Any], Any] = lambda output, _: output
    in_text: bool = False
    labels: Callable[[Any], Iterable[str]] = lambda _: ()
    strength: str = ""
    strongest: Callable[[GroupRow], float] | None = None


def _any_sentence(row: GroupRow, side: int) -> marks.Marked:
    text = "; ".join(f"{name}: {value}" for name, value in given(row, side).items())
    output = said(row, side)
    return shown_text(text if output is None else f"{text} -> {output}")


_ANY = Renderer(_any_sentence, lambda _: (), lambda _: 0, "Answers", figures.quantity)


def renderer(task: str) -> Renderer:
    """Return the renderer of a task; without one, inputs and outputs are shown as they are."""
    spec = TASKS.get(task)
    if spec is None or not spec.renderer:
        return _ANY
    found: Renderer = resolve(spec.renderer)
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


def score_of(output: Any) -> float | None:
    """Return the score in [0, 1] of an output; None where it has no such."""
    score = output.get("score") if isinstance(output, Mapping) else None
    if isinstance(score, bool) or not isinstance(score, float | int):
        return None
    return float(score) if 0 <= score <= 1 else None


def is_broken(row: GroupRow, side: int) -> bool:
    """Whether the answer to this side breaks the relation."""
    return side == FOLLOW_UP and row.verdict is Verdict.VIOLATED


def shown_text(text: str, alignment: Alignment = (), side: int = SOURCE) -> marks.Marked:
    """Return a bounded text with its edits, and without entities."""
    return with_note(marks.mark(text[:LONG], (), (), alignment, side), len(text) - LONG)


def with_note(marked: marks.Marked, left: int) -> marks.Marked:
    """Return the marked beginning of a text, saying how much of it is left out."""
    if left <= 0:
        return marked
    return marks.with_text(marked, f"… ({figures.counted(left, 'character')} more)")


def with_answer(
    marked: marks.Marked, label: str, words: str = "answer", *, broken: bool = False
) -> marks.Marked:
    """Return a sentence with what the system answered after it; unchanged without a label."""
    if not label:
        return marked
    answer = marks.Segment((marks.Piece(words, marks.KEPT),), label, broken)
    spaced = marks.with_text(marked, " ")
    return spaced._replace(segments=(*spaced.segments, answer))
