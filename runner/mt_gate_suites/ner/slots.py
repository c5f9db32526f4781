"""Find words and noun phrases that others of the same kind may replace (TIN, section 3.1.1).

The paper masks any verb, adjective or noun phrase. This module skips those whose replacement would
change more than the slot: auxiliaries, names and words next to names, numbers, titles, fixed terms,
verbs with a particle, and phrases that describe a name. The slot of a noun phrase begins after the
determiner, and after numbers and superlatives, which say how many or which. It ends with the head
noun.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from mt_gate.language.forms import FUNCTION_WORDS, tags
from mt_gate.language.tools import Slot
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.lexicons.reading import word_set

_VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_ADJECTIVE_TAGS = frozenset({"JJ", "JJR", "JJS"})
LIGHT_VERBS = word_set("ner/word_slots", "light-verbs")
_FIXED = word_set("ner/word_slots", "fixed")
_NUMBERS = {"NN": "singular", "NNS": "plural"}
_SKIPPED = frozenset({"DET", "PRON", "NUM", "PART", "CCONJ", "SCONJ", "ADP"})
_LEADING_TAGS = frozenset({"JJS", "RBS", "PDT", "DT", "PRP$", "WP$", "POS", "CD"})
_WITHIN = frozenset({"NN", "NNS", "JJ", "VBN", "VBG"})
_SEX = re.compile(
    r"(?:grand|god|step)?(?:father|mother|brother|sister|son|daughter|husband|wife|wives)s?"
    r"|.*(?:wo)?m[ae]n|boys?|girls?|.*friends?|.*ess(?:es)?|uncles?|aunts?|nephews?|nieces?|kings?"
    r"|queens?|princes?|dukes?|widows?|widowers?|actors?|hero(?:es)?|heroines?|parents?|child(?:ren)?"
)
VAGUE = word_set("ner/noun_phrases", "vague")
MOST_WORDS = 3
SEEN_AT_LEAST = 2


class WordSlot(NamedTuple):
    """A slot of one word with its tag."""

    slot: Slot
    tag: str


class PhraseSlot(NamedTuple):
    """A noun phrase without its determiner; a replacement must fit its number and frame."""

    slot: Slot
    number: str
    frame: str


class Usage:
    """Noun phrases as the corpora use them: how often, and after which determiner."""

    def __init__(self) -> None:
        """Begin without phrases."""
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def add(self, doc: Doc) -> None:
        """Count the noun phrases of a parsed sentence."""
        for phrase, number, frame in _phrases(doc):
            self._seen[phrase.text.lower(), number, frame] += 1
            if len(phrase) > 1:
                self._seen[phrase[-1].lower_, number, frame] += 1

    def phrases(self, least: int = SEEN_AT_LEAST) -> list[str]:
        """Return the phrases seen at least ``least`` times, in alphabetical order."""
        totals: Counter[str] = Counter()
        for (phrase, _, _), count in self._seen.items():
            totals[phrase] += count
        return sorted(phrase for phrase, count in totals.items() if count >= least)

    def attested(self, phrase: str, number: str, frame: str) -> bool:
        """Whether a phrase, or its head, was seen in a number after a kind of determiner."""
        head = phrase.rpartition(" ")[2]
        return (phrase, number, frame) in self._seen or (
            self._seen[head, number, frame] >= SEEN_AT_LEAST
        )


def word_slots(doc: Doc, wordnet: WordNet) -> list[WordSlot]:
    """Return the verbs and adjectives of a parsed sentence that may be replaced."""
    quoted = untouchable.quoted_spans(doc)
    return [
        WordSlot(Slot(doc.text, token.idx, token.idx + len(token)), token.tag_)
        for token in doc
        if token.tag_ in _VERB_TAGS | _ADJECTIVE_TAGS
        and not untouchable.is_quoted(token, quoted)
        and _is_plain(token)
        and (_is_free_verb(token) if token.pos_ == "VERB" else _is_free_adjective(token))
        and not _is_in_term(token, wordnet)
    ]


def _is_plain(token: Token) -> bool:
    return (
        token.is_alpha
        and token.is_lower
        and token.i > 0
        and token.tag_ in tags(token.lower_)
        and token.lower_ not in FUNCTION_WORDS
        and not untouchable.is_namelike(token)
        and not untouchable.is_glued(token)
        and not untouchable.is_negated(token)
        and not untouchable.counts(token)
    )


def _is_free_verb(token: Token) -> bool:
    if token.lemma_ in LIGHT_VERBS or token.dep_ in {"aux", "auxpass", "amod", "compound"}:
        return False
    bound = {"prt", "xcomp", "ccomp", "dative", "oprd"}
    return not any(child.dep_ in bound or child.lower_ == "as" for child in token.children)


def _is_free_adjective(token: Token) -> bool:
    """Whether an adjective precedes a common noun or follows ``be``, without dependent phrases."""
    if token.pos_ != "ADJ" or token.lower_ in _FIXED:
        return False
    own = {child.dep_ for child in token.children} - {"advmod", "cc", "conj", "punct"}
    after = token.doc[token.i + 1 : token.i + 2]
    named = any(map(untouchable.is_namelike, after))  # the late John Smith, old English
    return token.dep_ in {"amod", "acomp", "conj"} and not own and not named


def _is_in_term(token: Token, wordnet: WordNet) -> bool:
    """Whether the word makes one term with a neighbour or its object: high school, take place."""
    doc, at = token.doc, token.i
    pairs = [(token, after) for after in doc[at + 1 : at + 2]]
    pairs += [(before, token) for before in doc[max(0, at - 1) : at]]
    pairs += [(token, child) for child in token.children if child.dep_ in {"dobj", "prep"}]
    return any(
        wordnet.is_term(left.lower_, right.lower_) or wordnet.is_term(left.lemma_, right.lemma_)
        for left, right in pairs
        if left.is_alpha and right.is_alpha
    )


def noun_phrases(doc: Doc, wordnet: WordNet) -> list[PhraseSlot]:
    """Return the noun phrases of a parsed sentence that may be replaced."""
    quoted = untouchable.quoted_spans(doc)
    return [
        PhraseSlot(Slot(doc.text, phrase.start_char, phrase.end_char), number, frame)
        for phrase, number, frame in _phrases(doc)
        if phrase.start > 0
        and not untouchable.is_quoted(phrase[0], quoted)
        and _is_free_phrase(phrase, wordnet)
    ]


def same_kind(old: str, new: str, wordnet: WordNet) -> bool:
    """Whether two phrases name the same kind of thing: person, group, place, artefact, act.

    A city for a company would change what is said about the names next to it.
    """
    if any(_SEX.fullmatch(word) for word in (*old.split(), *new.split())):
        return False
    left, right = (wordnet.kinds(phrase.rpartition(" ")[2]) for phrase in (old, new))
    return bool(left & right)


def _phrases(doc: Doc) -> Iterator[tuple[Span, str, str]]:
    """Yield noun phrases without determiner, with their number and their frame.

    The frame is ``bare``, ``a`` (indefinite) or ``the`` (any other word before the phrase).
    """
    for chunk in doc.noun_chunks:
        head, start = chunk.root, chunk.start
        if head.tag_ not in _NUMBERS or head.i != chunk.end - 1:
            continue
        for token in chunk[:-1]:
            skipped = token.pos_ in _SKIPPED or token.tag_ in _LEADING_TAGS
            if skipped or untouchable.counts(token):
                start = token.i + 1
        phrase = doc[start : chunk.end]
        indefinite = chunk[0].lower_ in {"a", "an", "another", "one", "each", "every"}
        frame = "bare" if start == chunk.start else "a" if indefinite else "the"
        if all(t.tag_ in _WITHIN and t.is_alpha and t.is_lower for t in phrase):
            yield phrase, _NUMBERS[head.tag_], frame


def _is_free_phrase(phrase: Span, wordnet: WordNet) -> bool:
    head = phrase.root
    roles = {child.dep_ for child in head.children}
    before, governor = phrase.doc[phrase.start - 1], head.head
    return not (
        len(phrase) > MOST_WORDS
        or {head.lower_, head.lemma_} & VAGUE
        or head.tag_ not in tags(head.lower_)
        or any(map(untouchable.is_namelike, phrase))
        or any(untouchable.is_glued(t) or untouchable.counts(t) for t in phrase)
        or untouchable.touches_name(phrase[0])
        or untouchable.touches_name(phrase[-1])
        # It says what a name is, next to it: Oslo, the capital; the city of Oslo.
        or head.dep_ in {"appos", "compound", "nmod"}
        # A name, a clause or an infinitive depends on the noun: the fact that, the ability to.
        or roles & {"appos", "acl", "ccomp", "xcomp"}
        # It makes one term with its verb or preposition: take place, at home.
        or (before.is_alpha and wordnet.is_term(before.lower_, phrase[0].lower_))
        or (governor.pos_ == "VERB" and wordnet.is_term(governor.lemma_, head.lemma_))
    )
