"""Replace words and phrases of a sentence, filter the results, and check them with the parser.

TIN (ESEC/FSE 2023), section 3.1.1 (similar sentence generation) and 3.1.4
(filters). Each slot gets the best candidates that pass every check.
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
from mt_gate.language.tools import Fill, Slot
from mt_gate_suites.grammar import untouchable
from mt_gate_suites.grammar.rewrite import Rewrite, replaced
from mt_gate_suites.ner.exchanges import parses_alike
from mt_gate_suites.ner.slots import (
    LIGHT_VERBS,
    SEEN_AT_LEAST,
    VAGUE,
    PhraseSlot,
    Usage,
    WordSlot,
    noun_phrases,
    same_kind,
    word_slots,
)
from mt_gate_suites.recipe import Filters

CANDIDATES = 10
"""Candidates per slot; the paper has 10, too."""
PHRASES = 60
"""Nearest phrases that are tried for a slot; most differ from it in number or article."""
PHRASES_ALIKE = 0.65
"""Minimum similarity of two phrases without context, as in the paper."""
LIKENESS = 4.0
"""Weight of the cosine, compared with the log ratio, in the choice of a candidate."""
BEST = 4
"""Number of best options of a slot, by fit and likeness, that later filters check."""
Offer = tuple[Doc, Slot, Sequence[str]]
"""A sentence, a slot of it, and the candidates for the slot."""


class Option(NamedTuple):
    """A candidate with its rank: lower is better."""

    rank: tuple[float, str]
    rewrite: Rewrite


class Replacer:
    """Replaces words and phrases of parsed sentences."""

    def __init__(
        self,
        tools: Tools,
        filters: Filters,
        nlp: Language,
        usage: Usage,
        fills: int = 2,
        *,
        strict: bool = True,
        least: int = SEEN_AT_LEAST,
    ) -> None:
        """Insert phrases that ``usage`` has ``least`` times; make ``fills`` edits of each slot.

        Unless ``strict``, candidates need only the paper's conditions: part of speech and filters.
        """
        self._fills = fills
        self._strict = strict
        self._tools = tools
        self._filters = filters
        self._nlp = nlp
        self._usage = usage
        self._phrases = tools.phrases(usage.phrases(least))
        self.reads = tools.reads

    @property
    def names(self) -> dict[str, str]:
        """The tools used, for the metadata of a suite."""
        names = " + ".join(phrases.name for phrases in self._phrases)
        return {**self._tools.names, "candidate phrases": names}

    def words(self, docs: Sequence[Doc]) -> list[list[Rewrite]]:
        """Replace each verb and adjective that may change; return a list for each sentence."""
        slots = [(doc, slot) for doc in docs for slot in word_slots(doc, self._tools.wordnet)]
        offers = self._tools.fillers.propose([slot.slot for _, slot in slots], CANDIDATES)
        return self._choose(
            docs,
            [
                (doc, slot.slot, [word for word in words if self._word_fits(slot, word)])
                for (doc, slot), words in zip(slots, offers, strict=True)
            ],
        )

    def phrases(self, docs: Sequence[Doc]) -> list[list[Rewrite]]:
        """Replace each noun phrase that may change; return a list for each sentence."""
        slots = [(doc, slot) for doc in docs for slot in noun_phrases(doc, self._tools.wordnet)]
        offered = self._near_phrases([slot for _, slot in slots])
        questions = [(slot.slot, new) for (_, slot), new in zip(slots, offered, strict=True)]
        offers = self._tools.fit.expected(questions, CANDIDATES)
        return self._choose(
            docs,
            [(doc, slot.slot, phrases) for (doc, slot), phrases in zip(slots, offers, strict=True)],
        )

    def _word_fits(self, slot: WordSlot, word: str) -> bool:
        """Whether a word has the tag of the old one, and is no opposite, number or light verb."""
        wordnet = self._tools.wordnet
        pos = "VERB" if slot.tag.startswith("V") else "ADJ"
        if not self._strict or slot.tag not in tags(word):
            return slot.tag in tags(word)
        return (
            wordnet.knows(word)
            and not untouchable.is_counting(word)
            and LIGHT_VERBS.isdisjoint(lemmas(word, pos))
            and not wordnet.are_opposite(slot.slot.filler, word, pos)
        )

    def _near_phrases(self, slots: Sequence[PhraseSlot]) -> list[list[str]]:
        """Return for each slot the phrases of its number, frame and kind, nearest first."""
        phrases: list[dict[str, None]] = [{} for _ in slots]
        for source in self._phrases:
            near = source.similar([slot.slot.filler for slot in slots], PHRASES)
            for offered, slot, fills in zip(phrases, slots, near, strict=True):
                offered.update(dict.fromkeys(f.text for f in fills if self._phrase_fits(slot, f)))
        return [list(offered) for offered in phrases]

    def _phrase_fits(self, slot: PhraseSlot, fill: Fill) -> bool:
        old, wordnet = slot.slot.filler, self._tools.wordnet
        words, new = set(old.split()), set(fill.text.split())
        head = fill.text.rpartition(" ")[2]
        fits = fill.score >= PHRASES_ALIKE and self._usage.attested(
            fill.text, slot.number, slot.frame
        )
        if not self._strict or not fits:
            return fits
        return (
            VAGUE.isdisjoint({head, *lemmas(head, "NOUN")})
            and same_kind(old, fill.text, wordnet)
            # A phrase within the other says less, or repeats a word next to the slot.
            and not words >= new
            and not words <= new
            and not wordnet.are_opposite(old.rpartition(" ")[2], head, "NOUN")
        )

    def _choose(self, docs: Sequence[Doc], offers: Sequence[Offer]) -> list[list[Rewrite]]:
        """Return the best options of each slot that pass every filter, by sentence."""
        rewrites: dict[int, list[Rewrite]] = {id(doc): [] for doc in docs}
        best = [
            (doc, slot, self._natural(doc, options[: max(BEST, self._fills)]))
            for doc, slot, options in self._options(offers)
        ]
        parsed = self._nlp.pipe(option.rewrite.text for _, _, some in best for option in some)
        for doc, slot, some in best:
            news = zip(some, itertools.islice(parsed, len(some)), strict=True)
            passed = [option.rewrite for option, new in news if parses_alike(doc, new, slot)]
            rewrites[id(doc)] += passed[: self._fills]
        return [rewrites[id(doc)] for doc in docs]

    def _options(self, offers: Sequence[Offer]) -> Iterator[tuple[Doc, Slot, list[Option]]]:
        """Yield for each slot the options that are alike enough and fit, best first."""
        pairs = [(slot, slot.filled(new)) for _, slot, offered in offers for new in offered]
        likeness = iter(self._tools.similarity.similarity(pairs))
        alike = [
            {new: value for new in offered if (value := next(likeness)) >= self._filters.similarity}
            for _, _, offered in offers
        ]
        questions = [(slot, list(new)) for (_, slot, _), new in zip(offers, alike, strict=True)]
        fits = self._tools.fit.fit(questions, CANDIDATES)
        for (doc, slot, _), values, fills in zip(offers, alike, fits, strict=True):
            options = [
                Option((-fill.score - LIKENESS * values[fill.text], fill.text), rewrite)
                for fill in fills
                if fill.score >= self._filters.fit
                and not _says_twice(slot, fill.text)
                and (rewrite := replaced(slot, fill.text))
            ]
            yield doc, slot, sorted(options)

    def _natural(self, doc: Doc, options: Sequence[Option]) -> list[Option]:
        """Return the options that pass the syntactic filter."""
        fall = self._filters.naturalness_fall
        if fall >= 1 or not options:
            return list(options)
        texts = [doc.text, *(option.rewrite.text for option in options)]
        source, *others = self._tools.naturalness.naturalness(texts)
        if not source:  # too long for the language model
            return []
        return [o for o, value in zip(options, others, strict=True) if value >= source - fall]


def _says_twice(slot: Slot, new: str) -> bool:
    rest = set(re.findall(r"\w+", f"{slot.text[: slot.start]} {slot.text[slot.end :]}".lower()))
    return not rest.isdisjoint(set(new.split()) - set(slot.filler.split()))
