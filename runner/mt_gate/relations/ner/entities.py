"""Compare two predictions of entities, and classify their differences.

The output relations are those of TIN (Yu et al., ESEC/FSE 2023). TIN compares sets of (entity text,
label); comparing spans mapped through the edit distinguishes two mentions of one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import category, normalize

from mt_gate.domain import (
    Block,
    Entity,
    EntityError,
    ErrorCategory,
    NotApplicable,
    Side,
    Verdict,
    inverse,
    map_span,
)
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.tasks import ner

Span = tuple[int, int]

_ARTICLE = re.compile(r"the\s+(?=\S)", re.IGNORECASE)


_MARKS = frozenset({"Mn", "Me", "Cf"})
"""Unicode categories of combining accents and of invisible characters.

Tokenizers may drop them, or attach them to the word before or after."""


def core(text: str, entity: Entity) -> Entity:
    """Return the entity without a leading article, a final full stop, and marks at its ends."""
    start, end = _unmarked(text, entity.start, entity.end)
    article = _ARTICLE.match(text, start, end)
    start = article.end() if article else start
    if text[end - 1 : end] == "." and end - 1 > start:
        start, end = _unmarked(text, start, end - 1)
    return Entity(start, end, entity.label)


def _unmarked(text: str, start: int, end: int) -> Span:
    """Return a span without the marks at its ends; the whole span if it has only marks."""
    first, last = start, end
    while first < last and category(text[last - 1]) in _MARKS:
        last -= 1
    while first < last and category(text[first]) in _MARKS:
        first += 1
    return (first, last) if first < last else (start, end)


def image(
    alignment: Sequence[Block], source: str, follow_up: str, start: int, end: int
) -> Span | None:
    """Map a span of the source to the follow-up, without marks at its ends.

    Edits that only add or remove marks keep a name: ``José`` maps to ``Jose``, and ``Oslo`` to
    ``Oslo`` with U+200B inside. Otherwise the result is that of ``map_span``: None if characters
    were removed or separated.
    """
    matched = map_span(alignment, start, end)
    if matched is not None:
        return matched
    low, high = 0, len(follow_up)
    if before := [block for block in alignment if block.source <= start]:
        low = before[-1].follow_up + min(start - before[-1].source, before[-1].length)
    if after := [block for block in alignment if block.source + block.length >= end]:
        high = after[0].follow_up + max(end - after[0].source, 0)
    one, other = (
        [letter for letter in normalize("NFD", text.lower()) if category(letter) not in _MARKS]
        for text in (source[start:end], follow_up[low:high])
    )
    return _unmarked(follow_up, low, high) if low < high and one == other else None


def cores(text: str, output: Mapping[str, Any]) -> dict[Entity, Entity]:
    """Return the predicted entities of a sentence, in order, keyed by their cores."""
    return {core(text, entity): entity for entity in ner.entities(output)}


class EntityPlace(NamedTuple):
    """The span of some text in source and follow-up; None if it is missing or split there."""

    source: Span | None
    follow_up: Span | None


def place_of(case: ExecutedGroup, side: Side, start: int, end: int) -> EntityPlace:
    """Map a span of one side to both sentences."""
    source, follow_up = case.source["text"], case.follow_up["text"]
    if side is Side.SOURCE:
        return EntityPlace((start, end), image(case.alignment, source, follow_up, start, end))
    back = image(inverse(case.alignment), follow_up, source, start, end)
    return EntityPlace(back, (start, end))


Votes = Mapping[tuple[Side, int, int], str | None]
"""Voted label by side and span, without article and full stop; None means no entity."""

_NO_VOTES: Votes = {}


class _Mention(NamedTuple):
    """A predicted entity, its core, and the core's spans on both sides."""

    entity: Entity
    core: Entity
    place: EntityPlace


def categorise(
    case: ExecutedGroup, lost: Sequence[Entity], added: Sequence[Entity], votes: Votes = _NO_VOTES
) -> tuple[EntityError, ...]:
    """Return an error for every pair of entities that disagree, in order of the sentences.

    TIN, section 4.3, has four categories, which its authors assigned by reading the groups. Two
    predictions that disagree show only that one is wrong; votes (section 3.5) show which one.

    ``lost`` source entities and ``added`` follow-up entities break the relation. Their counterparts
    may be any entities of the other side. Without a vote, one span with two labels is an incorrect
    category, overlapping spans are a range error, and an entity without a counterpart is undecided.
    With votes, the wrong side and its category are known. If both sides are wrong, each gets an
    error. Contradictory votes on the two sides are ignored.
    """
    mentions = {
        side: [
            _Mention(entity, core, place_of(case, side, core.start, core.end))
            for core, entity in cores(value["text"], output).items()
        ]
        for side, value, output in (
            (Side.SOURCE, case.source, case.source_output),
            (Side.FOLLOW_UP, case.follow_up, case.follow_up_output),
        )
    }
    breaking = {Side.SOURCE: frozenset(lost), Side.FOLLOW_UP: frozenset(added)}
    pairs = _pairs(case.alignment, mentions[Side.SOURCE], mentions[Side.FOLLOW_UP], breaking)
    return tuple(
        error for source, follow_up in pairs for error in _errors(source, follow_up, votes)
    )


def _pairs(
    alignment: Sequence[Block],
    sources: Sequence[_Mention],
    follow_ups: Sequence[_Mention],
    breaking: Mapping[Side, frozenset[Entity]],
) -> Iterator[tuple[_Mention | None, _Mention | None]]:
    lost, added = breaking[Side.SOURCE], breaking[Side.FOLLOW_UP]
    met = set()
    for source in sources:
        # Spans in the follow-up of the entity's text that the edit keeps.
        stretches = [
            (
                max(block.source, source.core.start) - block.source + block.follow_up,
                min(block.source + block.length, source.core.end) - block.source + block.follow_up,
            )
            for block in alignment
        ]
        partners = [
            follow_up
            for follow_up in follow_ups
            if source.entity in lost or follow_up.entity in added
            if any(
                max(start, follow_up.core.start) < min(end, follow_up.core.end)
                for start, end in stretches
            )
        ]
        met.update(partners)
        yield from ((source, partner) for partner in partners)
        if not partners and source.entity in lost:
            yield source, None
    yield from ((None, f) for f in follow_ups if f not in met and f.entity in added)


def _errors(
    source: _Mention | None, follow_up: _Mention | None, votes: Votes
) -> Iterator[EntityError]:
    one_place = source is None or follow_up is None or source.place == follow_up.place
    matched: list[tuple[Side | None, ErrorCategory]] = [
        (side, category)
        for side, own, other in (
            (Side.SOURCE, source, follow_up),
            (Side.FOLLOW_UP, follow_up, source),
        )
        if (category := _fault_of(own, other, votes, one_place)) is not None
    ]
    unvoted = ErrorCategory.RANGE_ERROR
    if source is None or follow_up is None:
        unvoted = ErrorCategory.UNDECIDED
    elif one_place:
        unvoted = ErrorCategory.INCORRECT_CATEGORY
    for side, category in matched or [(None, unvoted)]:
        yield EntityError(
            category=category,
            side=side,
            source=source.entity if source else None,
            follow_up=follow_up.entity if follow_up else None,
        )


def _fault_of(
    own: _Mention | None, other: _Mention | None, votes: Votes, one_place: bool
) -> ErrorCategory | None:
    """Return the category of one side's error by the votes; None if no error is known.

    ``one_place``: both sides label the same span; otherwise, their entities overlap.
    """
    said = own.core.label if own else None
    if one_place:
        known = _known(own or other, votes)
        if not known or said in known:
            return None
        if said is None:
            return ErrorCategory.OMISSION
        return ErrorCategory.OVER_LABELLING if None in known else ErrorCategory.INCORRECT_CATEGORY
    here, there = _known(own, votes), _known(other, votes)
    true_here, true_there = (bool(known) and None not in known for known in (here, there))
    if true_here and true_there:  # two entities that overlap cannot both be right
        return None
    if true_there:
        return ErrorCategory.RANGE_ERROR
    if not here or said is None or said in here:
        return None
    if true_here:
        return ErrorCategory.INCORRECT_CATEGORY
    return ErrorCategory.RANGE_ERROR if not there else ErrorCategory.OVER_LABELLING


def _known(mention: _Mention | None, votes: Votes) -> set[str | None]:
    """Return the set of the voted label of a mention (None: no entity); empty if unknown."""
    if mention is None:
        return set()
    sides = ((Side.SOURCE, mention.place.source), (Side.FOLLOW_UP, mention.place.follow_up))
    keys = [(side, *span) for side, span in sides if span is not None]
    labels = {votes[key] for key in keys if key in votes}
    return labels if len(labels) == 1 else set()


def compare_entities(case: ExecutedGroup, *, only_shared: bool = False) -> Judgement:
    """Return satisfied if the follow-up has the mapped entities of the source, and no others.

    Articles before names and full stops after them are ignored: they do not move with names, and
    corpora differ on whether they are part of a name. Combining accents at the ends and invisible
    characters are ignored too, because tokenizers may drop them. A group without an entity on
    either side is not applicable, because any silent system would pass.

    Args:
        case: a group with its predictions.
        only_shared: whether to compare only entities whose text is in both sentences. A group whose
            edit touches an entity of the source is then not applicable, because TIN replaces no
            part of a name.
    """
    texts = case.source["text"], case.follow_up["text"]
    before, after = cores(texts[0], case.source_output), cores(texts[1], case.follow_up_output)
    images: dict[Entity, Entity | None] = {}
    for entity in before:
        span = image(case.alignment, *texts, entity.start, entity.end)
        images[entity] = Entity(*span, entity.label) if span else None
    if only_shared and None in images.values():
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SLOT_IN_ENTITY)
    lost = [before[entity] for entity, mapped in images.items() if mapped not in after]
    if only_shared:
        back, added = inverse(case.alignment), []
        for core, entity in after.items():
            span = image(back, *texts[::-1], core.start, core.end)
            if span and Entity(*span, core.label) not in before:
                added.append(entity)
    else:
        known = {*images.values()}
        added = [entity for core, entity in after.items() if core not in known]
    if not lost and not added:
        if not images:
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
        return Judgement(Verdict.SATISFIED)
    unmatched = {"source": [*map(list, lost)], "follow_up": [*map(list, added)]}
    return Judgement(Verdict.VIOLATED, "", unmatched, categorise(case, lost, added))
