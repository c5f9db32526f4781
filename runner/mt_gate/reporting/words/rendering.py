"""What a report must know of a task to show its groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.domain import Alignment
from mt_gate.reporting.words import marks
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import Input, TaskSpec

SOURCE, FOLLOW_UP = 0, 1

LONG = 1500
"""Characters of one sentence that a report shows."""

_LONG_LABEL = 60
_LONG_ANSWER = 2000
"""Characters of one answer that stands in words."""


ENTITIES, ARGUMENTS = "entities", "arguments"
"""What the legend of a report explains: predicted entities, or head and tail."""

BETWEEN = " · "
"""Stands between a role and what follows it in a label: ``head · PERSON``."""

Reading = Callable[[TaskSpec, Input, Input, Alignment], tuple[marks.Marked, marks.Marked]]
"""From task, source, follow-up and alignment to both as a reader of them judges them."""


def no_context(_: GroupRow) -> str:
    """Return nothing: the sentences are all there is."""
    return ""


def no_second(_: GroupRow) -> None:
    """Return nothing: there is one source."""
    return


def texts_touched(
    task: TaskSpec, source: Input, follow_up: Input, alignment: Alignment
) -> tuple[marks.Marked, marks.Marked]:
    """Return the texts that the edit touches, with what was edited."""
    view = task.view(source, follow_up, alignment)
    return (
        marks.mark(view.source, (), (), view.alignment, SOURCE),
        marks.mark(view.follow_up, (), (), view.alignment, FOLLOW_UP),
    )


def whole(output: Any) -> Any:
    """Return an output as it is: all of it counts."""
    return output


def all_of_it(output: Any, _: Any) -> Any:
    """Return the output: answers that differ have nothing in common."""
    return output


def no_labels(_: Any) -> Iterable[str]:
    """Return nothing: an output has no labels to choose groups by."""
    return ()


def plainly(_: Input, output: Any) -> str:
    """Return an output as it stands, in brief."""
    return shorten(str(output), _LONG_ANSWER)


class Renderer(NamedTuple):
    """What a report must know of a task.

    ``sentence`` marks up one side of a row, which may hold no answer, ``broke`` says in words what
    breaks the relation, ``weight`` ranks rows by how much does, ``profile``
    names the output profile, ``legend`` says what is marked beside edits,
    ``context`` is what of the input the edit leaves alone, ``edit`` says in
    words what the texts do not show of it, ``second`` marks up the second
    source of a row that has one. ``reading`` is for readers of a suite: a group
    without answers. ``answered`` is an input's answer in words, ``gist`` what of an
    output counts when two are compared, ``apart`` what of the first of two the second
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
    context: Callable[[GroupRow], str] = no_context
    edit: Callable[[GroupRow], str] = no_context
    second: Callable[[GroupRow], marks.Marked | None] = no_second
    reading: Reading = texts_touched
    answered: Callable[[Input, Any], str] = plainly
    gist: Callable[[Any], Any] = whole
    apart: Callable[[Any, Any], Any] = all_of_it
    in_text: bool = False
    labels: Callable[[Any], Iterable[str]] = no_labels
    strength: str = ""
    strongest: Callable[[GroupRow], float] | None = None


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


def with_note(marked: marks.Marked, left: int) -> marks.Marked:
    """Return the marked beginning of a text, saying how much of it is left out."""
    if left <= 0:
        return marked
    note = marks.Piece(f"… ({figures.counted(left, 'character')} more)", marks.KEPT)
    return marked._replace(segments=(*marked.segments, marks.Segment((note,))))
