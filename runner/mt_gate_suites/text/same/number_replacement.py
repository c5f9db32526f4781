"""Replaces a quantity with another of similar size.

A unit that allows any number must follow. Numbers with a special meaning (24 hours, 7 days)
are not replaced, and a round number stays round.
"""

from __future__ import annotations

import re
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import rows, word_set
from mt_gate_suites.text.protected import MAX_TEXT, is_free, protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText

_UNITS = sorted(word_set("text/exchanges", "units"))
_SAYING_MORE = frozenset(rows("text/exchanges", "saying-more", 2))
COUNTED = 12
"""Largest number that any near number may replace; above, round numbers stay round."""
_NUMBER = re.compile(
    rf"(?<![\w.,:/$£€#-])(?<!\btop )([1-9]\d{{0,3}})\s+({'|'.join(_UNITS)})\b(?![-/])",
    re.IGNORECASE,
)


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with its only quantity replaced; empty for other texts."""
    numbers = list(_NUMBER.finditer(text[:MAX_TEXT]))
    if len(numbers) != 1 or len(re.findall(r"\d+", text)) != 1:
        return []
    start, end = numbers[0].span(1)
    old = int(numbers[0][1])
    saying_more = (numbers[0][1], numbers[0][2].lower()) in _SAYING_MORE
    if old < 2 or saying_more or not is_free(start, end, protected_spans(text)):
        return []
    pool = [new for new in _like(old) if (str(new), numbers[0][2].lower()) not in _SAYING_MORE]
    return [edited(text, [(start, end, str(rng.choice(pool)))])] if pool else []


def _like(old: int) -> list[int]:
    """Return other numbers near an old number, equally round.

    >>> _like(5), _like(20), _like(500)
    ([3, 4, 6, 7, 8], [30], [300, 400, 600, 700, 800])
    """
    steps = (100, 50, 10, 5, 1) if old > COUNTED else (1,)
    step = next(one for one in steps if old % one == 0 and one < old)
    near = range(max(2, old * 3 // 5), old * 8 // 5 + 1)
    return [new for new in near if new != old and new % step == 0]


RELATION = TextRelation(
    name="number-replacement",
    title="Number replacement",
    description="Replaces a quantity with another of similar size. The prediction must not change.",
    paper="Ribeiro et al., ACL 2020 (CheckList), change numbers",
    before="Set a timer for 20 minutes.",
    after="Set a timer for 30 minutes.",
    transformation=OfText(transform),
)
