"""How groups of boolean questions are shown: what was edited, and both answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.domain import Verdict, cropped
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.rendering import (
    FOLLOW_UP,
    LONG,
    SOURCE,
    Renderer,
    given,
    said,
    score_of,
    with_note,
)
from mt_gate.results.result import GroupRow
from mt_gate.tasks.boolq import PASSAGE, QUESTION, TASK
from mt_gate.tasks.spec import Input, View

_AROUND = 120
"""Characters of a passage that are shown before its first edit."""
_LONGEST = 40
"""Characters of an answer that are shown in words."""
_NOTHING = View("", "", ())


def _texts(value: Mapping[str, Any]) -> dict[str, str]:
    """Return question and passage, whatever a stored row holds."""
    return {name: str(value.get(name, "")) for name in TASK.texts}


def _view(row: GroupRow) -> View:
    source = _texts(given(row, SOURCE))
    if row.follow_up is None:
        return View(source[QUESTION], "", ())
    view = TASK.view(source, _texts(row.follow_up), row.alignment)
    return _windowed(view)


def _windowed(view: View) -> View:
    """Return a view from shortly before its first edit on: passages are long."""
    same = next((block for block in view.alignment if block.source == block.follow_up == 0), None)
    skipped = max(0, same.length - _AROUND) if same else 0
    if skipped == 0 or len(view.source) <= 2 * _AROUND:
        return view
    source, follow_up = (range(skipped, len(text)) for text in view[:2])
    return View(
        f"…{view.source[skipped + 1 :]}",
        f"…{view.follow_up[skipped + 1 :]}",
        cropped(view.alignment, source, follow_up),
    )


def _answer(row: GroupRow, side: int) -> tuple[str, str]:
    """Return an answer and its score in words, empty where there is none."""
    return _parts(said(row, side))


def _parts(output: Any) -> tuple[str, str]:
    if not isinstance(output, Mapping):
        return "", ""
    return str(output.get("answer", "")), figures.score(score_of(output))


def _sentence(row: GroupRow, side: int) -> marks.Marked:
    view = _view(row)
    text = view.source if side == SOURCE else view.follow_up
    marked = with_note(marks.mark(text[:LONG], (), (), view.alignment, side), len(text) - LONG)
    answer, score = _answer(row, side)
    if not answer:
        return marked
    label = " ".join(part for part in (answer, score) if part)
    broken = side == FOLLOW_UP and row.verdict is Verdict.VIOLATED
    said_so = marks.Segment((marks.Piece("answer", marks.KEPT),), label, broken)
    space = marks.Segment((marks.Piece(" ", marks.KEPT),))
    return marked._replace(segments=(*marked.segments, space, said_so))


def _broke(row: GroupRow) -> tuple[str, ...]:
    before, after = _answer(row, SOURCE)[0], _answer(row, FOLLOW_UP)[0]
    if not before or not after:
        return ()
    stays = "stays" if before == after else "becomes"
    return (f"the answer “{shorten(before, 20)}” {stays} “{shorten(after, 20)}”",)


def _weight(row: GroupRow) -> int:
    """Return how sure of the two answers the system is, in percent together."""
    total = 0.0
    for side in (SOURCE, FOLLOW_UP):
        score = score_of(said(row, side))
        if score is not None:
            total += abs(score - 0.5)
    return figures.hundredths(total)


def _change_of_score(row: GroupRow) -> float:
    """Return how far the score moves from source to follow-up, in percent."""
    before, after = (score_of(said(row, side)) for side in (SOURCE, FOLLOW_UP))
    return 0 if before is None or after is None else figures.hundredths(abs(before - after))


def _context(row: GroupRow) -> str:
    """Return what both inputs share: the passage, or the question where that was edited."""
    source, follow_up = _texts(given(row, SOURCE)), _texts(row.follow_up or {})
    name = PASSAGE if source[PASSAGE] == follow_up[PASSAGE] else QUESTION
    return shorten(source[name], LONG)


def _answered(_: Input, output: Any) -> str:
    answer, score = _parts(output)
    said_so = shorten(answer, _LONGEST) or "no answer"
    return f"{said_so}, P(yes) {score}" if score else said_so


def _gist(output: Any) -> Any:
    return _parts(output)[0]


def _labels(output: Any) -> Iterable[str]:
    answer = output.get("answer")
    return (answer,) if isinstance(answer, str) else ()


RENDERER = Renderer(
    sentence=_sentence,
    broke=_broke,
    weight=_weight,
    profile="Answers",
    quantity=figures.percent,
    context=_context,
    answered=_answered,
    gist=_gist,
    labels=_labels,
    strength="Largest change of score",
    strongest=_change_of_score,
)
