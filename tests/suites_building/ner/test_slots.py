"""Words and noun phrases that another may replace, and the use of phrases in corpora."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import cases, table
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.ner.slots import Usage, noun_phrases, same_kind, word_slots


@cases("ner/slots")
def test_slots(nlp: Language, wordnet_folder: str, text: str, words: str, phrases: str) -> None:
    doc, wordnet = nlp(text), WordNet(wordnet_folder)
    assert " | ".join(one.slot.filler for one in word_slots(doc, wordnet)) == words
    actual = (f"{p.slot.filler}, {p.number}, {p.frame}" for p in noun_phrases(doc, wordnet))
    assert " | ".join(actual) == phrases


def test_usage_knows_what_was_seen(nlp: Language) -> None:
    usage = Usage()
    for text in ("Anna bought a small house.", "Boris has a small house.", "Anna sold houses."):
        usage.add(nlp(text))
    assert "small house" in usage.phrases()
    assert "houses" not in usage.phrases(), "seen once"
    assert usage.attested("small house", "singular", "a")
    assert usage.attested("tiny house", "singular", "a"), "its head was seen so"
    assert not usage.attested("small house", "singular", "bare")
    assert not usage.attested("castle", "singular", "a")


@pytest.mark.parametrize(("old", "new", "same"), table(__file__, "kinds_of_things"))
def test_kinds_of_things(wordnet_folder: str, old: str, new: str, *, same: bool) -> None:
    assert same_kind(old, new, WordNet(wordnet_folder)) is same
