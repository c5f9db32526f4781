"""Innermost noun phrases that another of their kind may replace (TIN, section 3.1.1).

What is replaced begins after the determiner, and after numbers and superlatives,
which say how many or which; it ends with the head noun. A phrase with a name in
it or beside it, or that says what a name is, is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate.language.forms import tags
from mt_gate.language.tools import Slot
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.lexicons.reading import word_set

_HEADS = {"NN": "singular", "NNS": "plural"}
_SKIPPED = frozenset({"DET", "PRON", "NUM", "PART", "CCONJ", "SCONJ", "ADP"})
_LEADING_TAGS = frozenset({"JJS", "RBS", "PDT", "DT", "PRP$", "WP$", "POS", "CD"})
_WITHIN = frozenset({"NN", "NNS", "JJ", "VBN", "VBG"})
_SEX = re.compile(
    r"(?:grand|god|step)?(?:father|mother|brother|sister|son|daughter|husband|wife|wives)s?"
    r"|.*(?:wo)?m[ae]n|boys?|girls?|.*friends?|.*ess(?:es)?|uncles?|aunts?|nephews?|nieces?|kings?"
    r"|queens?|princes?|dukes?|widows?|widowers?|actors?|hero(?:es)?|heroines?|parents?|child(?:ren)?"
)
VAGUE = word_set("ner/noun_phrases", "vague")
WORDS_AT_MOST = 3
SEEN_AT_LEAST = 2


class PhraseSlot(NamedTuple):
    """A noun phrase without its determiner, with what a stand-in must agree with."""

    slot: Slot
    number: str
    frame: str


class Usage:
    """Noun phrases as the corpora use them: how often, and after which determiner."""

    def __init__(self) -> None:
        """Nothing is seen yet."""
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def add(self, doc: Doc) -> None:
        """Count the noun phrases of a parsed sentence."""
        for phrase, number, frame in _phrases(doc):
            self._seen[(phrase.text.lower(), number, frame)] += 1
            if len(phrase) > 1:
                self._seen[(phrase[-1].lower_, number, frame)] += 1

    def phrases(self) -> list[str]:
        """Return the phrases seen more than once, in alphabetical order."""
        totals: Counter[str] = Counter()
        for (phrase, _, _), count in self._seen.items():
            totals[phrase] += count
        return sorted(phrase for phrase, count in totals.items() if count >= SEEN_AT_LEAST)

    def attested(self, phrase: str, number: str, frame: str) -> bool:
        """Whether a phrase, or its head, was seen in a number after a kind of determiner."""
        head = phrase.rpartition(" ")[2]
        return (phrase, number, frame) in self._seen or (
            self._seen[(head, number, frame)] >= SEEN_AT_LEAST
        )


def noun_phrases(doc: Doc, wordnet: WordNet) -> list[PhraseSlot]:
    """Return the noun phrases of a parsed sentence that may be replaced."""
    quoted = untouchable.quoted_spans(doc)
    return [
        PhraseSlot(Slot(doc.text, phrase.start_char, phrase.end_char), number, frame)
        for phrase, number, frame in _phrases(doc)
        if phrase.start > 0
        and not untouchable.is_quoted(phrase[0], quoted)
        and _is_free(phrase)
        and not _in_term(phrase, wordnet)
    ]


def same_kind(old: str, new: str, wordnet: WordNet) -> bool:
    """Whether two phrases name the same kind of thing: person, group, place, artefact, act.

    A city for a company would turn what is said about the names beside it.
    """
    heads = old.rpartition(" ")[2], new.rpartition(" ")[2]
    if any(_SEX.fullmatch(word) for phrase in (old, new) for word in phrase.split()):
        return False
    left, right = (wordnet.kinds(head) for head in heads)
    return bool(left & right)


def _phrases(doc: Doc) -> Iterator[tuple[Span, str, str]]:
    """Yield noun phrases without determiner, their number, and the frame they stand in."""
    for chunk in doc.noun_chunks:
        head = chunk.root
        if head.tag_ not in _HEADS or head.i != chunk.end - 1:
            continue
        start = _start(chunk)
        phrase = doc[start : chunk.end]
        if all(t.tag_ in _WITHIN and t.is_alpha and t.is_lower for t in phrase):
            yield phrase, _HEADS[head.tag_], _frame(chunk, start)


def _start(chunk: Span) -> int:
    """Return where the phrase begins: after determiners, numbers and superlatives."""
    start = chunk.start
    for token in chunk[:-1]:
        skipped = token.pos_ in _SKIPPED or token.tag_ in _LEADING_TAGS
        if skipped or untouchable.counts(token):
            start = token.i + 1
    return start


def _frame(chunk: Span, start: int) -> str:
    """Return what stands before a phrase: ``a``, ``bare`` or ``the`` (and all that define)."""
    if start == chunk.start:
        return "bare"
    first = chunk[0].lower_
    return "a" if first in {"a", "an", "another", "one", "each", "every"} else "the"


def _is_free(phrase: Span) -> bool:
    head = phrase.root
    if len(phrase) > WORDS_AT_MOST or head.lower_ in VAGUE or head.lemma_ in VAGUE:
        return False
    if head.tag_ not in tags(head.lower_) or any(map(untouchable.is_namelike, phrase)):
        return False
    if any(untouchable.is_glued(t) or untouchable.counts(t) for t in phrase):
        return False
    if untouchable.touches_name(phrase[0]) or untouchable.touches_name(phrase[-1]):
        return False
    return not _tells_a_name(head) and not _hangs_together(head)


def _tells_a_name(head: Token) -> bool:
    """Whether the phrase says what a name is, next to it: Oslo, the capital; the city of Oslo."""
    if head.dep_ in {"appos", "compound", "nmod"}:
        return True
    children: Iterable[Token] = head.children
    return any(child.dep_ == "appos" for child in children)


def _hangs_together(head: Token) -> bool:
    """Whether a clause or an infinitive is attached to the noun: the fact that, the ability to."""
    return any(child.dep_ in {"acl", "ccomp", "xcomp"} for child in head.children)


def _in_term(phrase: Span, wordnet: WordNet) -> bool:
    """Whether the phrase makes one term with its verb or preposition: take place, at home."""
    doc = phrase.doc
    head = phrase.root
    before = doc[phrase.start - 1]
    if before.is_alpha and wordnet.is_term(before.lower_, phrase[0].lower_):
        return True
    governor = head.head
    return governor.pos_ == "VERB" and wordnet.is_term(governor.lemma_, head.lemma_)
