"""What a nationality before a noun goes with."""

from __future__ import annotations

import pytest
from spacy.language import Language
from spacy.tokens import Span

from mt_gate_suites.re.co_related.attributes import (
    article_edit,
    goes_with_people,
    is_one_of_several,
    noun_after,
)


def span_of(nlp: Language, text: str, words: str) -> Span:
    start = text.index(words)
    found = nlp(text).char_span(start, start + len(words))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "words", "people"),
    [
        ("She met a French actress in Oslo.", "French", True),
        ("She lived in a U.S. state for years.", "U.S.", False),
        ("She lived in France for years.", "France", False),
        ("She met an African American actress.", "American", False),
        ("She liked American football games.", "American", False),
    ],
)
def test_nouns_of_people(nlp: Language, text: str, words: str, *, people: bool) -> None:
    assert goes_with_people(span_of(nlp, text, words)) is people


def test_the_noun_may_have_an_adjective(nlp: Language) -> None:
    noun = noun_after(span_of(nlp, "She met a French film actress.", "French"))
    assert noun is not None
    assert noun.text == "actress"


def test_one_of_several(nlp: Language) -> None:
    assert is_one_of_several(span_of(nlp, "She won the Canada vs U.S. match.", "U.S."))
    assert not is_one_of_several(span_of(nlp, "She won a U.S. match.", "U.S."))


def test_articles_follow(nlp: Language) -> None:
    span = span_of(nlp, "She is an American actress.", "American")
    assert article_edit(span, "French") == [(7, 9, "a")]
    assert article_edit(span, "Irish") == []
    assert article_edit(span_of(nlp, "She met American actors.", "American"), "French") == []
