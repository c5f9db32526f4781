"""Edits one of which holds the argument in other words."""

from __future__ import annotations

from spacy.language import Language

from making_samples import is_aligned, marked, sample
from mt_gate_suites.re.rephrase_argument import said_otherwise
from mt_gate_suites.re.sample import HEAD, TAIL

TEXT = "[France|COUNTRY]'s president met [Anna|PERSON]."


def test_the_argument_stands_in_its_edit(nlp: Language) -> None:
    source = sample(nlp, TEXT)
    change = said_otherwise(source, HEAD, [(0, 8, "The French")], 0, "French", "NATIONALITY")
    assert change is not None
    assert marked(change) == "The [French|NATIONALITY] president met [Anna|PERSON]."
    assert is_aligned(source, change)


def test_it_may_stand_behind_another_edit(nlp: Language) -> None:
    source = sample(nlp, "An [Irish|NATIONALITY] poet met [Anna|PERSON].")
    edits = [(0, 2, "A"), (3, 9, ""), (13, 13, " from Ireland")]
    change = said_otherwise(source, HEAD, edits, 2, "Ireland", "COUNTRY")
    assert change is not None
    assert marked(change) == "A poet from [Ireland|COUNTRY] met [Anna|PERSON]."


def test_nothing_where_the_other_argument_is_lost(nlp: Language) -> None:
    source = sample(nlp, TEXT)
    start = source.tail.start
    edits = [(0, 6, "Spain"), (start, start + 4, "Bo")]
    assert said_otherwise(source, HEAD, edits, 0, "Spain", "COUNTRY") is None
    assert said_otherwise(source, TAIL, edits, 1, "Bo", "PERSON") is None
