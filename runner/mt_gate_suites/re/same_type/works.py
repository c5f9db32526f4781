"""Whether a title of a work may give way to another title.

before   Max wrote "[Old Dark House]" in Paris.
after    Max wrote "[My Last Summer]" in Paris.
"""

from __future__ import annotations

import re

from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.re.same_type.mentions import ArgumentMention

__all__ = ["work"]

_SHOW = re.compile(r"eponymous|title track|self-titled|translat|means|meaning|titled after|adapt")
_KINDS = (
    r"(?:films?|movies?|series|sitcoms?|shows?|songs?|singles?|tracks?|albums?|novels?|books?|"
    r"episodes?|plays?|poems?|musicals?|operas?|documentar\w+|magazines?|games?|story|stories|"
    r"drama|soap|comed\w+|soundtrack|EP|mixtape|anime|manga)"
)
_LANGUAGES = word_set("languages", "exchanged")
_KIND_BEFORE = re.compile(rf"\b{_KINDS},? (?:of |for |to |titled |called |entitled )?$", re.I)
_KIND_AFTER = re.compile(
    r"[\"”]?,? (?:\([^)]*\),? )?(?:which )?(?:(?:is|was) )?(?:an? |the )?(?:[\w'-]+ ){0,5}?"
    rf"{_KINDS}\b"
)
"""Where the sentence says what kind of work it is, which a title of another kind contradicts."""


def work(found: ArgumentMention) -> bool:
    """Whether a title stands between quotation marks, all of it."""
    opens, closes = found.before[-1:], found.after[:1]
    whole = (opens == '"' and closes == '"') or (opens == "“" and closes in "”")
    if opens == '"':
        whole = whole and found.before.count('"') % 2 == 1
    glossed = re.match(r"[\"”] \((?![12]\d{3}\b)", found.after)
    if found.before.endswith("(" + opens) or set(found.words.split()) & _LANGUAGES:
        return False
    if _KIND_BEFORE.search(found.before[:-1]) or _KIND_AFTER.match(found.after[1:]):
        return False
    return whole and not glossed and '""' not in found.text and not _SHOW.search(found.text)
