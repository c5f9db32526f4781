"""A question of the past or the perfect becomes one of the future, and the reverse.

Source: reading-comprehension MRs, section 4, MR1-2 (inversion with tense change).
    will there be a fifth season of mom -> has there ever been a fifth season of mom
    did the titanic sink                -> will the titanic sink

Yes to the one has to rule out yes to the other. The published rule takes every
``did``, ``has`` and ``will``; here only what happens once is taken:

======================================  ==================================================
taken                                   argument
======================================  ==================================================
will there be (they make, X have)       there is one season 8; while it is to come there
  a season 8, a fifth season, a X 2     has been none. Not where the passage tells that it
                                        has begun: then people say yes to both.
did ... in 1966, in the 2014 world cup  that year is over: nothing is to come in it
did X write (invent, direct) Y          a given work is made once
did X die, sink, go out of business     ends come once; only outside of stories
did X come out before Y, on dvd         a given thing is released once
did FILM win an oscar, X win one for    a film is up for an award in one year
did X sing in FILM                      a finished film has the cast that it has
has X died, been found, come out        the perfect of what happens once
======================================  ==================================================

Not taken, as both answers may be yes: what may recur (``did england ever win
the world cup``, ``has a team won ...``, ``another``, ``more``, ``new``), habits and states
(``used to``), plots (a story may be asked of in any tense), ``will`` of what is generally
so (``will vinegar kill weeds``), ``will X be renewed`` (it has been, where it will be),
``has there been a season 3`` (of what is out, people say that there will be one).
"""

from __future__ import annotations

import re

from mt_gate.building.boolq.question import ParsedQuestion
from mt_gate.building.boolq.tense.future_to_perfect import future_to_perfect
from mt_gate.building.boolq.tense.perfect_to_future import perfect_to_future
from mt_gate.building.boolq.tense.settled_events import settled
from mt_gate.building.boolq.transformation import QuestionResources
from mt_gate.building.edits import edited
from mt_gate.building.rewrite import Refusal, Rewrite
from mt_gate.lexicons.reading import mapping

_UNFIT = re.compile(r"\b(?:ever|never|not|always|used to|use to|again|yet|just|already|n't)\b")
_BASES = mapping("boolq/events", "bases")
_SLIP = re.compile(rf"\b(?:{'|'.join(_BASES)})\b")


def transform(question: ParsedQuestion, _: QuestionResources) -> Rewrite | Refusal:
    """Return the follow-up of a question, or why it has none."""
    return tense_change(question)


def tense_change(question: ParsedQuestion) -> Rewrite | Refusal:
    """Change the tense of a question so that yes to both cannot be."""
    opener, _, rest = question.text.partition(" ")
    if opener in {"will", "is", "are"}:
        return future_to_perfect(question)
    if opener in {"has", "have"}:
        return perfect_to_future(question)
    if opener != "did":
        return Refusal("tense")
    if _UNFIT.search(question.text):
        return Refusal("may-recur")
    if not settled(question, rest):
        return Refusal("no-single-event")
    return edited(question.text, [(0, len(opener), "will"), *_corrected(question)])


def _corrected(question: ParsedQuestion) -> list[tuple[int, int, str]]:
    """Return the edit for a verb that the asker left in the past (``did he won``)."""
    found = _SLIP.search(question.text)
    if found is None or any(start <= found.start() < end for start, end in question.names):
        return []
    return [(*found.span(), _BASES[found.group()])]
