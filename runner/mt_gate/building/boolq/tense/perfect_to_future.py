"""``has season 5 of the flash come out`` -> ``will season 5 of the flash come out``.

Source: reading-comprehension MRs, section 4, MR1-2, from the perfect to the future.
Only verbs of what happens once to one thing are taken. See ``tense_change``.
"""

from __future__ import annotations

import re

from mt_gate.building.boolq.question import ParsedQuestion
from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Refusal, Rewrite
from mt_gate.lexicons.reading import mapping

_UNFIT = re.compile(
    r"\b(?:ever|never|not|always|again|yet|just|already|before|since|n't|only)\b"
    r"|^ha(?:s|ve) (?:any\w*|there|an?|all|every\w*|some\w*|no\w*|you|we|it|people|more|most|one)\b"
)
_GIVEN = re.compile(r"^ha(?:s|ve) (?:the|both|season|series|part|episode)\b")
"""What opens a subject that is one given thing; ``human remains`` may be found again."""
_BASES = mapping("boolq/events", "perfects")
_ACTIVE = re.compile(rf"^.+? (?P<verb>{'|'.join(_BASES)})\b")
_PASSIVE = re.compile(
    r"^.+? (?P<verb>been) (?:found|written|released|superseded|repealed|cancelled|canceled"
    r"|discovered|completed|finished|abolished|ratified|demolished|solved|published|proven|proved"
    r"|filmed|discontinued|identified|caught)\b"
)


def perfect_to_future(question: ParsedQuestion) -> Rewrite | Refusal:
    """Turn a question whether something has come about into whether it will."""
    text = question.text
    if _UNFIT.search(text):
        return Refusal("may-recur")
    found = _PASSIVE.match(text) or _ACTIVE.match(text)
    if found is None or not (_GIVEN.match(text) or question.in_name(question.doc[1])):
        return Refusal("no-single-event")
    start, end = found.span("verb")
    if question.in_name(next(token for token in question.doc if token.idx >= start)):
        return Refusal("no-single-event")
    base = _BASES.get(found["verb"], "be")
    return edited(text, [(0, text.index(" "), "will"), (start, end, base)])
