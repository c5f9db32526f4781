"""Words that tell what kind of thing a name is: each kind is told from the others."""

from __future__ import annotations

from itertools import combinations

import pytest

from mt_gate_suites.re.entities import words


@pytest.mark.parametrize(
    ("known", "inside", "outside"),
    [
        (words.RELIGIONS, "Catholic Sikh", "French Republican"),
        (words.IDEOLOGIES, "Republican Marxist", "Catholic"),
        (words.LANGUAGES, "French Latin", "American Brazilian"),
        (words.ORGANISATION_WORDS, "University Bank", "Bridge River"),
        (words.FACILITY_WORDS, "Bridge Airport", "University River"),
        (words.EVENT_WORDS, "War Cup", "Bank Bridge"),
        (words.HONORIFICS, "Mr. Dr. Sir", "Jr. President"),
        (words.GENERATIONS, "Jr. III", "Dr."),
        (words.NO_ORGANISATIONS, "CEO DVD", "NATO"),
    ],
)
def test_words_of_a_kind(known: frozenset[str], inside: str, outside: str) -> None:
    assert known.issuperset(inside.split())
    assert known.isdisjoint(outside.split())


def test_no_word_tells_two_kinds() -> None:
    kinds = (words.ORGANISATION_WORDS, words.FACILITY_WORDS, words.LOCATION_WORDS,
             words.EVENT_WORDS)  # fmt: skip
    assert [sorted(one & other) for one, other in combinations(kinds, 2) if one & other] == []
    assert words.ORGANISATIONS.isdisjoint(words.NO_ORGANISATIONS)
