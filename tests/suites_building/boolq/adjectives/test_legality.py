"""What is legal in part is neither legal nor illegal."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import read
from mt_gate_suites.boolq.adjectives.legality import in_part


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("Home distillation is illegal in Australia without a licence.", True),
        ("Muslims need a permit to drink.", True),
        ("It is banned, except for religious use.", True),
        ("Cultivation is unlawful unless the leaves are for tea.", True),
        ("It is legal in some U.S. states.", True),
        ("The practice varies by county.", True),
        ("It is illegal to drink and drive.", False),
        ("Gambling was legalised in 1931.", False),
    ],
)
def test_in_part(nlp: Language, passage: str, found: bool) -> None:
    assert in_part(read(nlp, "is it illegal to drink alcohol in bangladesh", passage)) == found
