"""Adds an unrelated sentence before or after the text.

question   How do I close my account?  -> I have a quick question. How do I close my account?
request    Tell me my balance.         -> Tell me my balance. I would appreciate it.
wish       I want to change my PIN.    -> I hope you can help me. I want to change my PIN.
statement  My card has not arrived.    -> My card has not arrived. Can you help me with this?
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from random import Random

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.reading import ordered, word_set
from mt_gate_suites.text.protected import MAX_TEXT
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfText


class Form(StrEnum):
    """The kind of the first or the last sentence of a text, if it is certain."""

    QUESTION = "questions"
    REQUEST = "requests"
    WISH = "wishes"
    STATEMENT = "statements"


MOST_WORDS = 30
LEAST_WORDS = 4
_ORDERS = "|".join(ordered("text/frames", "orders"))
# Only these words may follow "how", because "How the bus moves" is not a question.
_AFTER_HOW = (
    "am|is|are|was|were|do|does|did|has|have|can|could|will|would|should"
    "|many|much|long|far|often|old|big|tall|high|fast|soon|late|early|quickly"
)
_FORMS = {
    Form.REQUEST: re.compile(
        r"(?:please )?(?:(?:can|could|will|would) you (?:please )?)?"
        rf"(?:{_ORDERS}) (?:me|my|the|a|an|us|this|that|all|some|up|off|on|for|how|what|if)\b"
    ),
    Form.QUESTION: re.compile(
        r"(?:what|which|who|whose|why)\b(?! about| a\b| if\b)"
        rf"|how (?:{_AFTER_HOW})\b"
        r"|(?:what|how|where|when|who)'s "
        r"|(?:when|where) (?:am|is|are|was|were|do|does|did|has|have|can|could|will|would|should)\b"
        r"|(?:is|are|was|were|does|did|has|will|should) (?!you )"
        r"|(?:do|have) you |(?:am|do|have|can|could|would|may) (?:i|we|they|my|the|there|it|this)\b"
    ),
    Form.WISH: re.compile(
        r"(?:i (?:need|want|have|would like)|i'd like) (?:to|a|an|my|the|some)\b"
    ),
    Form.STATEMENT: re.compile(r"(?:i|i've|my|the|there|someone|somebody) "),
}
_BEFORE = {
    Form.QUESTION: ordered("text/frames", "neutral-before-questions"),
    Form.REQUEST: ordered("text/frames", "neutral-before-requests"),
    Form.WISH: ordered("text/frames", "neutral-before-wishes"),
    Form.STATEMENT: ordered("text/frames", "neutral-before-wishes"),
}
_BEHIND = {
    Form.QUESTION: ordered("text/frames", "neutral-behind-questions"),
    Form.REQUEST: ordered("text/frames", "neutral-behind-requests"),
    Form.WISH: ordered("text/frames", "neutral-behind-wishes"),
    Form.STATEMENT: ordered("text/frames", "neutral-behind-wishes"),
}
_UNFIT = word_set("text/frames", "neutral-said-already") | word_set("text/frames", "upset-words")
_OF_BOTH = word_set("text/frames", "neutral-words-of-both")
_OWN = frozenset({"i", "me", "my"})
_OF_YOU = frozenset({"you", "your", "yours"})
_REQUEST = re.compile(r"(?:please )?(?:can|could|will|would) you ")
_IS_TO_TELL = re.compile(
    r"(?:please )?(?:(?:can|could|will|would) you (?:please )?)?"
    rf"(?:{'|'.join(ordered('text/frames', 'telling-orders'))})\b",
    re.I,
)
_HOW_OR_WHY = re.compile(
    r"why |(?:how|where) (?:am|can|could|do|should|would) i\b"
    r"|what (?:can|do|should) i (?:do|need)\b",
    re.I,
)
_ASKS_FOR_A_THING = re.compile(r"(?:can|could|may) (?:i|we) (?:please )?(?:have|get|see)\b", re.I)
_MODAL = re.compile(r"(?:please )?(?:can|could|may|will|would) ", re.I)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")


def transform(text: str, rng: Random) -> list[Rewrite]:
    """Return the text with a neutral sentence before it, and with one behind it."""
    bare = text.rstrip()
    words = _words(text)
    is_short = len(text) <= MAX_TEXT and len(text.split()) <= MOST_WORDS
    if not is_short or not text[:1].isalpha() or not _UNFIT.isdisjoint(words):
        return []
    sentences = _SENTENCE_END.split(bare)
    before = _fitting(_before(sentences[0]), words)
    behind = _fitting(_behind(sentences), words)
    rewrites = []
    if before and (text[0].isupper() or text.islower()):
        edit = (0, 0, f"{_like(text, rng.choice(before))} ")
        rewrites.append(edited(text, [edit])._replace(stratum="leading"))
    if behind:
        edit = (len(bare), len(bare), f" {_like(text, rng.choice(behind))}")
        rewrites.append(edited(text, [edit])._replace(stratum="trailing"))
    return rewrites


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", text.lower()))


def _form(sentence: str) -> Form | None:
    """Return the form of a sentence; None if it is uncertain, or may be small talk."""
    small = sentence.lower().replace("’", "'")
    form = next((form for form, opening in _FORMS.items() if opening.match(small)), None)
    if form is None or len(small.split()) < LEAST_WORDS:
        return None
    if form in (Form.REQUEST, Form.WISH) and not _OF_YOU.isdisjoint(
        _words(_REQUEST.sub("", small))
    ):
        return None
    asks = form is Form.QUESTION or _REQUEST.match(small) is not None
    return None if small[-1] in ".!?" and asks != small.endswith("?") else form


def _before(sentence: str) -> Sequence[str]:
    """Return the sentences that may be before a text that opens with this one."""
    form = _form(sentence)
    if sentence[-1] == "!":  # a loud text has no polite opening
        return ()
    if form is Form.STATEMENT and sentence[-1] != ".":
        return ()
    if _IS_TO_TELL.match(sentence):  # openings ask for help, but the text asks to be informed
        return ()
    sentences: Sequence[str] = _BEFORE[form] if form else ()
    if form is Form.QUESTION and _is_for_help(sentence):
        sentences = (*sentences, *_BEFORE[Form.WISH])
    # "Can you help me? Can I ..." is unnatural.
    return [one for one in sentences if not (one.endswith("?") and _MODAL.match(sentence))]


def _behind(sentences: Sequence[str]) -> Sequence[str]:
    """Return the sentences that may follow a text with these sentences."""
    last = sentences[-1]
    form = _form(last)
    if form is None or last[-1] not in ".!?" or (form is Form.REQUEST and last[-1] == "!"):
        return ()
    if form is not Form.QUESTION:
        return _BEHIND[form]
    is_alone = len(sentences) == 1 and not _ASKS_FOR_A_THING.match(last)  # wants no answer
    alone = _BEHIND[form] if is_alone else ()
    return (*alone, *_BEHIND[Form.WISH]) if _is_for_help(last) else alone


def _is_for_help(question: str) -> bool:
    words = _words(question)
    opens = _HOW_OR_WHY.match(question) is not None
    return opens and not _OWN.isdisjoint(words) and _OF_YOU.isdisjoint(words)


def _fitting(sentences: Sequence[str], words: frozenset[str]) -> list[str]:
    return [one for one in sentences if (_words(one) & words) <= _OF_BOTH]


def _like(text: str, sentence: str) -> str:
    return sentence.lower() if text.islower() else sentence


RELATION = TextRelation(
    name="neutral-sentence",
    title="Neutral sentence added",
    description=(
        "Adds an unrelated sentence before or after the text. The prediction must not change."
    ),
    paper=(
        "MTTM (Wang et al., ICSE 2023), benign context camouflage; Ribeiro et al., ACL 2020 "
        "(CheckList), irrelevant additions"
    ),
    before="My card has not arrived.",
    after="I hope you can help me. My card has not arrived.",
    transformation=OfText(transform),
)
