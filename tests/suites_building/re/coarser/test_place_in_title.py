"""Places inside titles, cases and quotations, and places beside names."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_questions import word
from mt_gate_suites.re.coarser.place_in_title import is_in_title


@pytest.mark.parametrize(
    ("text", "preposition", "last", "inside"),
    [
        ("Anna starred in Meet Me in Boston.", "in", "Boston", True),
        ('Anna sang "Snow in Boston" twice.', "in", "Boston", True),
        ("Anna wrote A Tree Grows in Boston in 1990.", "in", "Boston", True),
        ("Anna was born In Boston.", "in", "Boston", True),
        ("Anna lost against Oregon v. Mitchell.", "against", "Oregon", True),
        ("Anna was born in Boston.", "in", "Boston", False),
        ("Anna worked at Heinz Field in Boston.", "in", "Boston", False),
        ("Anna Weber in Boston said so.", "in", "Boston", False),
        ('Anna said: "In Boston, it rained for many days and nights of that year."', "in",
         "Boston", False),
    ],
)  # fmt: skip
def test_titles(nlp: Language, text: str, preposition: str, last: str, inside: bool) -> None:
    doc = nlp(text)
    end = word(doc, last).i + 1
    before = next(token for token in reversed(doc[: end - 1]) if token.lower_ == preposition)
    assert is_in_title(doc, before, end) == inside
