"""Replaces a verb or adjective with a synonym.

Rows and their conditions are written as those of task ner (``ner/exchanges.py``);
here are only those that are valid in every context.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.ner.exchanges import exchange
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfDocs


def transform(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
    """Replace words of parsed texts by the table; a list a text."""
    return exchange(docs, nlp, rows("text/exchanges", "words", 4))


RELATION = TextRelation(
    name="word-replacement",
    title="Synonym replacement (words)",
    description="Replaces a verb or adjective with a synonym. The prediction must not change.",
    paper=(
        "TIN (Yu et al., ESEC/FSE 2023), token level; LLMorph (Cho et al., ICSME 2025), synonyms"
    ),
    before="I want to purchase a card.",
    after="I want to buy a card.",
    transformation=OfDocs(transform),
)
