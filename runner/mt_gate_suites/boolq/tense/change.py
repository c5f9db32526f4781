"""A question of what is to come becomes one of the past.

Source: reading-comprehension MRs, section 4, MR1-2 (inversion with tense change).
    will there be a fifth season of mom -> has there ever been a fifth season of mom

Yes to the one has to rule out yes to the other, by what the passage says. The
published rule takes every ``did``, ``has`` and ``will``. Here only numbered
seasons, episodes and films are taken, of which a sentence says that they are to
come, or were never made (``standing``): then a no to the follow-up is the answer
that a reader gives, and no quibble.

Not taken: what is over, asked of the future (``did the titanic sink`` -> ``will the
titanic sink``: nobody asks that); what may be to come beside another (``a sequel``,
``another season``, ``more``, ``a new``); habits, states, plots; what may recur
(``has a team won``); ``will`` of what is generally so (``will vinegar kill weeds``).
"""

from __future__ import annotations

from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.tense.future_to_past import future_to_past
from mt_gate_suites.boolq.transformation import QuestionResources
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite


def transform(question: ParsedQuestion, _: QuestionResources) -> Rewrite | Refusal:
    """Return the follow-up of a question, or why it has none."""
    return tense_change(question)


def tense_change(question: ParsedQuestion) -> Rewrite | Refusal:
    """Change the tense of a question so that yes to both cannot be."""
    if question.text.partition(" ")[0] in {"will", "is", "are"}:
        return future_to_past(question)
    return Refusal("tense")
