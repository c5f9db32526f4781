"""Replaces one or two letters with a neighbouring key.

First letters stay, and so does any word that would become another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate.language.forms import is_word
from mt_gate_suites.lexicons.reading import mapping
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling

_NEAR = mapping("text/surface", "keyboard")


def _slip(word: str, rng: Random) -> Sequence[Spelling]:
    places = range(1, len(word))
    for at in rng.sample(places, len(places)):
        letter = word[at]
        near = _NEAR.get(letter.lower(), "")
        for new in rng.sample(near, len(near)):
            if not is_word(f"{word[:at]}{new}{word[at + 1 :]}".lower()):
                return [Spelling(at, at + 1, new.upper() if letter.isupper() else new)]
    return []


RELATION = TextRelation(
    name="keyboard-typo",
    title="Keyboard typos",
    description=(
        "Replaces one or two letters with a neighbouring key. The prediction must not change."
    ),
    paper=(
        "Ribeiro et al., ACL 2020 (CheckList), typos; NL-Augmenter (Dhole et al., 2021), "
        "butter fingers"
    ),
    before="I hate waiting for my card.",
    after="I hate waitong for my card.",
    transformation=spelling(_slip),
    surface=True,
)
