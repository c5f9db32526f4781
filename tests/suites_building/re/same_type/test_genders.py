"""Sentences that tell a person's gender, and those that leave it open."""

from __future__ import annotations

import pytest

from mt_gate_suites.re.same_type.genders import pronoun_gender, tells_gender


@pytest.mark.parametrize(
    ("text", "tells", "pronoun"),
    [
        ("Smith said he left.", True, "man"),
        ("Smith said she left with her firm.", True, "woman"),
        ("He left her.", True, ""),
        ("Smith left his wife.", True, ""),
        ("The actress Smith left.", True, ""),
        ("Smith and a sibling left.", True, ""),
        ("Smith left the firm.", False, ""),
        ("Sheila left The Hermitage.", False, ""),
    ],
)
def test_words_of_one_gender(text: str, tells: bool, pronoun: str) -> None:
    assert tells_gender(text) == tells
    assert pronoun_gender(text) == pronoun
