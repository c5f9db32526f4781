"""Replaces a noun or phrase with one of the same meaning.

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
    """Replace phrases of parsed texts by the table; a list a text."""
    return exchange(docs, nlp, rows("text/exchanges", "phrases", 4))


RELATION = TextRelation(
    name="phrase-replacement",
    title="Synonym replacement (phrases)",
    description=(
        "Replaces a noun or phrase with one of the same meaning. The prediction must not change."
    ),
    paper=(
        "TIN (Yu et al., ESEC/FSE 2023), phrase level; LLMorph (Cho et al., ICSME 2025), synonyms"
    ),
    before="I have tried several times.",
    after="I have tried a number of times.",
    transformation=OfDocs(transform),
)
