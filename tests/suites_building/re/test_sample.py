"""Samples edited: spans follow the words, and a change that loses an argument is none."""

from __future__ import annotations

from spacy.language import Language

from making_samples import is_aligned, marked, sample
from mt_gate.tasks.relation_extraction import Argument
from mt_gate_suites.re.sample import HEAD, TAIL, moved, rewritten

TEXT = "[Anna|PERSON] left an [Austrian|NATIONALITY] firm."


def test_words_and_arguments(nlp: Language) -> None:
    source = sample(nlp, TEXT)
    assert source.argument(HEAD) == source.head
    assert source.argument(TAIL) == source.tail
    assert source.words(source.tail) == "Austrian"


def test_an_argument_gives_way_to_other_words_and_the_other_follows(nlp: Language) -> None:
    source = sample(nlp, TEXT)
    change = rewritten(source, HEAD, "Maria Berg", "PERSON", stratum="rare")
    assert change is not None
    assert marked(change) == "[Maria Berg|PERSON] left an [Austrian|NATIONALITY] firm."
    assert change.stratum == "rare"
    assert is_aligned(source, change)


def test_edits_elsewhere_go_with_it(nlp: Language) -> None:
    source = sample(nlp, TEXT)
    start = source.text.index("an ")
    change = rewritten(source, TAIL, "French", "NATIONALITY", more=[(start, start + 2, "a")])
    assert change is not None
    assert marked(change) == "[Anna|PERSON] left a [French|NATIONALITY] firm."


def test_an_edit_of_the_other_argument_is_no_change(nlp: Language) -> None:
    source = sample(nlp, TEXT)
    assert rewritten(source, TAIL, "French", "NATIONALITY", more=[(0, 4, "Bo")]) is None


def test_an_argument_moves_and_the_text_stays(nlp: Language) -> None:
    source = sample(nlp, "[John|PERSON] says he is of [Oslo|CITY].")
    change = moved(source, HEAD, Argument(10, 12, "PERSON"))
    assert marked(change) == "John says [he|PERSON] is of [Oslo|CITY]."
    assert is_aligned(source, change)
