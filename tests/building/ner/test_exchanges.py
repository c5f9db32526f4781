"""Words and phrases by the table: what is put in, in which form, and where nothing is."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate.building.ner.exchange_conditions import conditions
from mt_gate.building.ner.exchanges import phrases, table, words
from mt_gate.lexicons.reading import rows


def made(nlp: Language, text: str, kind: str) -> set[str]:
    build = words if kind == "words" else phrases
    return {rewrite.text for rewrite in build([nlp(text)], nlp)[0]}


@pytest.mark.parametrize(
    ("kind", "text", "follow_up"),
    [
        ("words", "Anna Weber bought a house in Oslo.", "Anna Weber purchased a house in Oslo."),
        (
            "words",
            "The town is located in northern Germany.",
            "The town is situated in northern Germany.",
        ),
        (
            "words",
            "The film stars Tom Hanks and Meg Ryan.",
            "The film features Tom Hanks and Meg Ryan.",
        ),
        ("words", "Oslo is the largest city in Norway.", "Oslo is the biggest city in Norway."),
        (
            "phrases",
            "The company is owned by Walt Disney.",
            "The company belongs to Walt Disney.",
        ),
        (
            "phrases",
            "The film was released in Germany in 1994.",
            "The film came out in Germany in 1994.",
        ),
        (
            "phrases",
            "He lives in Berlin because of Anna Weber.",
            "He lives in Berlin owing to Anna Weber.",
        ),
        (
            "phrases",
            "The show is an American television series created by Anna Weber.",
            "The show is an American TV series created by Anna Weber.",
        ),
    ],
)
def test_what_is_put_in(nlp: Language, kind: str, text: str, follow_up: str) -> None:
    assert follow_up in made(nlp, text, kind)


def test_the_article_and_the_form_follow(nlp: Language) -> None:
    text = "Anna Weber met a native language teacher and an enormous crowd in Oslo."
    assert "a huge crowd" in " ".join(made(nlp, text, "words"))
    assert "Anna Weber has lived in Oslo." not in made(nlp, "Anna Weber resided in Oslo.", "words")
    assert "Anna Weber lived in Oslo." in made(nlp, "Anna Weber resided in Oslo.", "words")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("words", "Anna Weber bought time in Oslo."),  # another sense of buy
        ("words", 'Anna Weber sang "he bought a house in Oslo" there.'),  # quoted
        ("words", "The bought-in parts came from Oslo."),  # within a compound word
        ("phrases", "The Xbox is a video game console made in Berlin."),  # part of a compound
        ("phrases", "His case came before the Supreme Court."),  # another sense of before
        ("phrases", "He left after his brother convinces Anna Weber."),  # after a clause's verb
        ("phrases", "The river ends in a large delta in Egypt."),  # no river comes to an end
        ("phrases", "The club plays its home games at Wembley."),  # baseball has no matches
    ],
)
def test_where_nothing_is_put_in(nlp: Language, kind: str, text: str) -> None:
    assert made(nlp, text, kind) == set()


def test_no_word_twice(nlp: Language) -> None:
    text = "Anna Weber purchased the house that Boris bought in Oslo."
    assert not any(new.count("bought") > 1 for new in made(nlp, text, "words"))


def test_edits_far_from_names_are_not_made(nlp: Language) -> None:
    near = "The film was released in Germany."
    far = "Although nobody there had thought it likely at all, a film was released in a small town."
    assert made(nlp, near, "phrases")
    assert not made(nlp, far, "phrases")


def test_names_stay_as_the_parser_sees_them(nlp: Language) -> None:
    for rewrite in phrases([nlp("The film was released in Germany.")], nlp)[0]:
        kept = [rewrite.text[b.follow_up : b.follow_up + b.length] for b in rewrite.alignment]
        assert any("Germany" in text for text in kept)


@pytest.mark.parametrize("section", ["words", "phrases"])
def test_the_table_reads(section: str) -> None:
    entries = rows("ner/exchanges", section, 4)
    kinds = {kind for kind, *_ in entries}
    assert kinds <= {"verb", "adjective", "noun", "fixed"}
    assert all(one.old != one.new for several in table(entries).values() for one in several)


def test_most_phrases_have_two_words_or_more_on_a_side() -> None:
    table_of = rows("ner/exchanges", "phrases", 4)
    long = [1 for _, old, new, _ in table_of if " " in old or " " in new]
    assert len(long) > 0.9 * len(table_of)


def test_a_word_gives_way_to_one_word() -> None:
    assert not any(" " in old or " " in new for _, old, new, _ in rows("ner/exchanges", "words", 4))


def test_an_unknown_condition_is_an_error() -> None:
    with pytest.raises(ValueError, match="no condition"):
        conditions("weather=fine")
