"""The output relation "same labels": what stands in both sentences is labelled alike.

TIN (ESEC/FSE 2023), similar sentence generation: for each entity text in both
sentences the label is the same, and "none" is a label. Texts are compared by
their places, mapped through the edit.
"""

from __future__ import annotations

from mt_gate.domain import Alignment, Entity, NotApplicable, Verdict, inverse, map_span
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.error_categories import categorise
from mt_gate.relations.ner.mentions import core
from mt_gate.tasks import ner


def same_labels(case: ExecutedGroup) -> Judgement:
    """Hold where each entity of either sentence that stands in both has the same label there.

    A group whose replaced words touch an entity of the source is not applicable,
    for TIN replaces no part of a name, nor is one with no entity to compare on either side.
    """
    before = {core(case.source["text"], e): e for e in ner.entities(case.source_output)}
    after = {core(case.follow_up["text"], e): e for e in ner.entities(case.follow_up_output)}
    if any(_touches(case.alignment, entity) for entity in before):
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SLOT_IN_ENTITY)
    images = {entity: _image(case.alignment, entity) for entity in before}
    origins = {entity: _image(inverse(case.alignment), entity) for entity in after}
    lost = [before[entity] for entity, image in images.items() if _missing(image, after)]
    added = [after[entity] for entity, origin in origins.items() if _missing(origin, before)]
    if not lost and not added and not any(images.values()):
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
    if not lost and not added:
        return Judgement(Verdict.SATISFIED)
    unmatched = {"source": [*map(list, lost)], "follow_up": [*map(list, added)]}
    return Judgement(Verdict.VIOLATED, "", unmatched, categorise(case, lost, added))


def _image(alignment: Alignment, entity: Entity) -> Entity | None:
    span = map_span(alignment, entity.start, entity.end)
    return Entity(*span, entity.label) if span else None


def _missing(image: Entity | None, found: dict[Entity, Entity]) -> bool:
    """Whether an entity stands in the other sentence and is not found there."""
    return image is not None and image not in found


def _touches(alignment: Alignment, entity: Entity) -> bool:
    return map_span(alignment, entity.start, entity.end) is None
