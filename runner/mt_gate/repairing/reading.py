"""Read and check the violated groups of a stored run, and find their suspicious entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, quoted
from mt_gate.domain import Entity, Side, Verdict
from mt_gate.relations.base import ExecutedGroup, is_labels
from mt_gate.relations.ner.entities import Span, cores, place_of
from mt_gate.results.result import GroupRow
from mt_gate.results.store import GROUPS

MAX_ENTITIES = 1000
"""Maximum entities of a sentence; checkpoints accept at most some hundred words."""
_CAUSE = "Run 'mt-gate run' again."


class Suspect(NamedTuple):
    """A suspicious span of one sentence, and the label predicted for it.

    ``span`` excludes article and full stop; ``said`` is None if no entity was predicted.
    """

    text: str
    span: Span
    said: str | None

    @property
    def words(self) -> str:
        """Text of the suspicious entity."""
        return self.text[self.span[0] : self.span[1]]


def suspects(case: ExecutedGroup) -> list[tuple[Side, Suspect]]:
    """Return the suspicious spans of a group, first those of the original text.

    A span is suspicious if it is in both texts, with different labels; no entity is a label too. A
    span that the edit added or removed is not: it has no counterpart (TIN, section 3.5.1).
    """
    texts = {Side.SOURCE: case.source["text"], Side.FOLLOW_UP: case.follow_up["text"]}
    outputs = {Side.SOURCE: case.source_output, Side.FOLLOW_UP: case.follow_up_output}
    said = {
        side: {(core.start, core.end): core.label for core in cores(texts[side], outputs[side])}
        for side in Side
    }
    suspects: set[tuple[Side, Suspect]] = set()
    for side in Side:
        for start, end in said[side]:
            place = place_of(case, side, start, end)
            if place.source is None or place.follow_up is None:
                continue
            labels = {
                Side.SOURCE: said[Side.SOURCE].get(place.source),
                Side.FOLLOW_UP: said[Side.FOLLOW_UP].get(place.follow_up),
            }
            if labels[Side.SOURCE] == labels[Side.FOLLOW_UP]:
                continue
            for one, span in ((Side.SOURCE, place.source), (Side.FOLLOW_UP, place.follow_up)):
                suspects.add((one, Suspect(texts[one], span, labels[one])))
    return sorted(suspects, key=lambda item: (item[0] is Side.FOLLOW_UP, item[1].span))


class Violated(NamedTuple):
    """A violated group, with the entities that break its relation."""

    id: str
    case: ExecutedGroup
    lost: tuple[Entity, ...]
    added: tuple[Entity, ...]


class ViolatedSentence(NamedTuple):
    """A distinct sentence of violated groups, with its predicted entities and suspects."""

    entities: tuple[Entity, ...]
    suspects: dict[Suspect, None]
    groups: dict[str, None]
    sides: set[Side]


class _Text(msgspec.Struct):
    text: str


class _Entities(msgspec.Struct):
    entities: tuple[tuple[int, int, str], ...]


class _Unmatched(msgspec.Struct):
    source: tuple[tuple[int, int, str], ...] = ()
    follow_up: tuple[tuple[int, int, str], ...] = ()


def violated_groups(rows: Iterable[GroupRow], path: Path) -> Iterator[Violated]:
    """Yield the violated groups of a run's rows, read from ``path``.

    Raises CannotJudge: a group's inputs, outputs or alignment are invalid.
    """
    for row in rows:
        if row.verdict is not Verdict.VIOLATED or is_labels(row.relation):
            continue
        try:
            yield _violated(row)
        except (msgspec.ValidationError, ValueError) as error:
            raise CannotJudge(f"{path}: case {quoted(row.id, 40)}: {error}. {_CAUSE}") from None


def _violated(row: GroupRow) -> Violated:
    source, follow_up = _text(row.source), _text(row.follow_up)
    at = 0
    for block in row.alignment:
        old = source[block.source : block.source + block.length]
        new = follow_up[block.follow_up : block.follow_up + block.length]
        inside = min(block) >= 0 and block.length > 0 and block.source >= at
        if not inside or len(old) != block.length or old.casefold() != new.casefold():
            raise ValueError(f"aligned texts differ: {quoted(old, 40)} and {quoted(new, 40)}")
        at = block.source + block.length
    case = ExecutedGroup(
        {"text": source},
        {"text": follow_up},
        {"entities": _entities(row.source_output, source)},
        {"entities": _entities(row.follow_up_output, follow_up)},
        row.alignment,
    )
    unmatched = msgspec.convert(row.unmatched or {}, _Unmatched)
    lost, added = (
        tuple(Entity(*item) for item in side) for side in (unmatched.source, unmatched.follow_up)
    )
    return Violated(row.id, case, lost, added)


def _text(value: Mapping[str, Any] | None) -> str:
    return msgspec.convert(value, _Text).text


def _entities(output: object, text: str) -> tuple[Entity, ...]:
    entities = tuple(Entity(*item) for item in msgspec.convert(output, _Entities).entities)
    if len(entities) > MAX_ENTITIES:
        raise ValueError(f"{len(entities)} entities in a sentence, limit {MAX_ENTITIES}")
    for start, end, _ in entities:
        if not 0 <= start < end <= len(text):
            raise ValueError(f"an entity is at {start}-{end} of {len(text)} characters")
    return entities


def distinct_sentences(groups: Iterable[Violated]) -> dict[str, ViolatedSentence]:
    """Return the sentences with a suspicious entity, in order of the groups.

    Raises CannotJudge: a sentence has two predictions.
    """
    sentences: dict[str, ViolatedSentence] = {}
    for group in groups:
        outputs = {
            Side.SOURCE: group.case.source_output,
            Side.FOLLOW_UP: group.case.follow_up_output,
        }
        for side, suspect in suspects(group.case):
            entities = tuple(outputs[side]["entities"])
            sentence = sentences.setdefault(suspect.text, ViolatedSentence(entities, {}, {}, set()))
            if sentence.entities != entities:
                raise CannotJudge(
                    f"Case {quoted(group.id, 40)}: {quoted(suspect.text, 60)} has two different "
                    f"predictions in one {GROUPS}. {_CAUSE}"
                )
            sentence.suspects.setdefault(suspect)
            sentence.groups.setdefault(group.id)
            sentence.sides.add(side)
    return sentences
