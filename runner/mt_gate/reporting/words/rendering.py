"""Show the groups of each task. The task's record names its renderer.

A renderer turns a row's inputs and outputs, plain JSON values of the task, into marked sentences
and a short text on the violation. The segments of a sentence show its edits and its predictions.
Offsets are Python string indices. They come from untrusted files, so a span outside its text is
listed separately.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pkgutil import resolve_name
from typing import Any, NamedTuple

from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.escaping import shorten
from mt_gate.domain import Alignment, Block, Entity, Verdict
from mt_gate.results.result import Change, GroupRow
from mt_gate.tasks.spec import Input, TaskSpec
from mt_gate.tasks.table import TASKS

SOURCE, FOLLOW_UP = SIDES = (0, 1)
UNCHANGED, EDITED, MOVED = "", "edited", "moved"
_MANY_BLOCKS = 200
"""Maximum blocks for which moved ones are searched: the search is quadratic."""
_MANY_ENTITIES = 500
"""Maximum entities of a sentence in a report."""
_LONGEST_LABEL = 40
_SPACE = re.compile(r"\s+")


class Piece(NamedTuple):
    """A run of text with one kind of edit: kept, edited or moved."""

    text: str
    kind: str


class Segment(NamedTuple):
    """Text of an entity, or between entities; ``sign`` is set if the other run lacks the entity."""

    pieces: tuple[Piece, ...]
    label: str | None = None
    unmatched: bool = False
    sign: str = ""

    @property
    def text(self) -> str:
        """The segment's text without marks."""
        return "".join(piece.text for piece in self.pieces)


class Marked(NamedTuple):
    """A sentence cut into segments, and the entities that could not be placed."""

    segments: tuple[Segment, ...]
    unplaced: tuple[Entity, ...] = ()


def entities(listed: Any) -> tuple[Entity, ...]:
    """Return the entities of an output's list; skip malformed items."""
    entities = []
    for item in listed if isinstance(listed, list | tuple) else ():
        match item:
            case [int(start), int(end), str(label)]:
                entities.append(Entity(start, end, label))
    return tuple(entities)


def _pieces(text: str, kinds: list[str]) -> Iterator[Piece]:
    """Yield a text by kind of edit; white space at the edge of an edit is not marked."""
    if kinds.count(UNCHANGED) == len(kinds):  # the most frequent case
        yield Piece(text, UNCHANGED)
        return
    for space in _SPACE.finditer(text):
        start, end = space.span()
        before = kinds[start - 1] if start else UNCHANGED
        after = kinds[end] if end < len(text) else UNCHANGED
        kinds[start:end] = [before if before == after else UNCHANGED] * (end - start)
    at = 0
    for kind, run in groupby(kinds):
        length = len([*run])
        yield Piece(text[at : at + length], kind)
        at += length


def mark(
    text: str,
    predicted: Sequence[Entity],
    unmatched: Sequence[Entity],
    alignment: Sequence[Block],
    side: int,
) -> Marked:
    """Return a text cut at its entities and edits; ``unmatched`` entities break the relation."""
    placed: list[Entity] = []
    unplaced: list[Entity] = []
    for entity in [*dict.fromkeys([*unmatched, *predicted])][:_MANY_ENTITIES]:
        inside = 0 <= entity.start < entity.end <= len(text)
        free = all(entity.end <= p.start or p.end <= entity.start for p in placed)
        (placed if inside and free else unplaced).append(entity)
    if text and not alignment and not placed:
        return Marked((Segment((Piece(text, UNCHANGED),)),), tuple(unplaced))
    # The kind of edit of every character; without an alignment, all are unchanged.
    kinds = [EDITED if alignment else UNCHANGED] * len(text)
    out_of_order: frozenset[Block] = frozenset()  # blocks outside a heaviest ascending chain
    blocks = sorted(alignment)
    in_order = all(a.follow_up <= b.follow_up for a, b in pairwise(blocks))
    if not in_order and len(blocks) <= _MANY_BLOCKS:
        chains: list[tuple[int, tuple[Block, ...]]] = []
        for block in blocks:
            before = [c for c in chains if c[1][-1].follow_up < block.follow_up]
            weight, chain = max(before, default=(0, ()), key=lambda c: c[0])
            chains.append((weight + block.length, (*chain, block)))
        out_of_order = frozenset(blocks) - frozenset(max(chains, key=lambda c: c[0])[1])
    for block in alignment:
        start, end = max(block[side], 0), min(block[side] + block.length, len(text))
        if end > start:
            kinds[start:end] = [MOVED if block in out_of_order else UNCHANGED] * (end - start)
    breaking = frozenset(unmatched)
    segments, at = [], 0
    for entity in sorted(placed):
        start, end = entity.start, entity.end
        if start > at:
            segments.append(Segment(tuple(_pieces(text[at:start], kinds[at:start]))))
        inner = tuple(_pieces(text[start:end], kinds[start:end]))
        segments.append(Segment(inner, entity.label, entity in breaking))
        at = end
    if at < len(text):
        segments.append(Segment(tuple(_pieces(text[at:], kinds[at:]))))
    return Marked(tuple(segments), tuple(unplaced))


def with_text(marked: Marked, text: str) -> Marked:
    """Return a sentence with unmarked text after it."""
    return marked._replace(segments=(*marked.segments, Segment((Piece(text, UNCHANGED),))))


def plain(marked: Marked) -> str:
    """Return a marked sentence as text, entities as ``[Belarus LOC]``."""
    return "".join(
        segment.text
        if segment.label is None
        else f"[{segment.text} {shorten(segment.label, _LONGEST_LABEL)}]"
        for segment in marked.segments
    )


LONG = 1500
"""Maximum characters of one sentence in a report."""
_LONG_LABEL = 60
_LONG_ANSWER = 2000
"""Maximum characters of one prediction as text."""
ENTITIES, ARGUMENTS = "entities", "arguments"
"""Legends of a report: for predicted entities, or for head and tail."""
BETWEEN = " · "
"""Separator between role and type in a label: ``head · PERSON``."""


def _texts_touched(
    task: TaskSpec, source: Input, follow_up: Input, alignment: Alignment
) -> tuple[Marked, Marked]:
    view = task.view(source, follow_up, alignment)
    return (
        mark(view.source, (), (), view.alignment, SOURCE),
        mark(view.follow_up, (), (), view.alignment, FOLLOW_UP),
    )


class Renderer(NamedTuple):
    """The parts of a report that differ by task."""

    sentence: Callable[[GroupRow, int], Marked]  # one side of a row, with its prediction if any
    broke: Callable[[GroupRow], tuple[str, ...]]  # short texts on the violation
    weight: Callable[[GroupRow], int]  # rank: how strongly a row violates the relation
    profile: str  # the name of the output profile
    quantity: Callable[[float | None], str]  # formats a value of the profile
    legend: str = ""  # what is marked in addition to edits
    context: Callable[[GroupRow], str] = lambda _: ""  # the part of the input that is not edited
    edit: Callable[[GroupRow], str] = lambda _: ""  # a part of the edit that the texts do not show
    second: Callable[[GroupRow], Marked | None] = lambda _: None  # the second source, if any
    # Both texts of a group without predictions, for people who review a suite.
    reading: Callable[[TaskSpec, Input, Input, Alignment], tuple[Marked, Marked]] = _texts_touched
    answered: Callable[[Input, Any], str] = lambda _, output: shorten(str(output), _LONG_ANSWER)
    gist: Callable[[Any], Any] = lambda output: output  # the part that is compared between runs
    # The part of the first output that the second does not have; None if there is none.
    only_in: Callable[[Any, Any], Any] = lambda output, _: output
    in_text: bool = False  # whether ``sentence`` shows the whole prediction within the text
    labels: Callable[[Any], Iterable[str]] = lambda _: ()  # the labels of an output
    strength: str = ""  # name of the sort order by ``strongest``, or by ``weight`` if it is None
    strongest: Callable[[GroupRow], float] | None = None


def _any_sentence(row: GroupRow, side: int) -> Marked:
    value, output = side_of(row, side)
    text = "; ".join(f"{name}: {part}" for name, part in value.items())
    return shown_text(text if output is None else f"{text} -> {output}")


_ANY = Renderer(_any_sentence, lambda _: (), lambda _: 0, "Predictions", figures.quantity)


def renderer(task: str) -> Renderer:
    """Return the renderer of a task; if it has none, one that shows inputs and outputs as text."""
    spec = TASKS.get(task)
    resolved: Renderer = resolve_name(spec.renderer) if spec and spec.renderer else _ANY
    return resolved


def side_of(row: GroupRow, side: int) -> tuple[Input, Any]:
    """Return the input of one side of a row, and its prediction."""
    if side == SOURCE:
        return row.source, row.source_output
    return row.follow_up or {}, row.follow_up_output


def shows_original_alone(row: GroupRow) -> bool:
    """Whether a row has no edit: its follow-up is the original, which has a known answer."""
    return row.follow_up == row.source


def what_broke(row: GroupRow, render: Renderer) -> tuple[str, ...]:
    """Return short texts on the violation; for a known answer, the right and predicted labels."""
    if not shows_original_alone(row) or render.in_text:
        return render.broke(row)
    expected = (row.unmatched or {}).get("expected")
    if not isinstance(expected, list | tuple):
        return ()
    wanted = ", ".join(f"“{shorten(str(label), _LONG_LABEL)}”" for label in expected) or "no label"
    predicted = shorten(render.answered(row.source, row.source_output), _LONG_ANSWER)
    return (f"right: {wanted}; predicted: {predicted}",)


def scores_of(row: GroupRow) -> tuple[float | None, float | None]:
    """Return the scores of both predictions, each in [0, 1]; None for one without a score."""
    return score_of(row.source_output), score_of(row.follow_up_output)


def score_of(output: Any) -> float | None:
    """Return the score of an output; None if it has none in [0, 1]."""
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
) -> Marked:
    """Return the beginning of a text with edits and entities, and how many characters follow."""
    marked, left = mark(text[:LONG], predicted, unmatched, alignment, side), len(text) - LONG
    if left <= 0:
        return marked
    return with_text(marked, f"… ({figures.counted(left, 'character')} more)")


def answered_sentence(
    row: GroupRow, side: int, marked: Marked, label: str, words: str = "predicted"
) -> Marked:
    """Return a side of a row with its prediction, marked if it violates the relation."""
    return with_answer(marked, label, words, side == FOLLOW_UP and row.verdict is Verdict.VIOLATED)


def with_answer(
    marked: Marked, label: str, words: str = "predicted", broken: bool = False
) -> Marked:
    """Return a sentence followed by the prediction; unchanged if the label is empty."""
    if not label:
        return marked
    spaced = with_text(marked, " ")
    answer = Segment((Piece(words, UNCHANGED),), label, broken)
    return spaced._replace(segments=(*spaced.segments, answer))


ONLY_BEFORE, ONLY_NOW = "\N{MINUS SIGN}", "+"
"""Signs before the label of an entity that only one of the two predictions has."""
_NOT_KNOWN = "no prediction"
_WORDS = 200
"""Maximum characters of a prediction in ``changed_answers``."""
_VERDICTS = {
    Change.NEW: ("satisfied", "violated"),
    Change.FIXED: ("violated", "satisfied"),
    Change.STILL: ("violated", "violated"),
    Change.OK: ("satisfied", "satisfied"),
}


class Pair(NamedTuple):
    """Both predictions for one input, as text or marked; ``changed`` is whether they differ."""

    name: str
    before: Any
    now: Any
    changed: bool


class AnswersInColumns(NamedTuple):
    """A group's predictions by baseline and candidate, for two columns.

    If predictions are marked in the sentence, only ``sentences`` is set. Otherwise ``words`` are
    the predictions, and ``texts`` the group's sentences without them: source, second source,
    follow-up. ``verdicts`` are those of baseline and candidate; empty if not known.
    """

    verdicts: tuple[str, str]
    alike: bool = False  # all predictions are equal, so one column is enough
    sentences: tuple[Pair, ...] = ()
    words: tuple[Pair, ...] = ()
    texts: tuple[Marked | None, ...] = ()


class _Answers(NamedTuple):
    """An input of a group with both predictions; ``known`` is whether both runs have one."""

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
    """Return both runs' predictions on a group; None if the row has none of the baseline."""
    if row.before is None:
        return None
    pairs = [*_answers(row, render)]
    verdicts = ("", "") if row.change is None else _VERDICTS[row.change]
    # A case built at run time depends on predictions. The baseline had the same case for certain
    # only if its predictions on the sources are the same.
    built = all(pair.known and (pair.side == FOLLOW_UP or not pair.differ) for pair in pairs)
    if row.bound and row.change in (Change.NEW, Change.OK) and not built:
        verdicts = ("", verdicts[1])
    if render.in_text:
        sentences = tuple(_sentences(row, pairs, render))
        alike = not any(sentence.changed for sentence in sentences)
        return AnswersInColumns(verdicts, alike, sentences)
    bare = replace(row, source_output=None, second_output=None, follow_up_output=None)
    alone = shows_original_alone(row)
    follow_up = None if alone else render.sentence(bare, FOLLOW_UP)
    words = []
    for pair in pairs:
        before, now = (pair.in_words(render, output) for output in (pair.before, pair.now))
        words.append(Pair(pair.name, before, now, pair.differ))
    texts = (render.sentence(bare, SOURCE), render.second(bare), follow_up)
    return AnswersInColumns(verdicts, words=tuple(words), texts=texts)


def changed_answers(row: GroupRow, render: Renderer) -> Iterator[str]:
    """Yield ``original: was no; now yes`` for each input whose prediction changed."""
    for pair in _answers(row, render):
        if not pair.differ:
            continue
        before, now = pair.before, pair.now
        if pair.known:
            before, now = render.only_in(before, now), render.only_in(now, before)
        old, new = (
            shorten(pair.in_words(render, prediction), _WORDS) for prediction in (before, now)
        )
        if pair.known and before is None:
            yield f"{pair.name}: now also {new}"
        elif pair.known and now is None:
            yield f"{pair.name}: no longer {old}"
        else:
            yield f"{pair.name}: was {old}; now {new}"


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
    """Yield source and follow-up of both runs, with signs at entities of only one run."""
    assert row.before is not None, "of a row with both answers"
    outputs = {"source_output": row.before.source, "follow_up_output": row.before.follow_up}
    then = replace(row, **outputs, unmatched=None, errors=())
    for answer in answers:
        if answer.side is None:
            continue
        sides = [render.sentence(then, answer.side), render.sentence(row, answer.side)]
        if answer.known:
            placed: list[list[tuple[tuple[int, int, str], Segment]]] = [[], []]
            for marked, places in zip(sides, placed, strict=True):
                start = 0
                for segment in marked.segments:
                    end = start + len(segment.text)
                    places.append(((start, end, segment.label or ""), segment))
                    start = end
            for at, sign in enumerate((ONLY_BEFORE, ONLY_NOW)):
                other = {place for place, _ in placed[1 - at]}
                segments = (
                    segment._replace(sign="" if place in other else sign)
                    if segment.label is not None
                    else segment
                    for place, segment in placed[at]
                )
                sides[at] = sides[at]._replace(segments=tuple(segments))
        for at, output in enumerate((answer.before, answer.now)):
            if not isinstance(output, Mapping):
                sides[at] = with_text(sides[at], f" ({_NOT_KNOWN})")
        yield Pair(answer.name, sides[0], sides[1], answer.differ)
