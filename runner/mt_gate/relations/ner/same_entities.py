"""The output relations of TIN (Yu et al., ESEC/FSE 2023): same entities, and same labels.

TIN compares sets of (entity text, label); comparing spans mapped through the edit tells two
mentions of one name apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from mt_gate.domain import Alignment, Entity, NotApplicable, Verdict, inverse
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.error_categories import categorise
from mt_gate.relations.ner.mentions import cores, image


def same_entities(case: ExecutedGroup) -> Judgement:
    """Hold where each source entity has its image in the follow-up, and no other is there.

    An article before a name and a full stop after it do not count: they stay when names move, and
    corpora differ on whether they belong to it. Nor do accents apart from their letters, and
    invisible characters, which tokenizers may drop.
    No entity on either side is not applicable: it holds of any silent system.
    """
    before = cores(case.source["text"], case.source_output)
    after = cores(case.follow_up["text"], case.follow_up_output)
    if not before and not after:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
    texts = case.source["text"], case.follow_up["text"]
    images = {entity: _image(case.alignment, *texts, entity) for entity in before}
    wanted = set(images.values())
    lost = [before[entity] for entity, image in images.items() if image not in after]
    added = [found for entity, found in after.items() if entity not in wanted]
    return _judgement(case, lost, added)


def same_labels(case: ExecutedGroup) -> Judgement:
    """Hold where each entity of either sentence that is in both has the same label there.

    "None" is a label. A group whose replaced words touch an entity of the source is not
    applicable, for TIN replaces no part of a name, nor is one with no entity to compare on either
    side.
    """
    texts = case.source["text"], case.follow_up["text"]
    before = cores(texts[0], case.source_output)
    after = cores(texts[1], case.follow_up_output)
    images = {entity: _image(case.alignment, *texts, entity) for entity in before}
    if None in images.values():
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.SLOT_IN_ENTITY)
    back = inverse(case.alignment)
    origins = {entity: _image(back, *texts[::-1], entity) for entity in after}
    lost = [before[entity] for entity, image in images.items() if image not in after]
    added = [after[entity] for entity, origin in origins.items() if origin not in (None, *before)]
    if not lost and not added and not images:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
    return _judgement(case, lost, added)


def _image(alignment: Alignment, source: str, follow_up: str, entity: Entity) -> Entity | None:
    span = image(alignment, source, follow_up, entity.start, entity.end)
    return Entity(*span, entity.label) if span else None


def _judgement(case: ExecutedGroup, lost: Sequence[Entity], added: Sequence[Entity]) -> Judgement:
    if not lost and not added:
        return Judgement(Verdict.SATISFIED)
    unmatched = {"source": [*map(list, lost)], "follow_up": [*map(list, added)]}
    return Judgement(Verdict.VIOLATED, "", unmatched, categorise(case, lost, added))
