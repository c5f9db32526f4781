"""Compare predicted entities with known ones, such as the personal data in a text.

A known entity is found if predicted entities of its label cover it exactly. Two of them may do so
together (a given name and a family name), and one may cover two known entities whose kinds have the
label (a street and a city). Marks, articles and final full stops at the ends are ignored, as when
two predictions are compared. Labels of the suite are its *kinds*; ``Context.kinds`` has the
system's labels of each, as ``plain_name`` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from mt_gate.domain import (
    Entity,
    EntityError,
    ErrorCategory,
    NotApplicable,
    Side,
    Verdict,
)
from mt_gate.relations.base import Context, ExecutedGroup, Judgement, MetamorphicRelation
from mt_gate.relations.ner.entities import core
from mt_gate.tasks import ner


@lru_cache(1 << 12)
def plain_name(label: str) -> str:
    """Return a label in lower case, without punctuation and ``private``."""
    return re.sub(r"[^a-z0-9]", "", label.lower()).removeprefix("private")


def find_error(
    text: str,
    output: Mapping[str, Any],
    known: Entity,
    others: Iterable[Entity],
    context: Context,
    side: Side | None = None,
) -> EntityError | None:
    """Return how a prediction misses a known entity; None if it finds it.

    The error is an omission if nothing is predicted there, an incorrect category if all that is
    predicted there has labels of other kinds, and else a range error.

    Args:
        text: the text.
        output: the prediction for it.
        known: the known entity.
        others: all known entities of the text.
        context: the system's labels of each kind.
        side: the text's side, for the error.
    """
    wanted = core(text, known)
    there = [e for e in ner.entities(output) if e.start < wanted.end and wanted.start < e.end]
    named = [e for e in there if plain_name(e.label) in context.kinds.get(known.label, ())]
    category = ErrorCategory.OMISSION
    if named:
        joined = core(text, Entity(named[0].start, named[-1].end, known.label))
        inside = [
            e
            for e in (core(text, other) for other in others)
            if joined.start <= e.start
            and e.end <= joined.end
            and context.kinds.get(e.label, frozenset()).issuperset(
                plain_name(part.label) for part in named
            )
        ]
        together = Entity(
            min([wanted.start, *(e.start for e in inside)]),
            max([wanted.end, *(e.end for e in inside)]),
            known.label,
        )
        if joined == together and not _has_gap(text, named) and not _has_gap(text, inside):
            return None
        category = ErrorCategory.RANGE_ERROR
    elif there:
        category = ErrorCategory.INCORRECT_CATEGORY
    shown = next(iter(named or there), None)
    return EntityError(category=category, side=side, source=known, follow_up=shown)


def _has_gap(text: str, entities: Iterable[Entity]) -> bool:
    """Whether there is a letter or digit between two of these entities."""
    ordered = sorted(entities)
    gaps = (text[a.end : b.start] for a, b in pairwise(ordered))
    return any(map(str.isalnum, "".join(gaps)))


def has_kind(context: Context, kind: str) -> bool:
    """Whether the system has a label of this kind."""
    return bool(context.kinds.get(kind))


def judge_known(case: ExecutedGroup) -> Judgement:
    """Return satisfied if the known entity of the text is found, whole and with its kind."""
    every, wanted = case.known
    if not wanted or not all(has_kind(case.context, entity.label) for entity in wanted):
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
    missed = _missed(case.source["text"], case.source_output, wanted, every, case.context)
    return _violated(missed, ()) if missed else Judgement(Verdict.SATISFIED)


def judge_look_alike(case: ExecutedGroup) -> Judgement:
    """Return satisfied if no entity of the suite's kinds is found."""
    labels = frozenset[str]().union(*case.context.kinds.values())
    if not labels:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
    added = [e for e in ner.entities(case.source_output) if plain_name(e.label) in labels]
    over = ErrorCategory.OVER_LABELLING
    errors = [EntityError(category=over, follow_up=entity) for entity in added]
    return _violated(errors, added) if added else Judgement(Verdict.SATISFIED)


def judge_edited(case: ExecutedGroup) -> Judgement:
    """Return satisfied if known entities that are found in the source are found in the follow-up.

    An entity that the edit adds must be found if the source's entities of its kind are.
    """
    before, after = case.known
    text, edited = case.source["text"], case.follow_up["text"]
    kinds = {entity.label for entity in after if has_kind(case.context, entity.label)}
    if not kinds:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.OTHER_LABELS)
    missed = [find_error(text, case.source_output, e, before, case.context) for e in before]
    unsure = {e.label for e, error in zip(before, missed, strict=True) if error}
    wanted = [e for e, error in zip(after, missed, strict=False) if not error]
    known = {e.label for e in before} - unsure
    wanted += [entity for entity in after[len(before) :] if entity.label in known]
    if not wanted:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SOURCE_ANSWER)
    lost = _missed(edited, case.follow_up_output, wanted, after, case.context, Side.FOLLOW_UP)
    return _violated(lost, ()) if lost else Judgement(Verdict.SATISFIED)


def _missed(
    text: str,
    output: Mapping[str, Any],
    wanted: Iterable[Entity],
    every: Sequence[Entity],
    context: Context,
    side: Side | None = None,
) -> list[EntityError]:
    errors = (find_error(text, output, entity, every, context, side) for entity in wanted)
    return [error for error in errors if error]


def _violated(errors: Iterable[EntityError], added: Iterable[Entity]) -> Judgement:
    """Return a violation: its errors have the known entity first, then the predicted one."""
    errors = tuple(errors)
    expected = [[*error.source] for error in errors if error.source]
    unmatched = {"expected": expected, "follow_up": [[*entity] for entity in added]}
    return Judgement(Verdict.VIOLATED, "", unmatched, errors)


KNOWN_ENTITIES = (
    MetamorphicRelation(
        id="ner/known-answer",
        title="Known entities",
        description="Checks an entity that is known to be in the text. The model must predict it.",
        paper="",
        before="",
        after="",
        holds=judge_known,
        fixed_edit=True,
    ),
    MetamorphicRelation(
        id="ner/look-alike",
        title="Look-alikes",
        description="Checks a text that has only look-alikes. The model must predict no entity.",
        paper="",
        before="",
        after="",
        holds=judge_look_alike,
        fixed_edit=True,
    ),
)
"""The relations of a suite of task ``ner`` that knows the entities of its sources."""
