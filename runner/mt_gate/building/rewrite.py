"""What a transformation makes of a sentence."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.domain import Alignment


class Rewrite(NamedTuple):
    """The follow-up text, and what of the source's text stands in it."""

    text: str
    alignment: Alignment


class Refusal(NamedTuple):
    """Not applicable, with a stable short code that says why."""

    reason: str
