"""Questions that lack words or agreement are no sources; well-formed ones are."""

from __future__ import annotations

from spacy.language import Language

from cases import cases
from making_questions import read
from mt_gate.language.wordnet import WordNet
from mt_gate_suites.boolq.faults import question_fault


@cases("boolq/faults")
def test_faults(
    nlp: Language, wordnet_folder: str, question: str, fault: str, title: str, passage: str
) -> None:
    actual = question_fault(read(nlp, question, passage, title), WordNet(wordnet_folder))
    assert (actual or "") == fault
