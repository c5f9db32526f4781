"""``before`` gives way to ``after``, or the reverse, in a question of order.

Source: reading-comprehension MRs, section 4, MR1-3 (inversion with order change).
    was the peloponnesian war before the persian war
    -> was the peloponnesian war after the persian war

The relation holds only where the two orders rule each other out: one event,
work or position that happens or stands once, against another. Taken are

    was X before Y, is X after Y                 X and Y name things, and nothing else is said of X
    was X made (released, built, fought) before  a thing is made once
    is X set before Y                            a story has one setting relative to another
    does X take place before, come before Y      one place in an order
    did X come (out), happen, start, die before  each happens once
    does X go before Y                           one place in an order

Not taken, since both answers may be yes: what is allowed, usual or advisable
(``can you eat before surgery``), states (``was france a republic after ...``),
existence (``is there a movie after ...``), what may be repeated (``has panama
qualified before``), and ``after`` that is no order (``named after``, titles). Nor
stories of which the order is a matter of view: a series may be set on both sides of
another story, a film is before its series in the one order and after it in the other.
"""

from __future__ import annotations

import re

from spacy.tokens import Token

from mt_gate_suites.boolq.question import ParsedQuestion
from mt_gate_suites.boolq.transformation import QuestionResources
from mt_gate_suites.grammar.edits import edited
from mt_gate_suites.grammar.rewrite import Refusal, Rewrite
from mt_gate_suites.lexicons.reading import word_set

_SWAPPED = {"before": "after", "after": "before"}
_NEAR = frozenset({"right", "directly", "immediately", "just", "shortly"})
_MADE = word_set("boolq/events", "made")
_SET = frozenset({"set"})
_NO_ORDER = frozenset({"named", "called", "modeled", "modelled", "look", "take", "taken"})
_ONCE_WITH_DO = (
    ("come", "out"),
    ("come",),
    ("go",),
    ("take", "place"),
    ("happen",),
    ("occur",),
    ("start",),
    ("begin",),
    ("end",),
    ("die",),
)
_ONLY_PAST = frozenset({"start", "begin", "end", "die"})
_ONLY_PRESENT = frozenset({"go"})
_IN_A_STORY = frozenset({"set", "place", "happen", "occur"})
_SERIES = re.compile(
    r"\b(?:is|was) an? [^.]*\b(?:television|TV|anime|manga|drama|sitcom)\b", re.IGNORECASE
)
_TOLD_ORDER = re.compile(
    r"\b(?:prequels?|takes? place|taking place|set (?:\w+ )?(?:between|before|after|during|in)"
    r"|chronological\w*|time ?line|novels?)\b",
    re.IGNORECASE,
)
_MANY_WORKS = re.compile(r"\b(?:franchise|(?:film|game) series)\b")
_WORK = frozenset({"game", "movie", "film", "book", "show", "series"})
_THING = frozenset({"NN", "NNP", "NNPS", "NNS", "CD"})
_WITHIN = _THING | {"DT", "JJ", "JJS", "IN", "POS", "HYPH", ":"}
_UNFIT_SUBJECT = re.compile(
    r"^(?:it|there|you|we|they|i|he|she|that|this|these|those|any\w*|every\w*|some\w*|all|most"
    r"|people|no\w*)\b"
)
_MANY_TIMES = re.compile(
    r"\b(?:ever|always|never|not|usually|often|n't|again|either|only|still|have to|need to"
    r"|must|should)\b"
)
_UNFIT_SECOND = re.compile(
    r"^(?:all|each|every|any|and|or|which|that|then|\d+ ?(?:am|pm)|\d{1,2}:\d\d|noon|midnight"
    r"|christ|eating|meals?|\w+ing)\b"
)


def transform(question: ParsedQuestion, _: QuestionResources) -> Rewrite | Refusal:
    """Return the follow-up of a question, or why it has none."""
    return before_after(question)


def before_after(question: ParsedQuestion) -> Rewrite | Refusal:
    """Swap ``before`` and ``after`` where one order rules out the other."""
    doc = question.doc
    here = [token for token in doc if token.lower_ in _SWAPPED and not question.in_name(token)]
    if not here:
        return Refusal("no-order-word")
    if len(here) > 1:
        return Refusal("two-order-words")
    order = here[0]
    second = question.text[order.idx + len(order) :].strip()
    if _MANY_TIMES.search(question.text):
        return Refusal("many-times")
    if not second or (_UNFIT_SECOND.match(second) and not question.in_name(doc[order.i + 1])):
        return Refusal("second-unfit")
    if not _excludes_the_other(question, order):
        return Refusal("both-orders-may-hold")
    if _order_of_view(question, order):
        return Refusal("order-of-view")
    end = order.idx + len(order)
    return edited(question.text, [(order.idx, end, _SWAPPED[order.lower_])])


def _excludes_the_other(question: ParsedQuestion, order: Token) -> bool:
    """Whether what stands before the order word happens or is placed once."""
    said = [token.lower_ for token in question.doc[: order.i]]
    while said and said[-1] in _NEAR:
        said.pop()
    if len(said) < 2 or _UNFIT_SUBJECT.match(" ".join(said[1:])):
        return False
    if said[0] in {"did", "does"}:
        found = _length_of_verb(said[1:])
        unfit = _ONLY_PRESENT if said[0] == "did" else _ONLY_PAST
        return found > 0 and said[-found] not in unfit
    if said[0] not in {"is", "was", "were"}:
        return False
    if said[-1] in (_SET if said[0] == "is" else _MADE):
        return len(said) > 2
    last = question.doc[-2]
    if last.pos_ in {"ADJ", "ADV", "VERB"} and not question.in_name(last):
        return False
    return said[-1] not in _NO_ORDER and _is_one_thing(question, len(said))


def _order_of_view(question: ParsedQuestion, order: Token) -> bool:
    """Whether works are asked of whose order is one by story and another by year."""
    before = order.nbor(-1)
    passage = question.asked.passage
    if before.lower_ in _IN_A_STORY:
        return _SERIES.search(passage) is not None
    if _MANY_WORKS.search(passage) and _WORK & {t.lower_ for t in question.doc[1 : order.i]}:
        return True
    bare = before.lower_ == "come" or question.doc[0].lower_ == "is"
    return bare and _TOLD_ORDER.search(passage) is not None


def _length_of_verb(said: list[str]) -> int:
    """Return how many words at the end are a verb of what happens once."""
    for verb in _ONCE_WITH_DO:
        if len(said) > len(verb) and tuple(said[-len(verb) :]) == verb:
            return len(verb)
    return 0


def _is_one_thing(question: ParsedQuestion, end: int) -> bool:
    """Whether the words from the second on are one noun phrase: nothing is said of it."""
    doc = question.doc
    words = doc[1:end]
    if words[-1].tag_ not in _THING and not question.in_name(words[-1]):
        return False
    if any(word.tag_ not in _WITHIN and not question.in_name(word) for word in words):
        return False
    # a determiner without a preposition before it opens a second phrase: "france | a republic"
    return all(
        word.tag_ != "DT" or doc[word.i - 1].tag_ in {"IN", "CC"} or question.in_name(word)
        for word in words[1:]
    )
