"""``before`` becomes ``after``, or the reverse, in a question of order.

Source: reading-comprehension MRs, section 4, MR1-3 (inversion with order change).
    was the peloponnesian war before the persian war
    -> was the peloponnesian war after the persian war

The relation is true only if the two orders exclude each other: one event, work or position
that happens or is placed once, before or after another (``_ONCE``, ``_is_one_thing``).
Events that may recur, are usual or allowed (``can you eat before surgery``) are skipped. So
are stories with two orders: a prequel is before its series in the story, and after it by year.
"""

from __future__ import annotations

import re

from spacy.tokens import Token

from mt_gate_suites.boolq.question import ParsedQuestion, Resources
from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import word_pattern, word_set

SWAPPED = {"before": "after", "after": "before"}
_UNFIT_SUBJECT = (
    r"(?!(?:it|there|you|we|they|i|he|she|that|this|these|those|any\w*|every\w*|some\w*|all|most"
    r"|people|no\w*)\b)"
)
_ONCE = re.compile(
    rf"^(?:did {_UNFIT_SUBJECT}.+ (?:come(?: out)?|take place|happen|occur|start|begin|end|die)"
    rf"|does {_UNFIT_SUBJECT}.+ (?:come(?: out)?|take place|happen|occur|go)"
    rf"|is {_UNFIT_SUBJECT}.+ set"
    rf"|(?:was|were) {_UNFIT_SUBJECT}.+ (?:{'|'.join(sorted(word_set('boolq/events', 'made')))}))$"
)
"""Things that happen once, are made once, or have a place in an order."""
_TWO_THINGS = re.compile(rf"^(?:is|was|were) {_UNFIT_SUBJECT}.+$")
_NEAR = re.compile(r" (?:right|directly|immediately|just|shortly)$")
_THING = frozenset({"NN", "NNP", "NNPS", "NNS", "CD"})
_WITHIN = _THING | {"DT", "JJ", "JJS", "IN", "POS", "HYPH", ":"}
_IN_A_STORY = re.compile(r" (?:set|place|happen|occur)$")
_SERIES = re.compile(
    r"\b(?:is|was) an? [^.]*\b(?:television|TV|anime|manga|drama|sitcom)\b", re.IGNORECASE
)
_ORDER_IN_STORY = word_pattern("boolq/events", "order-in-story", re.I)
_MANY_WORKS = re.compile(r"\b(?:franchise|(?:film|game) series)\b")
_WORK = re.compile(r"\b(?:game|movie|film|book|show|series)\b")


def transform(question: ParsedQuestion, _: Resources) -> Rewrite | None:
    """Swap ``before`` and ``after`` if one order excludes the other."""
    doc = question.doc
    orders = [token for token in doc if token.lower_ in SWAPPED and not question.in_name(token)]
    if len(orders) != 1:
        return None
    order = orders[0]
    end = order.idx + len(order)
    second = question.text[end:].strip()
    if not second:
        return None
    first = _NEAR.sub("", question.text[: order.idx].strip())
    once = _ONCE.match(first) or (_TWO_THINGS.match(first) and _is_one_thing(question, len(first)))
    if not once or _is_matter_of_view(first, question.texts.passage):
        return None
    return edited(question.text, [(order.idx, end, SWAPPED[order.lower_])])


def _is_matter_of_view(first: str, passage: str) -> bool:
    """Whether works are compared whose order by story differs from that by year."""
    if _IN_A_STORY.search(first):
        return _SERIES.search(passage) is not None
    if _MANY_WORKS.search(passage) and _WORK.search(first):
        return True
    bare = first.endswith(" come") or first.startswith("is ")
    return bare and _ORDER_IN_STORY.search(passage) is not None


def _is_one_thing(question: ParsedQuestion, end: int) -> bool:
    """Whether the words from the second on are one noun phrase, without a predicate."""

    def fits(word: Token, tags: frozenset[str]) -> bool:
        return word.tag_ in tags or question.in_name(word)

    doc = question.doc
    words = [token for token in doc[1:-1] if token.idx < end]
    # A later determiner may open a second phrase ("france | a republic"), so any is refused.
    return (
        bool(words)
        and fits(words[-1], _THING)
        and all(fits(word, _WITHIN) for word in words)
        and all(word.tag_ != "DT" or question.in_name(word) for word in words[1:])
    )
