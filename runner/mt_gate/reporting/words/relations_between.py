"""Show groups of relation extraction: head and tail, and the predicted relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.domain import Alignment, Block, Entity, Verdict, map_span
from mt_gate.reporting.words import rendering
from mt_gate.reporting.words.rendering import Renderer
from mt_gate.results.result import GroupRow
from mt_gate.tasks.relation_extraction import ARGUMENTS as NAMES
from mt_gate.tasks.relation_extraction import HEAD, TAIL, TEXT, Argument
from mt_gate.tasks.spec import Input, TaskSpec

_LONGEST = 120
"""Maximum characters of a relation's label."""
_WORDS = 60
"""Maximum characters of an argument in a sentence on an edit."""


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: Input) -> dict[str, Argument]:
    """Return head and tail; skip one that is malformed."""
    marks = {}
    for name in NAMES:
        match value.get(name):
            case [int(start), int(end), str(kind)]:
                marks[name] = Argument(start, end, kind)
            case [int(start), int(end)]:
                marks[name] = Argument(start, end)
    return marks


def _label(*parts: str) -> str:
    return rendering.BETWEEN.join(filter(None, parts))


def _moved(before: Input, after: Input, alignment: Sequence[Block]) -> frozenset[str]:
    old, new = _arguments(before), _arguments(after)
    images = {name: map_span(alignment, old[name].start, old[name].end) for name in old}
    return frozenset(
        name for name, image in images.items() if image and name in new and image != new[name][:2]
    )


def _marked(
    value: Input, alignment: Alignment, side: int, moved: frozenset[str] = frozenset()
) -> rendering.Marked:
    """Return a text with head and tail marked; those in ``moved`` are marked as moved."""
    spans = [Entity(a.start, a.end, _label(name, a.type)) for name, a in _arguments(value).items()]
    marked = rendering.shown_text(_string(value.get(TEXT)), alignment, side, spans)
    segments = [*marked.segments]
    for at, segment in enumerate(segments):
        if (segment.label or "").partition(rendering.BETWEEN)[0] in moved:
            pieces = (
                piece._replace(kind=piece.kind or rendering.MOVED) for piece in segment.pieces
            )
            segments[at] = segment._replace(pieces=tuple(pieces))
    return marked._replace(segments=tuple(segments))


def _reading(
    _: TaskSpec, source: Input, follow_up: Input, alignment: Alignment
) -> tuple[rendering.Marked, rendering.Marked]:
    moved = _moved(source, follow_up, alignment)
    return (
        _marked(source, alignment, rendering.SOURCE, moved),
        _marked(follow_up, alignment, rendering.FOLLOW_UP, moved),
    )


def _relation(output: Any) -> str:
    return _string(output.get("relation")) if isinstance(output, Mapping) else ""


def _answer(output: Any) -> tuple[str, str]:
    relation = shorten(_relation(output), _LONGEST)
    score = figures.score(rendering.score_of(output))
    return _label("relation", score) if relation else "", relation


def _sentence(row: GroupRow, side: int) -> rendering.Marked:
    moved = _moved(row.source, row.follow_up or {}, row.alignment)
    value, output = rendering.side_of(row, side)
    marked = _marked(value, row.alignment, side, moved)
    return rendering.answered_sentence(row, side, marked, *_answer(output))


def _second(row: GroupRow) -> rendering.Marked | None:
    if row.second is None:
        return None
    marked = _marked(row.second, (), rendering.SOURCE)
    return rendering.with_answer(marked, *_answer(row.second_output))


def _broke(row: GroupRow) -> tuple[str, ...]:
    """Return the predicted and the expected relation; empty unless the row is violated."""
    after = _relation(row.follow_up_output)
    if row.verdict is not Verdict.VIOLATED or not after:
        return ()
    expected = _string((row.unmatched or {}).get("expected"))
    before = _relation(row.source_output)
    was, now, wanted = (f"“{shorten(label, _LONGEST)}”" for label in (before, after, expected))
    if row.second is not None or not before:
        change = f"the relation is {now}"
    else:
        change = f"the relation {was} {'stays' if before == after else 'becomes'} {now}"
    if not expected:
        return (change,)
    of_second = ", from the second original" if row.second is not None else ""
    return (f"{change}; expected {wanted}{of_second}",)


def _weight(row: GroupRow) -> int:
    return figures.hundredths(sum(filter(None, rendering.scores_of(row))))


def _edit(row: GroupRow) -> str:
    """Return how head and tail changed if the sentence did not, because the texts are equal."""
    source, follow_up = row.source, row.follow_up
    if follow_up is None or _string(source.get(TEXT)) != _string(follow_up.get(TEXT)):
        return ""
    old, new = _arguments(source), _arguments(follow_up)
    if len(old) < len(NAMES) or len(new) < len(NAMES):
        return ""
    if [place[:2] for place in new.values()] == [old[TAIL][:2], old[HEAD][:2]]:
        return "head and tail swapped"
    text, changed = _string(source.get(TEXT)), []
    for name in NAMES:
        sides = (old[name], new[name])
        if sides[0][:2] != sides[1][:2]:
            spans = (text[max(place.start, 0) : max(place.end, 0)] for place in sides)
            before, after = (f"“{shorten(words, _WORDS)}”" for words in spans)
            changed.append(f"the {name} moves from {before} to {after}")
        if sides[0].type != sides[1].type:
            before, after = (shorten(place.type, _WORDS) or "no type" for place in sides)
            changed.append(f"the {name}’s type changes from {before} to {after}")
    return "; ".join(changed)


def _answered(_: Input, output: Any) -> str:
    parts = (shorten(_relation(output), _LONGEST), figures.score(rendering.score_of(output)))
    return " ".join(filter(None, parts)) or "no prediction"


def _labels(output: Any) -> Iterable[str]:
    relation = output.get("relation")
    return (relation,) if isinstance(relation, str) else ()


RENDERER = Renderer(
    sentence=_sentence,
    broke=_broke,
    weight=_weight,
    profile="Predictions",
    quantity=figures.percent,
    legend=rendering.ARGUMENTS,
    edit=_edit,
    second=_second,
    reading=_reading,
    answered=_answered,
    gist=_relation,
    labels=_labels,
    strength="Most certain predictions",
)
