"""Sentences labelled by people, to hold a repair against."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mt_gate.evaluating.ner_labels import LabelledSentence, labelled_sentences
from mt_gate.relations.ner.mentions import Span, core

Gold = Mapping[Span, str]
"""The entities of a sentence by span, without articles and full stops."""


def read_labels(path: Path) -> dict[str, Gold]:
    """Return the labelled sentences by text; one that is labelled in two ways is left out.

    Raises:
        CannotJudge: missing, too large, or a line that is not of either form.
    """
    found: dict[str, Gold | None] = {}
    for sentence in labelled_sentences(path):
        if sentence is None:
            continue
        gold = _gold(sentence)
        known = found.setdefault(sentence.text, gold)
        found[sentence.text] = gold if known == gold else None
    return {text: gold for text, gold in found.items() if gold is not None}


def _gold(sentence: LabelledSentence) -> Gold:
    cores = [core(sentence.text, entity) for entity in sentence.entities]
    return {(found.start, found.end): found.label for found in cores}
