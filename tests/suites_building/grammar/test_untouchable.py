"""Words that must stay: names, numbers, negation, quotations, fixed terms."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from spacy.language import Language
from spacy.tokens import Token

from cases import table
from making_questions import word
from mt_gate_suites.grammar.untouchable import (
    counts,
    is_counting,
    is_glued,
    is_namelike,
    is_negated,
    is_quoted,
    quoted_spans,
    touches_name,
)


@pytest.mark.parametrize(
    ("test", "text", "expected", "others"),
    [
        (is_namelike, "Anna met 20 friends in Oslo.", ["20", "Oslo"], ["met", "friends", "in"]),
        (is_namelike, "The A320 landed near Paris.", ["A320", "Paris"], ["landed", "near"]),
        (is_glued, "A well-known man saw the house.", ["well", "known"], ["man", "saw", "house"]),
        (is_glued, 'He liked the "small house".', [], ["liked", "small", "house"]),
        (is_negated, "She did not like the small house.", ["like"], ["small", "house"]),
        (is_negated, "Nobody likes the small old house.", ["likes"], ["old", "house"]),
        (counts, "The first men saw several other houses.", ["first", "several", "other"],
         ["men", "saw", "houses"]),
        (touches_name, "They saw the film Carrie in a small town.", ["film", "in"],
         ["small", "town", "saw"]),
        (touches_name, "Small towns like snow.", [], ["towns", "like", "snow"]),
    ],
)  # fmt: skip
def test_what_a_word_is(
    nlp: Language, test: Callable[[Token], bool], text: str, expected: list[str], others: list[str]
) -> None:
    doc = nlp(text)
    assert [text for text in expected if not test(word(doc, text))] == []
    assert [text for text in others if test(word(doc, text))] == []


def test_counting_words_need_no_context() -> None:
    assert is_counting("half")
    assert not is_counting("small")
    assert not is_counting("First"), "lower-case words alone are asked for"


@pytest.mark.parametrize(("text", "inside"), table(__file__, "quotations_and_brackets"))
def test_quotations_and_brackets(nlp: Language, text: str, inside: list[str]) -> None:
    doc = nlp(text)
    spans = quoted_spans(doc)
    quoted = [token.text for token in doc if is_quoted(token, spans) and token.is_alpha]
    assert set(inside) <= set(quoted)
    assert not {"bed", "house", "small", "book", "read"} & set(quoted)
