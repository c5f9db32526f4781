"""The relations over questions (Chen et al., ESEC/FSE 2021, section 4), and their compositions.

Follow-ups are built with the suite; these records only compare predictions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from mt_gate.relations.base import MetamorphicRelation
from mt_gate.relations.stated import Becomes, Same, judge
from mt_gate.tasks.boolq import NO, TASK, YES

Expected = Same | Becomes

SAME = Same()
INVERTED = Becomes(labels={YES: NO, NO: YES})
INVERTED_YES = Becomes(labels={YES: NO})
"""A yes excludes a yes to the other question, but both answers may be no."""
_UNCHANGED: Mapping[str, str] = {YES: YES, NO: NO}


def _in_words(expected: Expected) -> tuple[str, str]:
    """Return an expectation as the end of a title, and as a sentence."""
    if isinstance(expected, Same):
        return "", "The prediction must not change."
    if expected.labels == INVERTED.labels:
        return " (answer flips)", "A yes must become a no, and a no a yes."
    if expected.labels == INVERTED_YES.labels:
        return " (a yes becomes no)", "A yes to one question rules out a yes to the other."
    return " (a yes stays yes)", "A yes must stay a yes."


def _relation(
    name: str, number: str, expected: Expected, title: str, edit: str, **more: Any
) -> MetamorphicRelation:
    in_brackets, sentence = _in_words(expected)
    return MetamorphicRelation(
        id=f"{TASK.id}/{name}",
        title=f"{title}{in_brackets}",
        description=f"{edit} {sentence}",
        paper=f"Chen et al., ESEC/FSE 2021, MR{number}",
        holds=judge(expected, TASK),
        **more,
    )


ANTONYM_ADJECTIVE = _relation(
    "antonym-adjective",
    "1-1",
    INVERTED_YES,
    "Antonym substitution",
    "Replaces an adjective that describes the subject with its antonym.",
    before="is scott and sid based on a true story",
    after="is scott and sid based on a fictional story",
)
TENSE_CHANGE = _relation(
    "tense-change",
    "1-2",
    INVERTED_YES,
    "Tense change",
    "Changes the tense of the question, for example from future to past.",
    before="will there be a fifth season of mom",
    after="has there ever been a fifth season of mom",
)
BEFORE_AFTER = _relation(
    "before-after",
    "1-3",
    INVERTED_YES,
    "Before/after swap",
    "Swaps “before” and “after”.",
    before="was the peloponnesian war before the persian war",
    after="was the peloponnesian war after the persian war",
    fixed_edit=True,
)
# Subtype ``paper`` has the paper's wording, subtype ``natural`` a more natural wording.
NEGATION_TAG = _relation(
    "negation-tag",
    "1-4",
    INVERTED,
    "Negated question",
    "Negates the question, with “is it right” at its end or with words such as “is it true that”.",
    before="is there such a thing as a turkey vulture",
    after="there is no such thing as a turkey vulture, is that right",
    fixed_edit=True,
)
SYNONYM_ADJECTIVE = _relation(
    "synonym-adjective",
    "2-1",
    SAME,
    "Synonym replacement (adjectives)",
    "Replaces adjectives with synonyms.",
    before="is season 13 the last season of face off",
    after="is season 13 the final season of face off",
)
ADVERBIAL_POSITION = _relation(
    "adverbial-position",
    "2-2",
    SAME,
    "Adverbial moved",
    "Moves a phrase of place, time or condition to the other end of the question.",
    before="can you turn left on red in canada",
    after="in canada, can you turn left on red",
    fixed_edit=True,
)
VOICE_CHANGE = _relation(
    "voice-change",
    "2-3",
    SAME,
    "Active/passive (in the passage)",
    "Turns active sentences of the passage into the passive, or back.",
    before="… the company now uses the SSE brand throughout the UK …",
    after="… the SSE brand is now used by the company throughout the UK …",
    fixed_edit=True,
)

# The order of edits in a composition: those that need the original form of the question come first.
IN_ORDER: tuple[tuple[MetamorphicRelation, Expected], ...] = (
    (ANTONYM_ADJECTIVE, INVERTED_YES),
    (SYNONYM_ADJECTIVE, SAME),
    (BEFORE_AFTER, INVERTED_YES),
    (TENSE_CHANGE, INVERTED_YES),
    (ADVERBIAL_POSITION, SAME),
    (NEGATION_TAG, INVERTED),
    (VOICE_CHANGE, SAME),
)


_COMPOSED = {
    (ANTONYM_ADJECTIVE.id, NEGATION_TAG.id): (
        "is it correct that scott and sid is not based on a fictional story"
    ),
    (SYNONYM_ADJECTIVE.id, NEGATION_TAG.id): (
        "is it true that season 13 is not the final season of face off"
    ),
}
"""The first relation's example after both edits. Other compositions have no example."""


def then(first: Expected | None, second: Expected | None) -> Expected | None:
    """Return the expectation for two relations applied in turn; None if nothing is expected."""
    if first is None or second is None:
        return None
    before, after = (
        _UNCHANGED if isinstance(expected, Same) else expected.labels
        for expected in (first, second)
    )
    labels = {source: after[middle] for source, middle in before.items() if middle in after}
    if labels == _UNCHANGED:
        return SAME
    return Becomes(labels=labels) if labels else None


def _uncapitalised(text: str) -> str:
    return text[0].lower() + text[1:]


def _composed(
    one: MetamorphicRelation, two: MetamorphicRelation, expected: Expected
) -> MetamorphicRelation:
    names = [relation.title.partition(" (")[0] for relation in (one, two)]
    edits = [relation.description.partition(". ")[0] for relation in (one, two)]
    in_brackets, sentence = _in_words(expected)
    after = _COMPOSED.get((one.id, two.id), "")
    return MetamorphicRelation(
        id=f"{one.id}+{two.id.partition('/')[2]}",
        title=f"{names[0]} + {_uncapitalised(names[1])}{in_brackets}",
        description=f"{edits[0]}. Then {_uncapitalised(edits[1])}. {sentence}",
        paper=f"{one.paper}; then {two.paper.rpartition(' ')[2]} (section 9)",
        before=one.before if after else "",
        after=after,
        holds=judge(expected, TASK),
        parts=(one, two),
        fixed_edit=one.fixed_edit and two.fixed_edit,
        default=False,
    )


# Section 9 (future work). Off by default: a run uses them only if ``--relations`` names them.
COMPOSITIONS = tuple(
    _composed(one, two, expected)
    for (one, first), (two, second) in combinations(IN_ORDER, 2)
    if (expected := then(first, second)) is not None
    # Both would replace the same word: a synonym of the new antonym adds uncertainty.
    if (one, two) != (ANTONYM_ADJECTIVE, SYNONYM_ADJECTIVE)
)
