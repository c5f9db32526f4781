"""Words and phrases by the table: what is put in, in which form, and where nothing is."""

from __future__ import annotations

import pytest
from spacy.language import Language

from cases import cases
from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.ner.exchanges import phrases, read_table, words


@cases("ner/exchanges")
def test_exchanges(nlp: Language, kind: str, text: str, follow_ups: str) -> None:
    build = words if kind == "words" else phrases
    made = sorted(rewrite.text for rewrite in build([nlp(text)], nlp)[0])
    assert " | ".join(made) == follow_ups


@cases("ner/conditions")
def test_conditions(nlp: Language, text: str, word: str, conditions: str, true: str) -> None:
    doc = nlp(text)
    at = next(token.i for token in doc if token.text == word)
    (entry,) = read_table((("fixed", word, "other", conditions),))[word]
    assert all(one.is_true(doc[at : at + 1]) for one in entry.where) is bool(true)


def test_an_unknown_condition_is_an_error() -> None:
    with pytest.raises(ValueError, match="no condition"):
        read_table((("fixed", "big", "large", "weather=fine"),))


@pytest.mark.parametrize("section", ["words", "phrases"])
def test_the_table_reads(section: str) -> None:
    entries = rows("ner/exchanges", section, 4)
    assert {kind for kind, *_ in entries} <= {"verb", "adjective", "noun", "fixed"}
    assert all(one.old != one.new for several in read_table(entries).values() for one in several)
    long = sum(" " in old or " " in new for _, old, new, _ in entries)
    assert long > 0.9 * len(entries) if section == "phrases" else long == 0
