"""What transformations choose hangs on seed, relation and text alone."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.text.transformation import (
    OfDoc,
    OfDocs,
    OfText,
    Parser,
    chooser,
    common,
    rewrites_of,
)


def numbered(text: str, rng: Random) -> list[Rewrite]:
    return [edited(text, [(0, 0, f"{rng.randrange(1000)} ")])]


def test_the_same_seed_chooses_the_same() -> None:
    assert chooser(1, "text/a", "x").random() == chooser(1, "text/a", "x").random()
    renamed, before = "text/place-replacement", "text/place-exchange"
    assert chooser(1, renamed, "x").random() == chooser(1, before, "x").random()
    others = {chooser(*key).random() for key in [(1, "a", "x"), (2, "a", "x"), (1, "b", "x")]}
    assert len(others) == 3


def test_a_text_s_follow_ups_hang_on_no_other_text() -> None:
    alone = rewrites_of(OfText(numbered), ["b"], None, 1, "text/a")
    among = rewrites_of(OfText(numbered), ["a", "b", "c"], None, 1, "text/a")
    assert among[1] == alone[0]


def test_follow_ups_that_are_their_source_are_gone() -> None:
    unchanged = OfText(lambda text, _: [edited(text, [])])
    assert rewrites_of(unchanged, ["a", "b"], None, 1, "text/a") == [[], []]


def test_parsed_texts_come_in_their_order(nlp: Language) -> None:
    def counted(doc: Doc, _: Random) -> list[Rewrite]:
        return [edited(doc.text, [(0, 0, f"{len(doc)} ")])]

    def all_counted(docs: Sequence[Doc], _: Language) -> list[list[Rewrite]]:
        return [counted(doc, Random(0)) for doc in docs]

    for how in (OfDoc(counted), OfDocs(all_counted)):
        actual = rewrites_of(how, ["One.", "One two."], Parser(nlp), 1, "text/a")
        assert [one.text for (one,) in actual] == ["2 One.", "3 One two."]


@given(st.text("ab c", max_size=12), st.text("ab c", max_size=12))
def test_common_ends_are_the_same_text(before: str, after: str) -> None:
    at = 0
    for source, follow_up, length in common(before, after):
        assert length > 0
        assert source >= at
        assert before[source : source + length] == after[follow_up : follow_up + length]
        at = source + length
    assert common(before, before) == (((0, 0, len(before)),) if before else ())
