"""Replace words, or phrases, with others of the same meaning.

The tables have the form of those of task ner (``ner/exchanges.py``), but only rows
that are valid in every context.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.lexicons.reading import Row
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.ner.exchanges import exchange
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfDocs


def _replace(table: tuple[Row, ...]) -> OfDocs:
    def replace(docs: Sequence[Doc], nlp: Language) -> list[list[Rewrite]]:
        return exchange(docs, nlp, table)

    return OfDocs(replace)


RELATIONS = (
    TextRelation(
        name="word-replacement",
        title="Synonym replacement (words)",
        description="Replaces a verb or adjective with a synonym. The prediction must not change.",
        paper=(
            "TIN (Yu et al., ESEC/FSE 2023), token level; LLMorph (Cho et al., ICSME 2025), "
            "synonyms"
        ),
        before="I want to purchase a card.",
        after="I want to buy a card.",
        transformation=_replace(rows("text/exchanges", "words", 4)),
    ),
    TextRelation(
        name="phrase-replacement",
        title="Synonym replacement (phrases)",
        description=(
            "Replaces a noun or phrase with one of the same meaning. The prediction must not "
            "change."
        ),
        paper=(
            "TIN (Yu et al., ESEC/FSE 2023), phrase level; LLMorph (Cho et al., ICSME 2025), "
            "synonyms"
        ),
        before="I have tried several times.",
        after="I have tried a number of times.",
        transformation=_replace(rows("text/exchanges", "phrases", 4)),
    ),
)
