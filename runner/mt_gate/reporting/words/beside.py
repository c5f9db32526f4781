"""The baseline's answers beside this run's: what was answered to each input of a group.

A row holds both where the baseline keeps its answers. Nothing is judged here: the verdict on
either side is the one that the row's change names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.redaction import shorten
from mt_gate.domain import Entity
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, Renderer
from mt_gate.reporting.words.rendering import shows_original_alone
from mt_gate.results.result import BaselineOutputs, Change, GroupRow
from mt_gate.tasks.spec import Input

ONLY_BEFORE, ONLY_NOW = "\N{MINUS SIGN}", "+"
"""Signs before the label of an entity that one of the two answers alone has."""

NOT_KNOWN = "not asked, or not answered"

_FOLLOW_UP = "follow-up"

_WORDS = 200
"""Characters of an answer that a line of words shows."""

_VERDICTS = {
    Change.NEW: ("held", "violated"),
    Change.FIXED: ("violated", "holds"),
    Change.STILL: ("violated", "violated"),
    Change.OK: ("held", "holds"),
}


class AnswerWords(NamedTuple):
    """Both answers to one input in words; ``changed`` where what counts of them differs."""

    name: str
    before: str
    now: str
    changed: bool


class Sentences(NamedTuple):
    """One input as a sentence, with the baseline's answer marked in it, and with this run's."""

    name: str
    before: marks.Marked
    now: marks.Marked
    changed: bool


class AnswersInColumns(NamedTuple):
    """A group's answers in two columns.

    ``sentences`` where the answers lie in the sentence, else ``words``, and ``texts`` are the
    group's sentences without an answer: source, second source or None, follow-up.
    ``verdicts`` say of either side whether the relation held, empty where that is not known.
    """

    verdicts: tuple[str, str]
    sentences: tuple[Sentences, ...] = ()
    words: tuple[AnswerWords, ...] = ()
    texts: tuple[marks.Marked | None, ...] = ()

    @property
    def alike(self) -> bool:
        """Whether every sentence has the same answer in both, so that one of them says it all."""
        return bool(self.sentences) and not any(one.changed for one in self.sentences)


class _Asked(NamedTuple):
    """An input of a group with what both systems answered."""

    name: str
    side: int | None
    value: Input
    before: Any
    now: Any

    @property
    def known(self) -> bool:
        """Whether both systems answered."""
        return isinstance(self.before, Mapping) and isinstance(self.now, Mapping)


def beside(row: GroupRow, render: Renderer) -> AnswersInColumns | None:
    """Return both answers of a group; None where the row holds none of the baseline.

    Args:
        row: of a run that was compared.
        render: of the run's task.
    """
    if row.before is None:
        return None
    verdicts = _verdicts(row, render)
    if render.in_text:
        return AnswersInColumns(verdicts, sentences=tuple(_sentences(row, render)))
    bare = msgspec.structs.replace(
        row, source_output=None, second_output=None, follow_up_output=None
    )
    texts = (
        render.sentence(bare, SOURCE),
        render.second(bare),
        None if shows_original_alone(row) else render.sentence(bare, FOLLOW_UP),
    )
    return AnswersInColumns(verdicts, words=tuple(in_words(row, render)), texts=texts)


def _verdicts(row: GroupRow, render: Renderer) -> tuple[str, str]:
    """Return whether the relation held, for baseline and run; empty where that is not known.

    What is built at run time is built from answers: that a baseline has no such violation does
    not say that it built the group at all. It did where it answered the sources alike.
    """
    if row.change is None:
        return "", ""
    before, now = _VERDICTS[row.change]
    if row.bound and row.change in (Change.NEW, Change.OK) and not _built_alike(row, render):
        before = ""
    return before, now


def _built_alike(row: GroupRow, render: Renderer) -> bool:
    """Whether the baseline gave the answers that this group was built from, and was asked it."""
    return all(
        asked.known and (asked.name == _FOLLOW_UP or not _differ(render, asked))
        for asked in _asked(row)
    )


def was(row: GroupRow, render: Renderer) -> tuple[str, ...]:
    """Return a line for each input that the two answered otherwise, with what they disagree on.

    Empty where the row holds no answers of the baseline, and where they are the same.
    """
    return tuple(_otherwise(asked, render) for asked in _asked(row) if _differ(render, asked))


def _otherwise(asked: _Asked, render: Renderer) -> str:
    """Return ``source: was no; now yes``, or what one of the two has beside the other."""
    before, now = asked.before, asked.now
    if asked.known:
        before, now = render.apart(before, now), render.apart(now, before)
    old, new = (shorten(_in_words(render, asked.value, output), _WORDS) for output in (before, now))
    if asked.known and before is None:
        return f"{asked.name}: now also {new}"
    if asked.known and now is None:
        return f"{asked.name}: no longer {old}"
    return f"{asked.name}: was {old}; now {new}"


def in_words(row: GroupRow, render: Renderer) -> Iterator[AnswerWords]:
    """Yield both answers to each input of a group, in words."""
    for asked in _asked(row):
        yield AnswerWords(
            asked.name,
            _in_words(render, asked.value, asked.before),
            _in_words(render, asked.value, asked.now),
            _differ(render, asked),
        )


def _asked(row: GroupRow) -> Iterator[_Asked]:
    before = row.before
    if before is None:
        return
    name = "text" if shows_original_alone(row) else "source"
    yield _Asked(name, SOURCE, row.source, before.source, row.source_output)
    if row.second is not None:
        yield _Asked("second source", None, row.second, before.second, row.second_output)
    if row.follow_up is not None and not shows_original_alone(row):
        yield _Asked(_FOLLOW_UP, FOLLOW_UP, row.follow_up, before.follow_up, row.follow_up_output)


def _in_words(render: Renderer, value: Input, output: Any) -> str:
    return render.answered(value, output) if isinstance(output, Mapping) else NOT_KNOWN


def _differ(render: Renderer, asked: _Asked) -> bool:
    if asked.known:
        return bool(render.gist(asked.before) != render.gist(asked.now))
    return isinstance(asked.before, Mapping) != isinstance(asked.now, Mapping)


def _sentences(row: GroupRow, render: Renderer) -> Iterator[Sentences]:
    """Yield source and follow-up twice, entities of one answer alone signed."""
    before = row.before or BaselineOutputs()
    then = msgspec.structs.replace(
        row,
        source_output=before.source,
        follow_up_output=before.follow_up,
        unmatched=None,
        errors=(),
    )
    for asked in _asked(row):
        if asked.side is None:
            continue
        old, new = render.sentence(then, asked.side), render.sentence(row, asked.side)
        if asked.known:
            old, new = _signed(old, new, ONLY_BEFORE), _signed(new, old, ONLY_NOW)
        yield Sentences(
            asked.name,
            _noting_no_answer(old, asked.before),
            _noting_no_answer(new, asked.now),
            _differ(render, asked),
        )


def _noting_no_answer(marked: marks.Marked, output: Any) -> marks.Marked:
    """Return a sentence that says itself where it has no answer."""
    if isinstance(output, Mapping):
        return marked
    note = marks.Segment((marks.Piece(f" ({NOT_KNOWN})", marks.KEPT),))
    return marked._replace(segments=(*marked.segments, note))


def _signed(marked: marks.Marked, other: marks.Marked, sign: str) -> marks.Marked:
    """Return a sentence with a sign at each entity that the other one has not."""
    known = {entity for entity, _ in _placed(other)}
    segments = tuple(
        segment if segment.label is None or entity in known else segment._replace(sign=sign)
        for entity, segment in _placed(marked)
    )
    return marked._replace(segments=segments)


def _placed(marked: marks.Marked) -> Iterator[tuple[Entity, marks.Segment]]:
    """Yield every segment with where it stands in the sentence, and its label."""
    at = 0
    for segment in marked.segments:
        end = at + len(segment.text)
        yield Entity(at, end, segment.label or ""), segment
        at = end
