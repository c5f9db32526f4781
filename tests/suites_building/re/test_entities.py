"""Typed mentions: the right type and the whole name, or none."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from spacy.language import Language
from spacy.tokens import Span

from cases import read_cases, table
from making_samples import sample
from mt_gate.domain import Entity
from mt_gate.tasks.relation_extraction import TYPES
from mt_gate_suites.re.entities import Votes, find_entities, trim
from mt_gate_suites.re.titles import strip_title
from mt_gate_suites.re.wholeness import is_whole_mark

VOTING = (
    "Barack Obama was born in Hawaii.",
    "Barack Obama married Michelle Robinson.",
    "He lives in Boston with his wife.",
    "She moved to Boston in May.",
)


def _span(nlp: Language, text: str, words: str, label: str) -> Span:
    start = text.index(words)
    result = nlp(text).char_span(start, start + len(words), label=label)
    assert result is not None
    return result


@pytest.mark.parametrize("row", read_cases("re/mentions"), ids=lambda row: row["text"])
def test_mentions(nlp: Language, row: dict[str, str]) -> None:
    text = row["text"]
    actual = {text[one.start : one.end]: one.label for one in find_entities(nlp(text))}
    assert actual.get(row["mention"], "") == (row["type"] or "")


def test_mentions_of_real_text_are_sorted_disjoint_and_of_known_types(
    nlp: Language, shared: Path
) -> None:
    lines = (shared / "data" / "re" / "fewrel_val_sample.jsonl").read_text().splitlines()
    texts = [" ".join(json.loads(line)["tokens"]) for line in lines[:200]]
    actual = [find_entities(doc) for doc in nlp.pipe(texts)]
    assert sum(map(len, actual)) > 200
    for text, entities in zip(texts, actual, strict=True):
        assert all(one.end <= other.start for one, other in pairwise(entities))
        assert all(text[e.start : e.end].strip() == text[e.start : e.end] for e in entities)
        assert {entity.label for entity in entities} <= TYPES


@pytest.mark.parametrize("row", read_cases("re/whole_marks"), ids=lambda row: row["marked"])
def test_whole_marks(nlp: Language, row: dict[str, str]) -> None:
    """The first mark is the one that is whole or not; others are further mentions."""
    made = sample(nlp, f"{row['marked']} [Somebody|PERSON] left.")
    assert is_whole_mark(made.doc, Entity(*made.head), made.entities) == bool(row["whole"])


@pytest.mark.parametrize(
    ("text", "words", "label", "wanted"), table(__file__, "what_belongs_to_a_mention")
)
def test_what_belongs_to_a_mention(
    nlp: Language, text: str, words: str, label: str, wanted: str
) -> None:
    actual = trim(_span(nlp, text, words, label))
    assert (actual.text, actual.label_) == (wanted, label)


@pytest.mark.parametrize("before", ["", "President ", "Prime Minister ", "then-Minister "])
def test_names_without_their_title(nlp: Language, before: str) -> None:
    words = f"{before.removeprefix('then-')}Anna Weber"
    span = _span(nlp, f"{before}Anna Weber left Oslo.", words, "PERSON")
    assert strip_title(span).text == "Anna Weber"


@pytest.mark.parametrize(
    ("kind", "words", "agreed"),
    [
        ("PERSON", "Barack Obama", True),
        ("ORGANIZATION", "Barack Obama", False),
        ("LOCATION", "Boston", True),  # of one class: where exactly is another question
        ("PERSON", "Boston", False),
        ("DATE", "Boston", True),  # without a vote
        ("PERSON", "Nobody Known", True),
    ],
)
def test_most_mentions_decide(nlp: Language, kind: str, words: str, agreed: bool) -> None:
    assert Votes.of(nlp.pipe(VOTING)).agree(kind, words) is agreed


def test_a_corpus_and_the_pipeline_agree_on_a_person_whom_no_word_tells() -> None:
    votes = Votes({"Zorbla": {"a person for the pipeline alone": 2}})
    assert not votes.agree("PERSON", "Zorbla")
    assert votes.agree("PERSON", "Zorbla", from_corpus=True)
    assert not votes.agree("CITY", "Zorbla", from_corpus=True)
