"""Show groups of boolean questions: the edit, and both predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.domain import cropped
from mt_gate.reporting.words import rendering
from mt_gate.reporting.words.rendering import Renderer
from mt_gate.results.result import GroupRow
from mt_gate.tasks.boolq import PASSAGE, QUESTION, TASK
from mt_gate.tasks.spec import Input, View

_AROUND = 120
"""Characters of a passage shown before its first edit."""
_LONGEST = 40
"""Maximum characters of a prediction in a sentence."""


def _texts(value: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: str((value or {}).get(name, "")) for name in TASK.texts}


def _view(row: GroupRow) -> View:
    """Return both texts; a long passage starts shortly before its first edit."""
    source = _texts(row.source)
    if row.follow_up is None:
        return View(source[QUESTION], "", ())
    view = TASK.view(source, _texts(row.follow_up), row.alignment)
    same = next((block for block in view.alignment if block.source == block.follow_up == 0), None)
    skipped = max(0, same.length - _AROUND) if same else 0
    if skipped == 0 or len(view.source) <= 2 * _AROUND:
        return view
    ranges = (range(skipped, len(text)) for text in view[:2])
    before, after = (f"…{text[skipped + 1 :]}" for text in view[:2])
    return View(before, after, cropped(view.alignment, *ranges))


def _parts(output: Any) -> tuple[str, str]:
    if not isinstance(output, Mapping):
        return "", ""
    return str(output.get("answer", "")), figures.score(rendering.score_of(output))


def _sentence(row: GroupRow, side: int) -> rendering.Marked:
    view = _view(row)
    answer, score = _parts(rendering.side_of(row, side)[1])
    label = f"{answer} {score}".rstrip() if answer else ""
    return rendering.answered_sentence(
        row, side, rendering.shown_text(view[:2][side], view.alignment, side), label
    )


def _broke(row: GroupRow) -> tuple[str, ...]:
    before, after = _parts(row.source_output)[0], _parts(row.follow_up_output)[0]
    if not before or not after:
        return ()
    stays = "stays" if before == after else "becomes"
    return (f"“{shorten(before, 20)}” {stays} “{shorten(after, 20)}”",)


def _weight(row: GroupRow) -> int:
    known = [score for score in rendering.scores_of(row) if score is not None]
    return figures.hundredths(sum(abs(score - 0.5) for score in known))


def _change_of_score(row: GroupRow) -> float:
    before, after = rendering.scores_of(row)
    return 0 if before is None or after is None else figures.hundredths(abs(before - after))


def _context(row: GroupRow) -> str:
    source, follow_up = _texts(row.source), _texts(row.follow_up)
    name = PASSAGE if source[PASSAGE] == follow_up[PASSAGE] else QUESTION
    return shorten(source[name], rendering.LONG)


def _answered(_: Input, output: Any) -> str:
    answer, score = _parts(output)
    words = shorten(answer, _LONGEST) or "no prediction"
    return f"{words}, P(yes) {score}" if score else words


def _labels(output: Any) -> Iterable[str]:
    answer = output.get("answer")
    return (answer,) if isinstance(answer, str) else ()


RENDERER = Renderer(
    sentence=_sentence,
    broke=_broke,
    weight=_weight,
    profile="Predictions",
    quantity=figures.percent,
    context=_context,
    answered=_answered,
    gist=lambda output: _parts(output)[0],
    labels=_labels,
    strength="Largest change of score",
    strongest=_change_of_score,
)
