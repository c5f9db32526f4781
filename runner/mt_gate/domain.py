"""The basic values of a run: spans, alignments, groups, verdicts.

All are immutable, without references to files, clocks or checkpoints. Offsets are in characters of
a Python string, ``end`` exclusive.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import msgspec

MAX_OFFSET = 1 << 22
Offset = Annotated[int, msgspec.Meta(ge=0, le=MAX_OFFSET)]
"""A place in a text, in characters."""
Id = Annotated[str, msgspec.Meta(max_length=200)]
"""Name of a row or a label."""


def shard_index(key: str, into: int) -> int:
    """Map the key of a cluster to a shard from 1 to ``into``, stable across versions of a suite."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % into + 1


Gold = Annotated[tuple[Id, ...], msgspec.Meta(max_length=1000)]
"""Labels of a right answer."""
MAX_SLICES = 16
"""Maximum slices of a source; each has a different name."""


class Block(NamedTuple):
    """A stretch of words in both texts, ignoring letter case: its offset in each, its length."""

    source: Offset
    follow_up: Offset
    length: Offset


Alignment = Annotated[tuple[Block, ...], msgspec.Meta(max_length=10_000)]
"""Blocks sorted by their place in the source, disjoint in both sentences.

A character in no block was removed (source) or inserted (follow-up).
"""


class Entity(NamedTuple):
    """A predicted mention: half-open character span and its label."""

    start: Offset
    end: Offset
    label: Id


class Verdict(StrEnum):
    """Outcome of a metamorphic case."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    NOT_APPLICABLE = "not-applicable"


class NotApplicable(StrEnum):
    """Why a case has no verdict: the stored value, and the text in reports (``words``).

    ``depends_on_prediction``: with another prediction the case would have been testable. All other
    reasons count as missing predictions.
    """

    words: str
    depends_on_prediction: bool

    def __new__(cls, value: str, words: str, depends_on_prediction: bool = False) -> NotApplicable:
        """Make a member that equals its stored value and has the other two fields."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = words
        member.depends_on_prediction = depends_on_prediction
        return member

    # All cases of a system that predicts nothing have this reason.
    VACUOUS = "vacuous", "the model predicts nothing on either text"
    # For example a no, or a relation that is not symmetric, or none. The system made a prediction,
    # but the relation needs a different one.
    SOURCE_ANSWER = "source-answer", "the relation does not apply to this prediction", True
    # For example, no two predicted names have one label, or no predicted relation can be combined.
    # If nothing is predicted at all, the reason is ``vacuous``.
    NO_FOLLOW_UP = "no-follow-up", "no edited text can be built from this prediction", True
    # The system predicted an entity where the edit is.
    SLOT_IN_ENTITY = "slot-in-entity", "the edit overlaps a predicted entity", True
    # The score is known, but the expected change would lead out of [0, 1].
    NO_ROOM = "no-room", "the score is too close to 0 or 1 for the expected change", True
    # For all other reasons, a text has no prediction, or the system did not read the edit. A
    # different prediction would not make the case testable.
    NO_SCORE = "no-score", "the prediction has no score for the label"
    OTHER_LABELS = "other-labels", "the correct label is not one of the model's labels"
    EDIT_CUT_OFF = "edit-cut-off", "the passage was cut off before the end of the edit"
    QUESTION_TOO_LONG = (
        "question-too-long",
        "the question alone is longer than the model's maximum input",
    )
    TRUNCATED = "truncated", "longer than the model's maximum input"
    UNANSWERED = "unanswered", "the model's reply is not a label, or not entities in JSON"
    NO_TOKENS = "no-tokens", "the tokenizer gives no token for the input"
    UNKNOWN_TYPE = "unknown-type", "the model has no name for an argument's type"
    MARKER_IN_TEXT = (
        "marker-in-text",
        "the text itself contains one of the model's special tokens",
    )
    ARGUMENT_UNREAD = "argument-unread", "the tokenizer drops all characters of an argument"
    TYPES_UNREAD = (
        "types-unread",
        "the edited text differs only in a type, and the model reads no types",
    )


PREDICTED = frozenset(reason.value for reason in NotApplicable if reason.depends_on_prediction)
"""Reasons of cases that have predictions; any other reason counts as a missing prediction."""


KNOWN_ANSWER, LOOK_ALIKE, LABELS = "known-answer", "look-alike", "labels"
"""Names of the relations that compare predictions with right answers: a suite's, and --labels'.

Look-alikes are texts of task ``ner`` in which nothing must be found."""


def metamorphic(relations: Iterable[str]) -> list[str]:
    """Return relations that compare predictions with each other; if there are none, return all."""
    every = [*relations]
    known = (KNOWN_ANSWER, LOOK_ALIKE, LABELS)
    return [name for name in every if name.partition("/")[2] not in known] or every


class Side(StrEnum):
    """One of the two sentences of a case."""

    SOURCE = "source"
    FOLLOW_UP = "follow-up"


class ErrorCategory(StrEnum):
    """Kind of error of an entity in a violated case (TIN, section 4.3)."""

    OMISSION = "omission"
    OVER_LABELLING = "over-labelling"
    INCORRECT_CATEGORY = "incorrect-category"
    RANGE_ERROR = "range-error"
    UNDECIDED = "undecided"


class AnswerChange(StrEnum):
    """Change of a predicted label or span; all but the first two are of spans."""

    KEPT = "kept"
    CHANGED = "changed"
    RELABELLED = "relabelled"
    MOVED = "moved"
    LOST = "lost"
    FOUND = "found"


class AnswerMove(NamedTuple):
    """Change of one predicted label or span; ``before`` or ``after`` is empty if there is none."""

    how: AnswerChange
    before: str = ""
    after: str = ""


class EntityError(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two predictions of one mention that disagree; ``side`` is None if it is undecided."""

    category: ErrorCategory
    side: Side | None = None
    source: Entity | None = None
    follow_up: Entity | None = None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """An original input of a suite, and its origin.

    ``input`` has the task's form, as plain JSON values (``ner``: ``text``). ``bind`` names the
    relations that may build edited texts from it at run time; ``entities`` are mentions in the text
    that these relations may use. Sources that depend on each other, such as two pairs of one
    sentence, share a ``cluster``; it is empty if there is no such source. ``gold`` are the labels
    of the right answer: None if unknown, empty if none of the suite's labels is right. In a task of
    spans, ``gold`` is empty if the right answer is known, and ``entities`` are it. ``slices`` put
    the source into named parts of the suite (``{"target": "women"}``); each part is tested
    separately for known answers.
    """

    id: Id
    input: Mapping[str, Any]
    origin: Id
    bind: Annotated[tuple[Id, ...], msgspec.Meta(max_length=100)] = ()
    entities: Annotated[tuple[Entity, ...], msgspec.Meta(max_length=10_000)] = ()
    cluster: Id = ""
    gold: Gold | None = None
    slices: Annotated[Mapping[Id, Id], msgspec.Meta(max_length=MAX_SLICES)] = {}


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A metamorphic case: a source, an edited text (follow-up), and how the texts align.

    ``stratum`` is its subtype, if rates are counted by subtype. ``second`` is the id of its second
    source, if it has two. ``gold`` are the labels of the edited text, for a relation that compares
    predictions with them (``equals``); it is empty if none of the suite's labels is right.
    ``entities`` are known entities of the edited text: first the source's, in its order.
    """

    id: Id
    relation: Id
    source: Id
    follow_up: Mapping[str, Any]
    alignment: Alignment = ()
    stratum: Id = ""
    second: Id = ""
    gold: Gold | None = None
    entities: Annotated[tuple[Entity, ...], msgspec.Meta(max_length=10_000)] = ()


def map_span(alignment: Sequence[Block], start: int, end: int) -> tuple[int, int] | None:
    """Return where ``[start, end)`` of the source is in the follow-up; None if not there whole."""
    image: int | None = None
    at = start
    for block in alignment:
        block_end = block.source + block.length
        if block_end <= at:
            continue
        if block.source > at:
            return None
        target = block.follow_up + at - block.source
        if image is None:
            image = target
        elif target != image + at - start:
            return None
        at = min(block_end, end)
        if at == end:
            return image, image + end - start
    return None


def cropped(alignment: Sequence[Block], source: range, follow_up: range) -> Alignment:
    """Return the part of an alignment in one span of each text, with offsets in the spans."""
    groups = []
    for block in alignment:
        shift = max(source.start - block.source, follow_up.start - block.follow_up, 0)
        over = max(
            block.source + block.length - source.stop,
            block.follow_up + block.length - follow_up.stop,
            0,
        )
        if block.length > shift + over:
            groups.append(
                Block(
                    block.source + shift - source.start,
                    block.follow_up + shift - follow_up.start,
                    block.length - shift - over,
                )
            )
    return tuple(groups)


def inverse(alignment: Sequence[Block]) -> Alignment:
    """Return the alignment read from the follow-up to the source."""
    return tuple(sorted(Block(block.follow_up, block.source, block.length) for block in alignment))
