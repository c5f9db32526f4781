"""Declaratives become questions: where that is sure, and as many places where it is not."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import cases
from mt_gate.domain import map_span
from mt_gate_suites.ner.nearness import is_near_a_name
from mt_gate_suites.ner.structural import questions, to_question


@cases("ner/structural")
def test_questions(nlp: Language, statement: str, question: str) -> None:
    rewrite = to_question(nlp(statement))
    assert (rewrite.text if rewrite else "") == question
    end = 0
    for block in rewrite.alignment if rewrite else ():
        old = statement[block.source : block.source + block.length]
        new = question[block.follow_up : block.follow_up + block.length]
        assert old.lower() == new.lower()
        assert old[1:] == new[1:]
        assert block.source >= end
        end = block.source + block.length


@cases("ner/plain-questions")
def test_plain_questions(nlp: Language, text: str, question: str) -> None:
    (made,) = questions([nlp(text)], nlp)
    assert [rewrite.text for rewrite in made] == [question] * bool(question)


def test_names_and_moved_auxiliaries_are_aligned_changed_verbs_are_not(nlp: Language) -> None:
    before = "Belarus shares a border with Russia."
    rewrite = to_question(nlp(before))
    assert rewrite
    spans = {word: map_span(rewrite.alignment, before.index(word), before.index(word) + len(word))
             for word in ("Belarus", "shares", "Russia")}  # fmt: skip
    assert spans.pop("shares") is None
    assert [rewrite.text[slice(*span)] for span in spans.values() if span] == list(spans)
    moved = to_question(nlp("Travellers have faced disruption in Paris."))
    assert moved
    assert map_span(moved.alignment, 11, 15) == (0, 4)


@pytest.mark.parametrize(("word", "near"), [("directed", True), ("nobody", False), ("town", False)])
def test_near_a_name(nlp: Language, word: str, *, near: bool) -> None:
    doc = nlp("The film, which nobody in the town had seen before, was directed by Anna Weber.")
    at = next(token.i for token in doc if token.text == word)
    assert is_near_a_name(doc[at : at + 1]) is near
