"""Typed mentions: the right type and the whole name, or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from spacy.language import Language

from mt_gate.tasks.relation_extraction import TYPES
from mt_gate_suites.re.entities.entities import typed_entities
from mt_gate_suites.sentences import rows_of


def mentions(nlp: Language, text: str) -> dict[str, str]:
    return {text[e.start : e.end]: e.label for e in typed_entities(nlp(text))}


@pytest.mark.parametrize(
    ("text", "mention", "kind"),
    [
        ("Barack Obama visited the United States in May 2009.", "Barack Obama", "PERSON"),
        ("Barack Obama visited the United States in May 2009.", "United States", "COUNTRY"),
        ("Barack Obama visited the United States in May 2009.", "May 2009", "DATE"),
        ("He moved to California with John Smith.", "California", "STATE_OR_PROVINCE"),
        ("Mary Jones was born in San Francisco.", "San Francisco", "CITY"),
        ("Mary Jones studied at Stanford University.", "Stanford University", "ORGANIZATION"),
        ("The ship sank in the Pacific Ocean in 1951.", "Pacific Ocean", "LOCATION"),
        ("The French filmmaker Claude Berri died in Paris.", "French", "NATIONALITY"),
        ("She was the first Republican governor.", "Republican", "IDEOLOGY"),
        ("John Smith, 46, lives in London.", "46", "NUMBER"),
        ("The 46-year-old banker met Anna Smith.", "46-year-old", "DURATION"),
        ("The company paid $5 million to Peter Brown.", "$5 million", "MONEY"),
        ("The deal gave Mary Smith 40 percent of the shares.", "40 percent", "PERCENT"),
        ("The actress Zooey Deschanel grew up in Los Angeles.", "actress", "TITLE"),
        ("Tony Blair served as prime minister until 2007.", "prime minister", "TITLE"),
        ("Steve Jobs, the chief executive, resigned on Tuesday.", "chief executive", "TITLE"),
    ],
)
def test_types(nlp: Language, text: str, mention: str, kind: str) -> None:
    assert mentions(nlp, text)[mention] == kind


def test_possessive_title_and_article_stay_outside(nlp: Language) -> None:
    found = mentions(nlp, "In 2001 President Bill Clinton's wife left the United Kingdom.")
    assert {"President", "Bill Clinton", "United Kingdom"} <= set(found)


def test_last_name_alone_is_a_person_where_the_full_name_is_there(nlp: Language) -> None:
    text = "John Meusebach wrote to a friend, and Meusebach's letter was kept."
    assert list(mentions(nlp, text)) == ["John Meusebach", "Meusebach"]


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("He taught at the University of Nova Scotia in 1990.", "University"),
        ("In 1950 he served under the Duke of Norfolk.", "Norfolk"),
        ("He is the author of the Obama administration's plan.", "Obama"),
        ("The Herschel spacecraft was placed in orbit.", "Herschel"),
        ("NGC 230 is a spiral galaxy.", "230"),
        ('The novel "Alice" was printed in 1970.', "Alice"),
        ("A Paris-based firm hired Anna Smith.", "Paris"),
        ("He took one of the books.", "one"),
        ("The name London was first used in 1945.", "London"),
        ("The actors Barry Morse and Anna Smith met in 1950.", "actors"),
    ],
)
def test_half_names_and_doubtful_ones_are_left_out(nlp: Language, text: str, half: str) -> None:
    assert half not in mentions(nlp, text)


def test_a_sentence_without_names_has_none(nlp: Language) -> None:
    assert typed_entities(nlp("The dog slept under the table.")) == ()


def test_mentions_of_real_text_are_sorted_disjoint_and_of_known_types(
    nlp: Language, shared: Path
) -> None:
    rows = rows_of(shared / "data" / "re" / "fewrel_val_sample.jsonl", ("tokens",))
    texts = [" ".join(row["tokens"]) for _, row in rows][:200]
    found = [typed_entities(doc) for doc in nlp.pipe(texts)]
    assert sum(map(len, found)) > 200
    for text, entities in zip(texts, found, strict=True):
        ends = [0, *(entity.end for entity in entities)]
        assert all(end <= entity.start for end, entity in zip(ends, entities, strict=False))
        assert all(text[e.start : e.end].strip() == text[e.start : e.end] for e in entities)
        assert {entity.label for entity in entities} <= TYPES


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ("Tierpark Berlin and Weather Report met Anna Smith in London.", "Weather Report"),
        ("His team won a gold medal in 2009 and 2011 Southeast Asian Games.", "2009"),
        ("Anna Smith has two sons and 304 games to her name.", "two"),
        ("Anna Smith has two sons and 304 games to her name.", "304"),
        ("Peter Brown played American football in London.", "American"),
        ("King George and his wife Charlotte met Anna Smith.", "Charlotte"),
        ("Roman Catholicism is the faith of Anna Smith.", "Roman Catholicism"),
        ("Peter Brown played in the 1980 Summer Olympics.", "Summer Olympics"),
    ],
)
def test_what_is_no_mention_of_its_own(nlp: Language, text: str, torn: str) -> None:
    assert torn not in mentions(nlp, text)


@pytest.mark.parametrize(
    ("text", "mention", "kind"),
    [
        ("Anna Smith was born in Charlotte, North Carolina.", "Charlotte", "CITY"),
        ("Peter Brown was raised in Holland, Michigan.", "Holland", "CITY"),
        ("The company of Peter Brown has 304 employees.", "304", "NUMBER"),
        ("Josephine Baker met Mark Warren.", "Mark Warren", "PERSON"),
        ("Josephine Baker met Mark Warren.", "Josephine Baker", "PERSON"),
    ],
)
def test_what_is_one(nlp: Language, text: str, mention: str, kind: str) -> None:
    assert mentions(nlp, text).get(mention) == kind


@pytest.mark.parametrize(
    ("text", "torn"),
    [
        ("The Polish Resettlement Corps was led by Anna Smith.", "Resettlement Corps"),
        ("Kingda Ka is a steel coaster in London.", "Kingda Ka"),
        ("The SAT is taken by Peter Brown in London.", "SAT"),
        ("In the 1950's Peter Brown lived in London.", "1950"),
    ],
)
def test_what_nothing_tells_is_left_out(nlp: Language, text: str, torn: str) -> None:
    assert torn not in mentions(nlp, text)


def test_an_acronym_beside_its_name_is_an_organisation(nlp: Language) -> None:
    text = "The National Basketball Association (NBA) signed Peter Brown."
    assert mentions(nlp, text).get("NBA") == "ORGANIZATION"
