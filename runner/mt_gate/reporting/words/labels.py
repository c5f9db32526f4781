"""Show groups of text classification: the edit, the labels, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.domain import cropped
from mt_gate.reporting.words import rendering
from mt_gate.reporting.words.rendering import Renderer
from mt_gate.results.result import GroupRow
from mt_gate.tasks.spec import View
from mt_gate.tasks.text import SECOND, TASK, TEXT

_SHOWN, _LONGEST = 3, 40
"""Maximum labels of a prediction in a sentence, and characters of each."""
_NONE = "no label"


def _texts(value: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(value.get(name, "")) for name in (TEXT, SECOND) if name == TEXT or name in value
    }


def _view(row: GroupRow) -> View:
    source, follow_up = _texts(row.source), _texts(row.follow_up or {})
    if row.follow_up is None:
        return View(TASK.text(source), "", ())
    if {*source} != {*follow_up}:
        return View(TASK.text(source), TASK.text(follow_up), ())
    return TASK.view(source, follow_up, row.alignment)


def _labels(output: Any) -> tuple[str, ...]:
    labels = output.get("labels") if isinstance(output, Mapping) else None
    return tuple(map(str, labels)) if isinstance(labels, list | tuple) else ()


def _scores(output: Any) -> dict[str, float]:
    scores = output.get("scores") if isinstance(output, Mapping) else None
    words = scores.items() if isinstance(scores, Mapping) else ()
    return {str(label): float(score) for label, score in words if type(score) in (float, int)}


def _in_words(output: Any, judged: str = "") -> str:
    if not isinstance(output, Mapping):
        return ""
    scores, labels = _scores(output), _labels(output)

    def scored(label: str) -> str:
        score = figures.score(scores[label]) if label in scores else ""
        return f"{shorten(label, _LONGEST)} {score}".strip()

    shown = [scored(label) for label in labels[:_SHOWN]]
    if len(labels) > _SHOWN:
        shown.append(f"{len(labels) - _SHOWN} more")
    if not labels:
        shown.append(_NONE if len(scores) != 1 else "")
    about = judged if judged in scores else max(scores, key=scores.__getitem__, default="")
    if about and about not in labels[:_SHOWN] and (judged or not labels):
        shown.append(scored(about))
    return ", ".join(filter(None, shown))


def _judged(row: GroupRow) -> str:
    label = (row.unmatched or {}).get("label", "")
    return label if isinstance(label, str) else ""


def _sentence(row: GroupRow, side: int) -> rendering.Marked:
    view = _view(row)
    shown = [range(min(len(text), rendering.LONG)) for text in (view.source, view.follow_up)]
    marked = rendering.shown_text(view[:2][side], cropped(view.alignment, *shown), side)
    words = _in_words(rendering.side_of(row, side)[1], _judged(row))
    return rendering.answered_sentence(row, side, marked, words)


def _second(row: GroupRow) -> rendering.Marked | None:
    if row.second is None:
        return None
    marked = rendering.shown_text(TASK.text(_texts(row.second)))
    return rendering.with_answer(marked, _in_words(row.second_output))


def _broke(row: GroupRow) -> tuple[str, ...]:
    before, after = row.source_output, row.follow_up_output
    if before is None or after is None:
        return ()
    judged = _judged(row)
    if judged:
        one, other = (figures.score(_scores(output).get(judged)) for output in (before, after))
        return (f"the score of “{shorten(judged, _LONGEST)}” goes from {one} to {other}",)
    stays = "stays" if {*_labels(before)} == {*_labels(after)} else "becomes"
    expected = (row.unmatched or {}).get("expected")
    wanted = f"; expected {_listed(expected)}" if isinstance(expected, list | tuple) else ""
    return (f"{_listed(_labels(before))} {stays} {_listed(_labels(after))}{wanted}",)


def _listed(labels: Iterable[Any]) -> str:
    quoted_labels = [f"“{shorten(str(label), _LONGEST)}”" for label in labels]
    more = [f"{len(quoted_labels) - _SHOWN} more"] if len(quoted_labels) > _SHOWN else []
    return ", ".join([*quoted_labels[:_SHOWN], *more]) or _NONE


def _moved(row: GroupRow) -> float:
    before, after = _scores(row.source_output), _scores(row.follow_up_output)
    gaps = [abs(before[label] - after[label]) for label in before if label in after]
    return figures.hundredths(min(max(gaps, default=0.0), 1.0))


def _context(row: GroupRow) -> str:
    source, follow_up = _texts(row.source), _texts(row.follow_up or {})
    same = [text for name, text in source.items() if follow_up.get(name) == text]
    return shorten(same[0], rendering.LONG) if len(source) > 1 and len(same) == 1 else ""


RENDERER = Renderer(
    sentence=_sentence,
    broke=_broke,
    weight=lambda row: int(_moved(row)),
    profile="Labels",
    quantity=figures.percent,
    context=_context,
    second=_second,
    answered=lambda _, output: _in_words(output) or "no prediction",
    gist=lambda output: sorted(_labels(output)),
    labels=_labels,
    strength="Largest change of score",
    strongest=_moved,
)
