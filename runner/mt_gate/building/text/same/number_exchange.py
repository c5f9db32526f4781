"""A number of things gives way to another of its size.

Source: Ribeiro et al., ACL 2020 (CheckList), change numbers.
    source     Set a timer for 20 minutes.
    follow-up  Set a timer for 30 minutes.

Only before a unit of which any number may be said; numbers that say more than how many
(24 hours, 7 days) stay, and a round number stays round.
"""

from __future__ import annotations

import re
from random import Random

from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Rewrite
from mt_gate.building.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate.building.text.transformation import OfText
from mt_gate.lexicons.reading import rows, word_set

_UNITS = sorted(word_set("text/exchanges", "units"))
_SAYING_MORE = frozenset(rows("text/exchanges", "saying-more", 2))
_NUMBER = re.compile(
    rf"(?<![\w.,:/$£€#-])(?<!\btop )([1-9]\d{{0,3}})\s+({'|'.join(_UNITS)})\b(?![-/])",
    re.IGNORECASE,
)


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with its one number of things exchanged."""
    found = list(_NUMBER.finditer(text[:MAX_TEXT]))
    if len(found) != 1 or len(re.findall(r"\d+", text)) != 1:
        return []
    start, end = found[0].span(1)
    old = int(found[0][1])
    saying_more = (found[0][1], found[0][2].lower()) in _SAYING_MORE
    if old < 2 or saying_more or not is_free(start, end, protected_spans(text)):
        return []
    pool = [new for new in _like(old) if (str(new), found[0][2].lower()) not in _SAYING_MORE]
    return [edited(text, [(start, end, str(rng.choice(pool)))])] if pool else []


def _like(old: int) -> list[int]:
    """Return other numbers between half and twice an old one, as round as that is."""
    step = next(one for one in (1000, 500, 100, 50, 10, 5, 1) if old % one == 0)
    near = range(max(2, old // 2), old * 2 + 1)
    return [new for new in near if new != old and new % step == 0]


TRANSFORMATION = OfText(transform)
