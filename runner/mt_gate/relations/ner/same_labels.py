"""The output relation "same labels": what stands in both sentences is labelled alike.

TIN (ESEC/FSE 2023), similar sentence generation: for each entity text in both
sentences the label is the same, and "none" is a label. Texts are compared by
their places, mapped through the edit.
"""

from __future__ import annotations

from mt_gate.domain import Alignment, Entity, NotApplicable, Verdict, inverse
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.error_categories import categorise
from mt_gate.relations.ner.mentions import core, image
from mt_gate.tasks import ner


def same_labels(case: ExecutedGroup) -> Judgement:
    """Hold where each entity of either sentence that stands in both has the same label there.

    A group whose replaced words touch an entity of the source is not applicable,
    for TIN replaces no part of a name, nor is one with no entity to compare on either side.
    """
    before = {core(case.source["text"], e): e for e in ner.entities(case.source_output)}
    after = {core(case.follow_up["text"], e): e for e in ner.entities(case.follow_up_output)}
    source, follow_up = case.source["text"], case.follow_up["text"]
    images = {entity: _image(case.alignment, source, follow_up, entity) for entity in before}
    if None in images.values():
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SLOT_IN_ENTITY)
    back = inverse(case.alignment)
    origins = {entity: _image(back, follow_up, source, entity) for entity in after}
    lost = [before[entity] for entity, image in images.items() if _missing(image, after)]
    added = [after[entity] for entity, origin in origins.items() if _missing(origin, before)]
    if not lost and not added and not any(images.values()):
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
    if not lost and not added:
        return Judgement(Verdict.SATISFIED)
    unmatched = {"source": [*map(list, lost)], "follow_up": [*map(list, added)]}
    return Judgement(Verdict.VIOLATED, "", unmatched, categorise(case, lost, added))


def _image(alignment: Alignment, source: str, follow_up: str, entity: Entity) -> Entity | None:
    span = image(alignment, source, follow_up, entity.start, entity.end)
    return Entity(*span, entity.label) if span else None


def _missing(image: Entity | None, found: dict[Entity, Entity]) -> bool:
    """Whether an entity stands in the other sentence and is not found there."""
    return image is not None and image not in found
