"""A sentence that says nothing of the matter stands before or behind the text.

Source: MTTM (Wang et al., ICSE 2023), benign context camouflage; Ribeiro et al., ACL 2020
(CheckList), irrelevant additions.
    source     My card has not arrived.
    follow-up  I am writing this myself. My card has not arrived.
"""

from __future__ import annotations

import re
from random import Random

from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Rewrite
from mt_gate.building.text.protected import MAX_TEXT
from mt_gate.building.text.relation import TextRelation
from mt_gate.building.text.transformation import OfText
from mt_gate.lexicons.reading import ordered, word_set

MOST_WORDS = 30
_SENTENCES = ordered("text/frames", "neutral-sentences")
_BEHIND_ALONE = word_set("text/frames", "neutral-sentences-behind")
_OF_A_MESSAGE = word_set("text/frames", "of-a-message")
_OF_THE_SENTENCES = word_set("text/frames", "of-neutral-sentences")
_WHOSE = re.compile(r"\b(?:by|from) me\b", re.I)
"""A text that says what is, or is not, its author's: "this" beside it could be that."""


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text behind a neutral sentence, and before one where it ends with a mark."""
    bare = text.rstrip()
    before, behind = rng.sample(_SENTENCES, 2)
    first = text[:1]
    if len(text) > MAX_TEXT or not first.isalpha() or not _is_message(text):
        return []
    found = []
    if before not in _BEHIND_ALONE and (first.isupper() or text.islower()):
        found.append(edited(text, [(0, 0, f"{_like(text, before)} ")])._replace(stratum="before"))
    if bare[-1] in ".!?":
        edit = (len(bare), len(bare), f" {_like(text, behind)}")
        found.append(edited(text, [edit])._replace(stratum="behind"))
    return found


def _is_message(text: str) -> bool:
    """Whether a text is short, somebody's to somebody, and does not say how it was written."""
    words = re.findall(r"[a-z]+", text.replace("U.S.", "").replace("US", "").lower())
    return (
        1 < len(words) <= MOST_WORDS
        and not _OF_A_MESSAGE.isdisjoint(words)
        and _OF_THE_SENTENCES.isdisjoint(words)
        and not _WHOSE.search(text)
    )


def _like(text: str, sentence: str) -> str:
    return sentence.lower() if text.islower() else sentence


RELATION = TextRelation(
    name="neutral-sentence",
    title="A neutral sentence beside it",
    description=(
        "A sentence that says nothing of the matter stands before or behind the text, so the "
        "answer must stay the same."
    ),
    paper=(
        "MTTM (Wang et al., ICSE 2023), benign context camouflage; Ribeiro et al., ACL 2020 "
        "(CheckList), irrelevant additions"
    ),
    before="My card has not arrived.",
    after="I am writing this myself. My card has not arrived.",
    transformation=OfText(transform),
)
