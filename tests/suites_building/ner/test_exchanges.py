"""Words and phrases by the table: what is put in, in which form, and where nothing is."""

from __future__ import annotations

import pytest
from spacy.language import Language

from mt_gate_suites.lexicons.reading import rows
from mt_gate_suites.ner.exchange_conditions import conditions
from mt_gate_suites.ner.exchanges import phrases, table, words


def made(nlp: Language, text: str, kind: str) -> set[str]:
    build = words if kind == "words" else phrases
    return {rewrite.text for rewrite in build([nlp(text)], nlp)[0]}


@pytest.mark.parametrize(
    ("kind", "text", "follow_up"),
    [
        ("words", "Anna Weber resided in Oslo.", "Anna Weber lived in Oslo."),
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
        ("phrases", "The town is also known as Oslo.", "The town is also called Oslo."),
        ("phrases", "Anna Weber resigned in Oslo.", "Anna Weber stepped down in Oslo."),
        (
            "phrases",
            "He lives in Berlin due to Anna Weber.",
            "He lives in Berlin because of Anna Weber.",
        ),
        (
            "phrases",
            "The show is an American television series created by Anna Weber.",
            "The show is an American television program created by Anna Weber.",
        ),
    ],
)
def test_what_is_put_in(nlp: Language, kind: str, text: str, follow_up: str) -> None:
    assert follow_up in made(nlp, text, kind)


def test_the_article_and_the_form_follow(nlp: Language) -> None:
    text = "Oslo is an important town in Norway."
    assert made(nlp, text, "words") == {"Oslo is a major town in Norway."}
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
    near = "Bergen is a coastal town in Norway."
    far = "Although nobody there had thought it likely at all, she grew up in a small coastal town."
    assert made(nlp, near, "phrases")
    assert not made(nlp, far, "phrases")


def test_names_stay_as_the_parser_sees_them(nlp: Language) -> None:
    for rewrite in phrases([nlp("Bergen is a coastal town in Germany.")], nlp)[0]:
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
