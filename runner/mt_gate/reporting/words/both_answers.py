"""The baseline's answers next to this run's: what was answered to each input of a group.

A row holds both where the baseline keeps its answers. Nothing is judged here: the verdict on
either side is the one that the row's change names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from mt_gate.base.redaction import shorten
from mt_gate.reporting.words import rendering
from mt_gate.reporting.words.rendering import FOLLOW_UP, SOURCE, Renderer, shows_original_alone
from mt_gate.results.result import Change, GroupRow
from mt_gate.tasks.spec import Input

ONLY_BEFORE, ONLY_NOW = "\N{MINUS SIGN}", "+"
"""Signs before the label of an entity that one of the two answers alone has."""
_NOT_KNOWN = "no prediction"
_WORDS = 200
"""Characters of an answer that a line of words shows."""
_VERDICTS = {
    Change.NEW: ("satisfied", "violated"),
    Change.FIXED: ("violated", "satisfied"),
    Change.STILL: ("violated", "violated"),
    Change.OK: ("satisfied", "satisfied"),
}


class Pair(NamedTuple):
    """Both answers to one input, in words or marked in it; ``changed`` if what counts differs."""

    name: str
    before: Any
    now: Any
    changed: bool


class AnswersInColumns(NamedTuple):
    """A group's answers in two columns.

    ``sentences`` where the answers lie in the sentence, else ``words``, and ``texts`` are the
    group's sentences without an answer: source, second source or None, follow-up.
    ``verdicts`` say of either side whether it was satisfied, empty where that is not known.
    """

    verdicts: tuple[str, str]
    sentences: tuple[Pair, ...] = ()
    words: tuple[Pair, ...] = ()
    texts: tuple[rendering.Marked | None, ...] = ()

    @property
    def alike(self) -> bool:
        """Whether every sentence has the same answer in both, so that one of them says it all."""
        return bool(self.sentences) and not any(one.changed for one in self.sentences)


class _Answers(NamedTuple):
    """An input of a group with what both systems answered; ``known`` if both did."""

    name: str
    side: int | None
    value: Input
    before: Any
    now: Any
    known: bool
    differ: bool

    def in_words(self, render: Renderer, output: Any) -> str:
        answered = isinstance(output, Mapping)
        return render.answered(self.value, output) if answered else _NOT_KNOWN


def both_answers(row: GroupRow, render: Renderer) -> AnswersInColumns | None:
    """Return both answers of a group; None where the row holds none of the baseline."""
    if row.before is None:
        return None
    pairs = [*_answers(row, render)]
    verdicts = ("", "") if row.change is None else _VERDICTS[row.change]
    # Cases that are built at run time depend on predictions. So a baseline without the violation
    # may not have had the case. It had it if its predictions on the sources are the same.
    built = all(one.known and (one.side == FOLLOW_UP or not one.differ) for one in pairs)
    if row.bound and row.change in (Change.NEW, Change.OK) and not built:
        verdicts = ("", verdicts[1])
    if render.in_text:
        return AnswersInColumns(verdicts, sentences=tuple(_sentences(row, pairs, render)))
    bare = replace(row, source_output=None, second_output=None, follow_up_output=None)
    alone = shows_original_alone(row)
    follow_up = None if alone else render.sentence(bare, FOLLOW_UP)
    words = [
        Pair(
            one.name,
            one.in_words(render, one.before),
            one.in_words(render, one.now),
            one.differ,
        )
        for one in pairs
    ]
    texts = (render.sentence(bare, SOURCE), render.second(bare), follow_up)
    return AnswersInColumns(verdicts, words=tuple(words), texts=texts)


def changed_answers(row: GroupRow, render: Renderer) -> Iterator[str]:
    """Yield ``source: was no; now yes`` for each input that the two answered differently."""
    for one in _answers(row, render):
        if not one.differ:
            continue
        before, now = one.before, one.now
        if one.known:
            before, now = render.only_in(before, now), render.only_in(now, before)
        old, new = (shorten(one.in_words(render, of), _WORDS) for of in (before, now))
        if one.known and before is None:
            yield f"{one.name}: now also {new}"
        elif one.known and now is None:
            yield f"{one.name}: no longer {old}"
        else:
            yield f"{one.name}: was {old}; now {new}"


def _answers(row: GroupRow, render: Renderer) -> Iterator[_Answers]:
    before = row.before
    if before is None:
        return
    alone = shows_original_alone(row)
    answers: list[tuple[str, int | None, Input | None, Any, Any]] = [
        ("text" if alone else "original", SOURCE, row.source, before.source, row.source_output),
        ("second original", None, row.second, before.second, row.second_output),
    ]
    if not alone:
        outputs = (before.follow_up, row.follow_up_output)
        answers.append(("edited", FOLLOW_UP, row.follow_up, *outputs))
    for name, side, value, then, now in answers:
        if value is not None:
            answered = [isinstance(output, Mapping) for output in (then, now)]
            known = all(answered)
            differ = render.gist(then) != render.gist(now) if known else any(answered)
            yield _Answers(name, side, value, then, now, known, bool(differ))


def _sentences(row: GroupRow, answers: list[_Answers], render: Renderer) -> Iterator[Pair]:
    """Yield source and follow-up twice, entities of one answer alone signed."""
    assert row.before is not None, "of a row with both answers"
    outputs = {"source_output": row.before.source, "follow_up_output": row.before.follow_up}
    then = replace(row, **outputs, unmatched=None, errors=())
    for one in answers:
        if one.side is None:
            continue
        sides = [render.sentence(then, one.side), render.sentence(row, one.side)]
        if one.known:
            placed = [[*_placed(marked)] for marked in sides]
            for at, sign in enumerate((ONLY_BEFORE, ONLY_NOW)):
                other = {place for place, _ in placed[1 - at]}
                segments = (
                    segment._replace(sign="" if place in other else sign)
                    if segment.label is not None
                    else segment
                    for place, segment in placed[at]
                )
                sides[at] = sides[at]._replace(segments=tuple(segments))
        for at, output in enumerate((one.before, one.now)):
            if not isinstance(output, Mapping):
                sides[at] = rendering.with_text(sides[at], f" ({_NOT_KNOWN})")
        yield Pair(one.name, sides[0], sides[1], one.differ)


def _placed(marked: rendering.Marked) -> Iterator[tuple[tuple[int, int, str], rendering.Segment]]:
    at = 0
    for segment in marked.segments:
        end = at + len(segment.text)
        yield (at, end, segment.label or ""), segment
        at = end
