"""The output relation "same entities": spans mapped through the edit, labels equal.

TIN compares sets of (entity text, label); comparing mapped spans tells two
mentions of one name apart (sections on structural transformation and random
entity shuffle of the paper).
"""

from __future__ import annotations

from mt_gate.domain import Entity, NotApplicable, Verdict
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.error_categories import categorise
from mt_gate.relations.ner.mentions import core, image
from mt_gate.tasks import ner


def same_entities(case: ExecutedGroup) -> Judgement:
    """Hold where each source entity has its image in the follow-up, and no other stands there.

    An article before a name and a full stop after it do not count: they stay when names move, and
    corpora differ on whether they belong to it. Nor do accents that stand apart, and invisible
    characters, which tokenizers may drop.
    No entity on either side is not applicable: it holds of any silent system.
    """
    before = {core(case.source["text"], e): e for e in ner.entities(case.source_output)}
    after = {core(case.follow_up["text"], e): e for e in ner.entities(case.follow_up_output)}
    if not before and not after:
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
    images = {entity: _image(entity, case) for entity in before}
    wanted = set(images.values())
    lost = [before[entity] for entity, image in images.items() if image not in after]
    added = [found for entity, found in after.items() if entity not in wanted]
    if not lost and not added:
        return Judgement(Verdict.SATISFIED)
    unmatched = {"source": [*map(list, lost)], "follow_up": [*map(list, added)]}
    return Judgement(Verdict.VIOLATED, "", unmatched, categorise(case, lost, added))


def _image(entity: Entity, case: ExecutedGroup) -> Entity | None:
    texts = case.source["text"], case.follow_up["text"]
    span = image(case.alignment, *texts, entity.start, entity.end)
    return Entity(*span, entity.label) if span else None
