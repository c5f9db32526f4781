"""The output relation "same entities": spans mapped through the edit, labels equal.

TIN compares sets of (entity text, label); comparing mapped spans tells two
mentions of one name apart (sections on structural transformation and random
entity shuffle of the paper).
"""

from __future__ import annotations

import re

from mt_gate.domain import Entity, Verdict, map_span
from mt_gate.relations.base import Case, Judgement
from mt_gate.tasks import ner

VACUOUS = "vacuous"

_ARTICLE = re.compile(r"the\s+(?=\S)", re.IGNORECASE)


def same_entities(case: Case) -> Judgement:
    """Hold where each source entity has its image in the follow-up, and no other stands there.

    An article before a name and a full stop after it are left out of account:
    they stay when names move, and corpora differ on whether they belong to it.
    No entity on either side is not applicable: it holds of any silent system.
    """
    before = {core(case.source["text"], e): e for e in ner.entities(case.source_output)}
    after = {core(case.follow_up["text"], e): e for e in ner.entities(case.follow_up_output)}
    if not before and not after:
        return Judgement(Verdict.NOT_APPLICABLE, VACUOUS)
    images = {entity: _image(entity, case) for entity in before}
    wanted = set(images.values())
    lost = [list(before[entity]) for entity, image in images.items() if image not in after]
    added = [list(found) for entity, found in after.items() if entity not in wanted]
    if not lost and not added:
        return Judgement(Verdict.SATISFIED)
    return Judgement(Verdict.VIOLATED, unmatched={"source": lost, "follow_up": added})


def core(text: str, entity: Entity) -> Entity:
    """Return an entity without a leading article and a closing full stop."""
    article = _ARTICLE.match(text, entity.start, entity.end)
    start = article.end() if article else entity.start
    end = entity.end
    if text[end - 1 : end] == "." and end - 1 > start:
        end -= 1
    return Entity(start, end, entity.label)


def _image(entity: Entity, case: Case) -> Entity | None:
    span = map_span(case.alignment, entity.start, entity.end)
    return Entity(*span, entity.label) if span else None
