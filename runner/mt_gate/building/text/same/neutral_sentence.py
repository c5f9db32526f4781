"""A sentence that says nothing of the matter stands before or behind the text.

Source: MTTM (Wang et al., ICSE 2023), benign context camouflage; Ribeiro et al., ACL 2020
(CheckList), irrelevant additions.
    source     My card has not arrived.
    follow-up  I am writing this on my phone. My card has not arrived.
"""

from __future__ import annotations

from random import Random

from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Rewrite
from mt_gate.building.text.protected import MAX_TEXT
from mt_gate.building.text.transformation import OfText
from mt_gate.lexicons.reading import ordered

_SENTENCES = ordered("text/frames", "neutral-sentences")


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text behind a neutral sentence, and before one where it ends with a mark."""
    bare = text.rstrip()
    before, behind = rng.sample(_SENTENCES, 2)
    first = text[:1]
    if len(text) > MAX_TEXT or not first.isalpha() or len(bare.split()) < 2:
        return []
    found = []
    if first.isupper() or text.islower():
        found.append(edited(text, [(0, 0, f"{_like(text, before)} ")])._replace(stratum="before"))
    if bare[-1] in ".!?":
        edit = (len(bare), len(bare), f" {_like(text, behind)}")
        found.append(edited(text, [edit])._replace(stratum="behind"))
    return found


def _like(text: str, sentence: str) -> str:
    return sentence.lower() if text.islower() else sentence


TRANSFORMATION = OfText(transform)
