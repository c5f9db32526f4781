"""The result of a transformation of a sentence."""

from __future__ import annotations

from typing import NamedTuple

from mt_gate.domain import Alignment


class Rewrite(NamedTuple):
    """The follow-up text, and what of the source's text is in it.

    ``stratum`` is what kind of edit it is, where a relation has such (``Group.stratum``).
    """

    text: str
    alignment: Alignment
    stratum: str = ""
