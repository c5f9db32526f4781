"""The head or the tail at another mention of the same."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

import making_samples
from mt_gate.domain import Entity
from mt_gate.tasks.relation_extraction import TAIL, Argument, fault, pair
from mt_gate_suites.re.coreferent.chains import CoreferentMention
from mt_gate_suites.re.coreferent.coreferent import changes
from mt_gate_suites.re.sample import HEAD, EditedSample, Sample, moved

DUNNE = (
    "Dunne was part of a famous family that also included his brother, novelist and screenwriter "
    "John Gregory Dunne; his brother's wife, author Joan Didion, survives him."
)


def sample(
    nlp: Language, text: str, head: tuple[str, str], tail: tuple[str, str], relation: str = ""
) -> Sample:
    doc = nlp(text)
    places = []
    for words, kind in (head, tail):
        start = next(re.finditer(rf"\b{re.escape(words)}", text)).start()
        places.append(Argument(start, start + len(words), kind))
    entities = tuple(sorted(Entity(*one) for one in places))
    return Sample("1", text, places[0], places[1], entities, doc, "test", relation)


def words(change: EditedSample) -> tuple[str, str]:
    head, tail = (change.text[one.start : one.end] for one in (change.head, change.tail))
    return head, tail


@pytest.mark.parametrize(
    ("text", "head", "tail", "expected"),
    [
        # The paper's Table 2.
        (
            "John is a father, he loves his child Mary.",
            ("Mary", "PERSON"),
            ("he", "PERSON"),
            [("Mary", "John")],
        ),
        # Figure 1.
        (
            "Wen Qiang was arrested, and prosecutors said his charges include bribery.",
            ("his", "PERSON"),
            ("bribery", "CRIMINAL_CHARGE"),
            [("Wen Qiang", "bribery")],
        ),
        # Table 7, the pronoun that the rules decide.
        (DUNNE, ("Joan Didion", "PERSON"), ("his", "PERSON"), [("Joan Didion", "Dunne")]),
        # Table 3's text.
        (
            "Liu Mingkang, chairman of the China Banking Regulatory Commission (CBRC), left.",
            ("Liu Mingkang", "PERSON"),
            ("China Banking Regulatory Commission", "ORGANIZATION"),
            [("Liu Mingkang", "CBRC")],
        ),
        # Both arguments move, each on its own.
        (
            "Anna Smith leads the Labour Party of Norway (LPN), and she lives in Oslo.",
            ("Anna Smith", "PERSON"),
            ("Labour Party of Norway", "ORGANIZATION"),
            [("she", "Labour Party of Norway"), ("Anna Smith", "LPN")],
        ),
    ],
)
def test_arguments_move(
    nlp: Language,
    text: str,
    head: tuple[str, str],
    tail: tuple[str, str],
    expected: list[tuple[str, str]],
) -> None:
    source = sample(nlp, text, head, tail)
    made = changes(source)
    assert [words(one) for one in made] == expected
    for one in made:
        assert one.text == text
        assert (one.head.type, one.tail.type) == (head[1], tail[1])
        assert fault(pair(one.text, one.head, one.tail)) == ""
        assert one.alignment[0].length == len(text)
        assert one.stratum


def test_the_pronoun_of_table_7_that_no_rule_decides(nlp: Language) -> None:
    source = sample(nlp, DUNNE, ("Joan Didion", "PERSON"), ("his", "PERSON"))
    start = DUNNE.index("his brother's")
    source = source._replace(tail=Argument(start, start + 3, "PERSON"))
    assert changes(source) == []
    assert words(moved(source, TAIL, Argument(0, 5, "PERSON"))) == ("Joan Didion", "Dunne")


@pytest.mark.parametrize(
    ("text", "head", "tail", "relation"),
    [
        # Head and tail name the same.
        (
            "The China Banking Regulatory Commission (CBRC) published its report.",
            ("China Banking Regulatory Commission", "ORGANIZATION"),
            ("CBRC", "ORGANIZATION"),
            "",
        ),
        ("John is a father, he works.", ("John", "PERSON"), ("he", "PERSON"), ""),
        # A name is not a pronoun.
        (
            "Toyota opened its plant, Lexus.",
            ("Toyota", "ORGANIZATION"),
            ("Lexus", "ORGANIZATION"),
            "org:alternate_names(e1,e2)",
        ),
        # Head and tail become the same words.
        (
            "The show on ABC was televised on the American Broadcasting Company (ABC) in March.",
            ("ABC", "ORGANIZATION"),
            ("American Broadcasting Company", "ORGANIZATION"),
            "",
        ),
        # What a relative clause hangs on is not sure: the idea, or the care.
        (
            "I had another idea to do with child care that was stroller related.",
            ("idea", ""),
            ("child care", ""),
            "",
        ),
        # His brother's wife, or his own.
        (
            "Here he joined his younger brother William and his wife Jane.",
            ("William", "PERSON"),
            ("Jane", "PERSON"),
            "",
        ),
        (
            "Longfellow met the industrialist Nathan Appleton and his family in Boston.",
            ("Nathan Appleton", "PERSON"),
            ("Boston", "CITY"),
            "",
        ),
        # The same party twice.
        (
            "The United Democratic Front (UDF) and the UDF left.",
            ("UDF", "ORGANIZATION"),
            ("UDF", "ORGANIZATION"),
            "",
        ),
        # Joel is in the longer name, and a word.
        (
            "The duo was known as Joel & Luke, and Joel was born in Sydney.",
            ("Joel", "PERSON"),
            ("Sydney", "CITY"),
            "",
        ),
        ("Jana means yesterday, and here is her story.", ("Jana", ""), ("story", ""), ""),
        ("The name John Smith is his.", ("John Smith", "PERSON"), ("name", ""), ""),
        # Whose fields they are is not said.
        (
            "The seeds have been blown into their fields by wind or deposited by birds.",
            ("seeds", ""),
            ("fields", ""),
            "",
        ),
        # A band's name.
        (
            "The label signed Bill Haley and His Comets in Boston.",
            ("Bill Haley", "PERSON"),
            ("Boston", "CITY"),
            "",
        ),
        # Half a name: the institute is Hong Kong's.
        (
            "Anna Smith leads the Hong Kong Institute of Vocational Education (IVE) in Boston.",
            ("IVE", "ORGANIZATION"),
            ("Boston", "CITY"),
            "",
        ),
        # No other mention.
        ("John Smith works in Oslo.", ("John Smith", "PERSON"), ("Oslo", "CITY"), ""),
        ("Oslo and Bergen grow.", ("Oslo", "CITY"), ("Bergen", "CITY"), ""),
        # More than one candidate.
        (
            "Paul Smith told John Jones that he was born in Oslo.",
            ("Paul Smith", "PERSON"),
            ("Oslo", "CITY"),
            "",
        ),
    ],
)
def test_nothing_moves(
    nlp: Language, text: str, head: tuple[str, str], tail: tuple[str, str], relation: str
) -> None:
    assert changes(sample(nlp, text, head, tail, relation)) == []


def test_a_person_whom_only_the_sample_knows_may_be_meant(nlp: Language) -> None:
    text = "John Smith said in Oslo that he was ill."
    source = sample(nlp, text, ("John Smith", "PERSON"), ("Oslo", "CITY"))
    assert [words(one) for one in changes(source)] == [("he", "Oslo")]
    typed = tuple(sorted({*source.entities, Entity(text.index("Oslo"), 22, "PERSON")}))
    assert changes(source._replace(entities=typed)) == []


def test_pairs_of_a_text_are_sound(nlp: Language) -> None:
    text = (
        "Barack Obama, who was born in Honolulu, said his wife Michelle works for the University "
        "of Chicago (UOC), and Toyota opened its plant in Ohio."
    )
    doc = nlp(text)
    names = ["Barack Obama", "Honolulu", "Michelle", "University of Chicago", "Toyota", "Ohio"]
    kinds = ["PERSON", "CITY", "PERSON", "ORGANIZATION", "ORGANIZATION", "STATE_OR_PROVINCE"]
    places = [text.index(name) for name in names]
    spans = [Argument(a, a + len(n), k) for a, n, k in zip(places, names, kinds, strict=True)]
    entities = tuple(Entity(*one) for one in spans)
    made = 0
    for head, tail in itertools.permutations(spans, 2):
        source = Sample("1", text, head, tail, entities, doc)
        found = changes(source)
        assert found == changes(source)
        assert len(found) <= 2
        for one in found:
            made += 1
            assert fault(pair(one.text, one.head, one.tail)) == ""
            assert (one.head == head) != (one.tail == tail)
    assert made >= 10


class Given:
    """Mentions that the test names."""

    def __init__(self, mentions: list[CoreferentMention]) -> None:
        self._mentions = mentions

    def mentions(self, doc: Doc, start: int, end: int, kind: str = "") -> list[CoreferentMention]:
        del doc, end, kind
        return self._mentions if start == 0 else []


@given(st.integers(0, 20), st.integers(1, 6))
def test_no_change_overlaps_the_other_argument(nlp: Language, at: int, length: int) -> None:
    text = "John knows Mary and he sleeps."
    source = sample(nlp, text, ("John", ""), ("Mary", ""))
    mention = CoreferentMention(at, min(at + length, len(text)), 0.9, "name")
    for one in changes(source, Given([mention])):
        assert fault(pair(one.text, one.head, one.tail)) == ""


def test_the_best_mention_is_taken(nlp: Language) -> None:
    source = sample(nlp, "John knows Mary and he sleeps.", ("John", ""), ("Mary", ""))
    best, other = CoreferentMention(20, 22, 0.9, "chain"), CoreferentMention(23, 29, 0.5, "chain")
    (made,) = changes(source, Given([best, other]))
    assert made == moved(source, HEAD, Argument(20, 22))._replace(stratum="chain")


@pytest.mark.parametrize(
    "text",
    [
        # Irons said so, whatever a parser takes the word for.
        "After a band meeting with [manager|TITLE] [Lindy Goetz|PERSON], Irons subsequently left "
        "the group, saying that he did not want to be part of a band.",
        # He and him are one who is not named.
        "By the time he decides to quit his job, though, [Erin|PERSON] feels kinder towards him "
        "and leaves for [Boston|CITY].",
        # A film.
        "For his next appearances, the drama The Departed ([2006|DATE]) and the drama "
        "[J. Edgar|PERSON] (2011), he garnered nominations.",
        "He starred in the film [Annie Hall|PERSON], and he lived in [Boston|CITY].",
        # No person: it is said to be a station.
        "[Don Mills|PERSON] is a subway station, and his name was given by [Toronto|CITY].",
    ],
)
def test_nothing_where_another_may_be_meant(nlp: Language, text: str) -> None:
    assert changes(making_samples.sample(nlp, text)) == []


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "After a band meeting in [Boston|CITY], [Lindy Goetz|PERSON] said that he was done.",
            "After a band meeting in [Boston|CITY], Lindy Goetz said that [he|PERSON] was done.",
        ),
        (
            "When he left [Boston|CITY], [Lindy Goetz|PERSON] was happy.",
            "When [he|PERSON] left [Boston|CITY], Lindy Goetz was happy.",
        ),
        (
            "The film was made by [Lindy Goetz|PERSON], who lives in [Boston|CITY].",
            "The film was made by Lindy Goetz, [who|PERSON] lives in [Boston|CITY].",
        ),
    ],
)
def test_the_one_who_is_meant(nlp: Language, text: str, made: str) -> None:
    assert made in [
        making_samples.marked(change) for change in changes(making_samples.sample(nlp, text))
    ]
