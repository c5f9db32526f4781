"""The typed mentions of a sentence: what may stand as head, tail, or a third entity.

Precision comes first: a mention of a wrong type, or half a name, makes every
follow-up that is built from it wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spacy.tokens import Doc

from mt_gate.domain import Entity
from mt_gate_suites.re.entities import names as entity_names
from mt_gate_suites.re.entities import values as entity_values
from mt_gate_suites.re.entities.extent import bare
from mt_gate_suites.re.entities.titles import titles
from mt_gate_suites.re.entities.wholeness import is_whole_mark

__all__ = ["typed_entities"]


def typed_entities(doc: Doc) -> tuple[Entity, ...]:
    """Return the typed mentions of a sentence, sorted and disjoint.

    Types are those of ``tasks.relation_extraction.TYPES``. No mention holds an
    article before its name (``the [United States]``), a possessive, or a
    person's title, which is a mention of its own: ``[President] [Barack Obama]``.
    What is unsure is left out.

    Args:
        doc: a sentence parsed by a pipeline with tagger, parser and OntoNotes' entities.
    """
    found = list(_disjoint(_spacy_mentions(doc)))
    persons = [entity for entity in found if entity.label == "PERSON"]
    every = tuple(sorted(_disjoint([*found, *titles(doc, persons)])))
    return tuple(entity for entity in every if is_whole_mark(doc, entity, every))


def _spacy_mentions(doc: Doc) -> Iterator[Entity]:
    for span in doc.ents:
        if span.label_ in entity_names.LABELS:
            mention = bare(span)
            kind = entity_names.name_kind(mention)
        elif span.label_ in entity_values.LABELS:
            mention = entity_values.with_currency(bare(span))
            kind = entity_values.value_kind(mention)
        else:
            continue
        if kind:
            yield Entity(mention.start_char, mention.end_char, kind)


def _disjoint(entities: Iterable[Entity]) -> Iterator[Entity]:
    """Yield entities that touch none before them in the list."""
    kept: list[Entity] = []
    for entity in entities:
        if all(entity.end <= other.start or other.end <= entity.start for other in kept):
            kept.append(entity)
            yield entity
