"""Words and phrases of a sentence replaced, filtered, and checked by the parser.

TIN (ESEC/FSE 2023), section 3.1.1 (similar sentence generation) and 3.1.4
(filters). Of what a slot is offered, the best that passes every check is taken.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.language.forms import lemmas, tags
from mt_gate.language.kinds import Tools
from mt_gate.language.tools import Fill, Phrases, Slot
from mt_gate_suites.filters import Filters
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.grammar.edits import replaced
from mt_gate_suites.grammar.rewrite import Rewrite
from mt_gate_suites.ner.noun_phrases import VAGUE, PhraseSlot, Usage, noun_phrases, same_kind
from mt_gate_suites.ner.word_slots import LIGHT_VERBS, WordSlot, word_slots

CANDIDATES = 10
"""The paper's top 10."""
PHRASES = 60
"""Phrases near a phrase that are looked at; most differ in number or in their article."""
PHRASES_ALIKE = 0.65
"""Least likeness of two phrases by themselves, as in the paper."""
LIKENESS = 4.0
"""What a cosine of 1 is worth beside the log ratio, when the best candidate is chosen."""


BEST = 4
"""Options of a slot, by fit and likeness, that the later filters look at; more for more fills."""
Offer = tuple[Doc, Slot, Sequence[str]]
"""A slot of a sentence and what may be put in."""


class Option(NamedTuple):
    """A candidate with its scores."""

    rewrite: Rewrite
    slot: Slot
    new: str
    fit: float
    similarity: float


class Replacer:
    """Replaces words and phrases of parsed sentences."""

    def __init__(
        self, tools: Tools, filters: Filters, nlp: Language, usage: Usage, fills: int = 2
    ) -> None:
        """Use ``usage`` of the corpora as phrases that may be put in, ``fills`` for each slot."""
        self._fills = fills
        self._tools = tools
        self._filters = filters
        self._nlp = nlp
        self._usage = usage
        self._phrases: list[Phrases] = tools.phrases(usage.phrases())
        self.reads = tools.reads

    @property
    def names(self) -> dict[str, str]:
        """The tools used, for the head of a suite."""
        names = " + ".join(phrases.name for phrases in self._phrases)
        return {**self._tools.names, "candidate phrases": names}

    def words(self, docs: Sequence[Doc]) -> list[list[Rewrite]]:
        """Replace each verb and adjective that may be; a list a sentence."""
        slots = [(doc, slot) for doc in docs for slot in word_slots(doc, self._tools.wordnet)]
        offers = self._tools.fillers.propose([slot.slot for _, slot in slots], CANDIDATES)
        return self._chosen(
            docs,
            [
                (doc, slot.slot, [word for word in words if self._word_fits(slot, word)])
                for (doc, slot), words in zip(slots, offers, strict=True)
            ],
        )

    def phrases(self, docs: Sequence[Doc]) -> list[list[Rewrite]]:
        """Replace each noun phrase that may be; a list a sentence."""
        slots = [(doc, slot) for doc in docs for slot in noun_phrases(doc, self._tools.wordnet)]
        offered = self._offered([slot for _, slot in slots])
        questions = [(slot.slot, new) for (_, slot), new in zip(slots, offered, strict=True)]
        offers = self._tools.fit.expected(questions, CANDIDATES)
        return self._chosen(
            docs,
            [(doc, slot.slot, phrases) for (doc, slot), phrases in zip(slots, offers, strict=True)],
        )

    def _word_fits(self, slot: WordSlot, word: str) -> bool:
        """Whether a word has the tag of what it replaces, and is no form or opposite of it."""
        wordnet = self._tools.wordnet
        if slot.tag not in tags(word) or not wordnet.knows(word) or untouchable.is_counting(word):
            return False
        pos = "VERB" if slot.tag.startswith("V") else "ADJ"
        if not LIGHT_VERBS.isdisjoint(lemmas(word, pos)):
            return False
        return not wordnet.are_opposite(slot.slot.filler, word, pos)

    def _offered(self, slots: Sequence[PhraseSlot]) -> list[list[str]]:
        """Return for each slot the phrases of its number, frame and kind, nearest first."""
        found: list[dict[str, None]] = [{} for _ in slots]
        for source in self._phrases:
            near = source.similar([slot.slot.filler for slot in slots], PHRASES)
            for offered, slot, fills in zip(found, slots, near, strict=True):
                offered.update(dict.fromkeys(f.text for f in fills if self._phrase_fits(slot, f)))
        return [list(offered) for offered in found]

    def _phrase_fits(self, slot: PhraseSlot, fill: Fill) -> bool:
        old = slot.slot.filler
        words = set(old.split())
        head = fill.text.rpartition(" ")[2]
        return (
            VAGUE.isdisjoint({head, *lemmas(head, "NOUN")})
            and fill.score >= PHRASES_ALIKE
            and self._usage.attested(fill.text, slot.number, slot.frame)
            and same_kind(old, fill.text, self._tools.wordnet)
            # One phrase within the other says less, or says twice what is said beside it.
            and not words.issuperset(fill.text.split())
            and not words.issubset(fill.text.split())
            and not self._tools.wordnet.are_opposite(*_heads(old, fill.text), "NOUN")
        )

    def _chosen(self, docs: Sequence[Doc], offers: Sequence[Offer]) -> list[list[Rewrite]]:
        """Return the best options of each slot that pass every filter, by sentence."""
        found: dict[int, list[Rewrite]] = {id(doc): [] for doc in docs}
        for doc, options in self._fitting(self._alike(offers)):
            best = self._natural(doc, options[: max(BEST, self._fills)])
            passed = (option for option in best if self._parses_alike(doc, option))
            found[id(doc)] += [option.rewrite for option in itertools.islice(passed, self._fills)]
        return [found[id(doc)] for doc in docs]

    def _alike(self, offers: Sequence[Offer]) -> list[tuple[Doc, Slot, dict[str, float]]]:
        """Return what passes the semantic filter: new text and likeness by slot."""
        tried = [(slot, new) for _, slot, offered in offers for new in offered]
        pairs = [(slot, slot.filled(new)) for slot, new in tried]
        likeness = iter(self._tools.similarity.similarity(pairs))
        floor = self._filters.similarity
        return [
            (doc, slot, {new: value for new in offered if (value := next(likeness)) >= floor})
            for doc, slot, offered in offers
        ]

    def _fitting(
        self, alike: Sequence[tuple[Doc, Slot, dict[str, float]]]
    ) -> Iterator[tuple[Doc, list[Option]]]:
        """Yield for each slot the options that fit, best first."""
        questions = [(slot, list(values)) for _, slot, values in alike]
        fits = self._tools.fit.fit(questions, CANDIDATES)
        for (doc, slot, values), fills in zip(alike, fits, strict=True):
            options = [
                Option(rewrite, slot, fill.text, fill.score, values[fill.text])
                for fill in fills
                if fill.score >= self._filters.fit
                and not _says_twice(slot, fill.text)
                and (rewrite := replaced(slot, fill.text))
            ]
            yield doc, sorted(options, key=lambda o: (-o.fit - LIKENESS * o.similarity, o.new))

    def _natural(self, doc: Doc, options: Sequence[Option]) -> list[Option]:
        """Return what passes the syntactic filter."""
        fall = self._filters.naturalness_fall
        if fall >= 1 or not options:
            return list(options)
        texts = [doc.text, *(option.rewrite.text for option in options)]
        source, *others = self._tools.naturalness.naturalness(texts)
        if not source:  # too long: nothing is known of it
            return []
        return [o for o, value in zip(options, others, strict=True) if value >= source - fall]

    def _parses_alike(self, doc: Doc, option: Option) -> bool:
        """Whether the parser sees the same names, and the same tags outside the slot."""
        new = self._nlp(option.rewrite.text)
        grown = len(option.rewrite.text) - len(doc.text)
        end = option.slot.end
        before = [
            (t.tag_, t.idx + grown * (t.idx >= end)) for t in doc if not _within(t.idx, option)
        ]
        start, new_end = option.slot.start, end + grown
        after = [(t.tag_, t.idx) for t in new if not start - 3 <= t.idx < new_end]
        # Of spans, not labels: that labels waver is what the relation looks for.
        names = [e.text for e in doc.ents]
        return (
            sorted(before) == sorted(after)
            and names == [e.text for e in new.ents]
            and _heads_alike(doc, new, option, grown)
        )


def _says_twice(slot: Slot, new: str) -> bool:
    """Whether a word of the new text stands elsewhere in the sentence already."""
    rest = set(re.findall(r"\w+", (slot.text[: slot.start] + " " + slot.text[slot.end :]).lower()))
    return not rest.isdisjoint(set(new.split()) - set(slot.filler.split()))


def _within(index: int, option: Option) -> bool:
    # The article before a slot may change its length.
    return option.slot.start - 3 <= index < option.slot.end


def _heads_alike(doc: Doc, new: Doc, option: Option, grown: int) -> bool:
    """Whether the last word of the slot has the same tag and role in both sentences."""
    old_word = doc.char_span(option.slot.end - 1, option.slot.end, alignment_mode="expand")
    at = option.slot.end + grown
    new_word = new.char_span(at - 1, at, alignment_mode="expand")
    if old_word is None or new_word is None:
        return False
    old, other = old_word[0], new_word[0]
    return (old.tag_, old.dep_) == (other.tag_, other.dep_)


def _heads(old: str, new: str) -> tuple[str, str]:
    return old.rpartition(" ")[2], new.rpartition(" ")[2]
