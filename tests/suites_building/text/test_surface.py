"""Relations of the surface: what they change, what they promise of any text, what they leave."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container

import pytest
from hypothesis import given

from making_texts import NOTHING_TO_EDIT, check_surface, english, follow_ups, texts
from mt_gate.language.forms import is_word
from mt_gate_suites.text.surface.emoji import EMOJI
from mt_gate_suites.text.surface.letters import INVISIBLE, LOOKALIKES, MARKS, NEAR_KEYS, SIGNS

LETTERS = {ord(new): old for old, new in LOOKALIKES.items()}
DIGITS = {ord(sign): letter for letter, sign in SIGNS.items()}


def without(characters: Container[str]) -> Callable[[str], str]:
    return lambda text: "".join(letter for letter in text if letter not in characters)


def without_accents(text: str) -> str:
    return "".join(a for a in unicodedata.normalize("NFD", text) if not unicodedata.combining(a))


SURFACE: dict[str, tuple[Callable[[str], str] | None, int | None, list[str]]] = {
    "combining-marks": (without(MARKS), 2, [*NOTHING_TO_EDIT]),
    "dropped-diacritics": (
        without_accents,
        None,
        [*NOTHING_TO_EDIT, "A plain text.", "He sent his résumé.", "Привет й"],
    ),
    "emoji": (lambda text: without(EMOJI)(text).rstrip(), None, ["", "  ", "Thanks 🙏"]),
    "homoglyph": (lambda text: text.translate(LETTERS), 2, [*NOTHING_TO_EDIT, "rfgt"]),
    "keyboard-typo": (None, 2, [*NOTHING_TO_EDIT, "of to in", "it is I"]),
    "leetspeak": (
        lambda text: text.lower().translate(DIGITS),
        2,
        [*NOTHING_TO_EDIT, "fly by lynch"],
    ),
    "letter-case": (
        str.casefold,
        None,
        ["12 345", "?!", "https://example.com/path", "ß", ""],
    ),
    "letter-masking": (None, 2, [*NOTHING_TO_EDIT, "myth rhythm", "h*te"]),
    "letter-spacing": (
        lambda text: text.replace(" ", ""),
        1,
        [*NOTHING_TO_EDIT, "incomprehensibilities", "of it"],
    ),
    "letter-swap": (
        lambda text: "".join(sorted(text)),
        2,
        [*NOTHING_TO_EDIT, "aaaa eeee", "the and"],
    ),
    "ocr-confusion": (None, 2, [*NOTHING_TO_EDIT, "zzzz kkkk"]),
    "repeated-letters": (
        lambda text: re.sub(r"([aeiou])\1{2,3}", r"\1", text),
        2,
        [*NOTHING_TO_EDIT, "myth"],
    ),
    "zero-width": (without(INVISIBLE), 2, [*NOTHING_TO_EDIT]),
}
"""A relation, how its edit is undone, the most words it may change, texts it leaves alone."""


@pytest.mark.parametrize("name", SURFACE)
def test_it_keeps_its_promises_on_any_text(name: str) -> None:
    undo, most, _ = SURFACE[name]

    @given(english)
    def check(text: str) -> None:
        check_surface(name, text, undo, most)

    check()


@pytest.mark.parametrize(
    ("name", "text"),
    [(name, text) for name, (*_, unchanged) in SURFACE.items() for text in unchanged],
)
def test_it_does_nothing_where_nothing_may_be_touched(name: str, text: str) -> None:
    assert texts(name, text) == []


def test_an_emoji_is_at_the_end_of_the_text() -> None:
    (new,) = texts("emoji", "Where is my card? ")
    assert (new[:-3], new[-2] in EMOJI, new[-1]) == ("Where is my card?", True, " ")


def test_a_typo_is_a_neighbouring_key_and_never_another_word() -> None:
    (new,) = texts("keyboard-typo", "I hate waiting.")
    ((old, slip),) = [(a, b) for a, b in zip("I hate waiting.", new, strict=True) if a != b]
    assert slip in NEAR_KEYS[old]
    for seed in range(40):
        for one in follow_ups("keyboard-typo", "form bank card hate", seed=seed):
            changed = set(one.text.split()) - set("form bank card hate".split())
            assert changed
            assert not any(is_word(word) for word in changed)


def test_capitals_none_or_one_word() -> None:
    rewrites = {one.stratum: one.text for one in follow_ups("letter-case", "I hate Anna's dog.")}
    assert rewrites["capitals"] == "I HATE ANNA'S DOG."
    assert rewrites["lower-case"] == "i hate anna's dog."
    assert rewrites["one-word-capitals"] == "I HATE Anna's dog."


@given(english)
def test_stars_replace_vowels_alone(text: str) -> None:
    for one in follow_ups("letter-masking", text):
        pairs = zip(text, one.text, strict=True)
        assert all(new == "*" and old in "aeiou" for old, new in pairs if old != new)


def test_ocr_reads_a_similar_letter_but_makes_no_other_word() -> None:
    rewritten = {
        one.text for seed in range(30) for one in follow_ups("ocr-confusion", "modern", seed=seed)
    }
    assert "rnodern" in rewritten
    assert "modem" not in rewritten, "a word"


def test_the_characters_are_of_the_right_kind() -> None:
    assert {unicodedata.category(one) for one in INVISIBLE} == {"Cf"}
    assert len(set(LOOKALIKES.values())) == len(LOOKALIKES)
    assert all(unicodedata.category(new)[0] == "L" for new in LOOKALIKES.values())
    for mark in MARKS:
        assert unicodedata.combining(mark)
        assert all(unicodedata.normalize("NFC", a + mark) == a + mark for a in "aeiounclst")
