"""Transposes two letters inside one or two words.

First and last letters stay, and so does any word that would become another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from mt_gate.language.forms import is_word
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.surface.spelling import Spelling, spelling


def _swapped(word: str, rng: Random) -> Sequence[Spelling]:
    places = range(1, len(word) - 2)
    for at in rng.sample(places, len(places)):
        new = word[at + 1] + word[at]
        changes = new.lower() != new[::-1].lower()
        if changes and not is_word(f"{word[:at]}{new}{word[at + 2 :]}".lower()):
            return [Spelling(at, at + 2, new)]
    return []


RELATION = TextRelation(
    name="letter-swap",
    title="Transposed letters",
    description="Transposes two letters inside one or two words. The prediction must not change.",
    paper=(
        "Ribeiro et al., ACL 2020 (CheckList), typos; MTTM (Wang et al., ICSE 2023), character swap"
    ),
    before="I hate waiting for my card.",
    after="I hate watiing for my card.",
    transformation=spelling(_swapped),
    surface=True,
)
