"""``will there be a season 8`` -> ``has there ever been a season 8``.

Source: reading-comprehension MRs, section 4, MR1-2, from the future to the perfect.
Only what is numbered is taken: there is one season 8. See ``tense_change``.
"""

from __future__ import annotations

import re

from mt_gate.building.boolq.question import ParsedQuestion
from mt_gate.building.boolq.tense.instalments import instalment, is_out
from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Refusal, Rewrite

_Edits = list[tuple[int, int, str]]

_EXISTS = re.compile(
    r"^(?P<front>will|is) there (?P<ever>ever )?(?P<be>be|(?:going to|gonna) be) (?P<what>.+)$"
)
_WILL_HAVE = re.compile(
    r"^(?P<front>will) (?P<who>.+?) (?P<ever>ever )?(?P<verb>have|get|make|do|produce)"
    r" (?P<what>an? .+|season .+|series .+)$"
)
_GOING_TO_HAVE = re.compile(
    r"^(?P<front>is|are) (?P<who>.+?) (?P<ever>ever )?(?:going to|gonna) "
    r"(?P<verb>have|get|make|do|produce) (?P<what>an? .+|season .+|series .+)$"
)
_PARTICIPLES = {
    "be": "been",
    "have": "had",
    "get": "gotten",
    "make": "made",
    "do": "done",
    "produce": "produced",
}
_NOT_THE_FIRST = re.compile(
    r"^(?:an? |the |any )?(?:more|another|new|next|other|last|final|extra|second half)\b"
)
_OTHERWISE = re.compile(
    r"\b(?:still|also|again|only|not|n't|(?:19|20)\d\d|this (?:year|season|summer|fall)|if|when"
    r"|before|soon|or|(?:\d+|two|three|four|five) and)\b"
)
_PLURAL_WHO = frozenset({"they", "we", "you"})


def future_to_perfect(question: ParsedQuestion) -> Rewrite | Refusal:
    """Turn a question for a numbered work that is to come into the perfect."""
    text = question.text
    found = _EXISTS.match(text)
    edits = _existence(found) if found else None
    if found is None:
        found = _WILL_HAVE.match(text) or _GOING_TO_HAVE.match(text)
        edits = _possession(found) if found else None
    if found is None or edits is None:
        return Refusal("no-single-event")
    if _NOT_THE_FIRST.match(found["what"]) or _OTHERWISE.search(text):
        return Refusal("may-recur")
    wanted = instalment(found["what"])
    if wanted is None:
        return Refusal("no-single-event")
    if is_out(wanted, question.asked.passage, question.asked.title):
        return Refusal("out-already")
    return edited(text, edits)


def _existence(found: re.Match[str]) -> _Edits:
    """``will there be`` -> ``has there ever been``"""
    been = "been" if found["ever"] else "ever been"
    return [(*found.span("front"), "has"), (*found.span("be"), been)]


def _possession(found: re.Match[str]) -> _Edits | None:
    """``will NP have`` -> ``has NP ever had``; None where the number of NP is unclear."""
    who = found["who"].split()
    if who[0] in _PLURAL_WHO:
        has = "have" if len(who) == 1 else ""
    else:
        has = "" if who[-1].endswith("s") else "has"
    if not has or "there" in who:
        return None
    start = found.end("who") + 1
    done = _PARTICIPLES[found["verb"]]
    if not found["ever"]:
        done = f"ever {done}"
    else:
        start = found.end("ever")
    return [(*found.span("front"), has), (start, found.end("verb"), done)]
