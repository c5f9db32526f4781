"""What the record of a relation over texts names as its builder.

``OfText`` needs the text alone and serves any task; ``OfDoc`` a parse of it; ``OfDocs``
parses its own follow-ups, many at once. All are deterministic: what they choose, they choose
by the ``Random`` given, which ``chooser`` makes of seed, relation and text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.building.rewrite import Rewrite


class OfText(NamedTuple):
    """Edits a text as it is written; nothing where there is no place for an edit."""

    rewrites: Callable[[str, Random], Sequence[Rewrite]]


class OfDoc(NamedTuple):
    """Edits a parsed text; nothing where it is not sure."""

    rewrites: Callable[[Doc, Random], Sequence[Rewrite]]


class OfDocs(NamedTuple):
    """Edits parsed texts, all of them at once; answers stand in their order."""

    rewrites: Callable[[Sequence[Doc], Language], Sequence[Sequence[Rewrite]]]


Transformation = OfText | OfDoc | OfDocs


def chooser(seed: int, relation: str, text: str) -> Random:
    """Return the generator by which a relation edits a text: the same on any machine."""
    return Random(f"{seed}\0{relation}\0{text}")


def rewrites_of(
    transformation: Transformation,
    docs: Sequence[Doc],
    nlp: Language,
    seed: int,
    relation: str,
) -> list[list[Rewrite]]:
    """Return what becomes of each text, in their order; follow-ups that are the source are gone."""
    if isinstance(transformation, OfDocs):
        made = [list(found) for found in transformation.rewrites(docs, nlp)]
    elif isinstance(transformation, OfDoc):
        made = [
            list(transformation.rewrites(doc, chooser(seed, relation, doc.text))) for doc in docs
        ]
    else:
        made = [
            list(transformation.rewrites(doc.text, chooser(seed, relation, doc.text)))
            for doc in docs
        ]
    return [
        [one for one in found if one.text != doc.text]
        for doc, found in zip(docs, made, strict=True)
    ]
