"""Words and phrases of a sentence replaced, filtered, and checked by the parser.

TIN (ESEC/FSE 2023), section 3.1.1 (similar sentence generation) and 3.1.4
(filters). Of what a slot is offered, the best that passes every check is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from mt_gate.building.ner.edits import replaced
from mt_gate.building.ner.filters import Filters
from mt_gate.building.ner.noun_phrases import PhraseSlot, Usage, noun_phrases, same_kind
from mt_gate.building.ner.rewrite import Rewrite
from mt_gate.building.ner.word_slots import WordSlot, word_slots
from mt_gate.language.forms import tags
from mt_gate.language.opening import Tools
from mt_gate.language.tools import Fill, Phrases, Slot

CANDIDATES = 10
"""The paper's top 10."""
PHRASES = 40
"""Phrases near a phrase that are looked at; most differ in number or in their article."""
LIKENESS = 2.0
"""What a cosine of 1 is worth beside the log ratio, when the best candidate is chosen."""


class Option(NamedTuple):
    """A candidate with its scores."""

    rewrite: Rewrite
    slot: Slot
    new: str
    fit: float
    similarity: float


class Replacer:
    """Replaces words and phrases of parsed sentences."""

    def __init__(self, tools: Tools, filters: Filters, nlp: Language, usage: Usage) -> None:
        """Use ``usage`` of the corpora as phrases that may be put in."""
        self._tools = tools
        self._filters = filters
        self._nlp = nlp
        self._usage = usage
        self._phrases: list[Phrases] = tools.phrases(usage.phrases())

    @property
    def names(self) -> dict[str, str]:
        """The tools used, for the head of a suite."""
        names = " + ".join(phrases.name for phrases in self._phrases)
        return {**self._tools.names, "candidate phrases": names}

    def words(self, docs: Sequence[Doc]) -> list[list[Rewrite]]:
        """Replace each verb and adjective that may be; a list a sentence."""
        slots = [(doc, slot) for doc in docs for slot in word_slots(doc, self._tools.wordnet)]
        offers = self._tools.fillers.fill([slot.slot for _, slot in slots], CANDIDATES)
        fitting = [
            (doc, slot.slot, [fill for fill in fills if self._word_fits(slot, fill.text)])
            for (doc, slot), fills in zip(slots, offers, strict=True)
        ]
        return self._chosen(docs, fitting)

    def phrases(self, docs: Sequence[Doc]) -> list[list[Rewrite]]:
        """Replace each noun phrase that may be; a list a sentence."""
        slots = [(doc, slot) for doc in docs for slot in noun_phrases(doc, self._tools.wordnet)]
        offers = self._offered([slot for _, slot in slots])
        questions = [(slot.slot, new) for (_, slot), new in zip(slots, offers, strict=True)]
        fits = self._tools.fit.fit(questions, CANDIDATES)
        fitting = [(doc, slot.slot, fills) for (doc, slot), fills in zip(slots, fits, strict=True)]
        return self._chosen(docs, fitting)

    def _word_fits(self, slot: WordSlot, word: str) -> bool:
        """Whether a word has the tag of what it replaces, and is no form or opposite of it."""
        wordnet = self._tools.wordnet
        if slot.tag not in tags(word) or not wordnet.knows(word):
            return False
        pos = "VERB" if slot.tag.startswith("V") else "ADJ"
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
        return (
            fill.score >= self._filters.similarity
            and self._usage.attested(fill.text, slot.number, slot.frame)
            and same_kind(old, fill.text, self._tools.wordnet)
            # One phrase within the other says less, or says twice what is said beside it.
            and not words.issuperset(fill.text.split())
            and not words.issubset(fill.text.split())
            and not self._tools.wordnet.are_opposite(*_heads(old, fill.text), "NOUN")
        )

    def _chosen(
        self, docs: Sequence[Doc], offers: Sequence[tuple[Doc, Slot, Sequence[Fill]]]
    ) -> list[list[Rewrite]]:
        """Return the best option of each slot that passes every filter, by sentence."""
        found: dict[int, list[Rewrite]] = {id(doc): [] for doc in docs}
        for doc, options in self._alike(offers):
            natural = self._natural(doc, options)
            for option in natural:
                if self._parses_alike(doc, option):
                    found[id(doc)].append(option.rewrite)
                    break
        return [found[id(doc)] for doc in docs]

    def _alike(
        self, offers: Sequence[tuple[Doc, Slot, Sequence[Fill]]]
    ) -> Iterator[tuple[Doc, list[Option]]]:
        """Yield for each slot what passes the semantic filter, best first."""
        tried = [
            (doc, slot, fill, rewrite)
            for doc, slot, fills in offers
            for fill in fills
            if fill.score >= self._filters.fit and (rewrite := replaced(slot, fill.text))
        ]
        pairs = [(slot, slot.filled(fill.text)) for _, slot, fill, _ in tried]
        likeness = self._tools.similarity.similarity(pairs)
        by_slot: dict[tuple[int, Slot], tuple[Doc, list[Option]]] = {}
        for (doc, slot, fill, rewrite), similar in zip(tried, likeness, strict=True):
            if similar >= self._filters.similarity:
                option = Option(rewrite, slot, fill.text, fill.score, similar)
                by_slot.setdefault((id(doc), slot), (doc, []))[1].append(option)
        for doc, options in by_slot.values():
            yield doc, sorted(options, key=lambda o: (-o.fit - LIKENESS * o.similarity, o.new))

    def _natural(self, doc: Doc, options: Sequence[Option]) -> list[Option]:
        """Return what passes the syntactic filter."""
        fall = self._filters.naturalness_fall
        if fall >= 1 or not options:
            return list(options)
        texts = [doc.text, *(option.rewrite.text for option in options)]
        source, *others = self._tools.naturalness.naturalness(texts)
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
        names = [(e.text, e.label_) for e in doc.ents]
        return (
            sorted(before) == sorted(after)
            and names == [(e.text, e.label_) for e in new.ents]
            and _heads_alike(doc, new, option, grown)
        )


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
