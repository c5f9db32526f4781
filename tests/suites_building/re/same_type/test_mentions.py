"""Arguments in their sentence: whole names, other mentions, and sentences about names."""

from __future__ import annotations

import pytest
from spacy.language import Language

from making_samples import sample
from mt_gate_suites.re.same_type.mentions import (
    about_names,
    alike,
    among_unlike,
    has_variant,
    initials,
    is_whole,
    mention,
    other_mentions,
    ranked,
)

OSLO = "[Oslo|CITY]"


def test_a_mention_knows_what_stands_around_it(nlp: Language) -> None:
    found = mention(sample(nlp, f"Then the [Weber|PERSON] left {OSLO}."), "head")
    assert (found.words, found.before, found.after) == ("Weber", "Then the ", " left Oslo.")
    assert found.left == "the"
    assert found.has_article
    assert not mention(sample(nlp, f"[Weber|PERSON] left {OSLO}."), "head").has_article


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"[John Smith|PERSON] left {OSLO}.", True),
        (f"In 1990 [John Smith|PERSON] left {OSLO}.", True),
        (f"When [John Smith|PERSON] left {OSLO}, it rained.", True),
        (f"Anna [John Smith|PERSON] left {OSLO}.", False),
        (f"[John|PERSON] Smith left {OSLO}.", False),
        (f"The Duke of [Smith|PERSON] left {OSLO}.", False),
        (f"The [Smith|PERSON]-Meyer house is in {OSLO}.", False),
        (f'"[Smith|PERSON]" left {OSLO}.', False),
        (f"[Smith|PERSON] and Anna left {OSLO}.", False),
    ],
)
def test_whole_names(nlp: Language, text: str, whole: bool) -> None:
    assert is_whole(mention(sample(nlp, text), "head")) == whole


def test_a_title_may_stand_before(nlp: Language) -> None:
    found = mention(sample(nlp, f"We saw that Senator [Smith|PERSON] left {OSLO}."), "head")
    assert not is_whole(found)
    assert is_whole(found, may_follow=frozenset({"Senator"}))


@pytest.mark.parametrize(
    ("text", "is_ranked", "names"),
    [
        (f"[John Smith|PERSON] Jr. left {OSLO}.", True, False),
        (f"[John Smith|PERSON], Duke of York, left {OSLO}.", True, False),
        (f"[John Smith|PERSON] left {OSLO}.", False, False),
        (f"[John Smith|PERSON] was named after {OSLO}.", False, True),
        (f"[John Smith|PERSON] mistaken for another left {OSLO}.", False, True),
    ],
)
def test_ranks_and_names_as_names(nlp: Language, text: str, is_ranked: bool, names: bool) -> None:
    found = mention(sample(nlp, text), "head")
    assert (ranked(found), about_names(found)) == (is_ranked, names)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("John Smith", "Smithson", True),
        ("United Nations", "UN", True),
        ("France", "French", False),
        ("Italy", "Italian", False),
        ("Oslo", "Rome", False),
    ],
)
def test_names_made_of_each_other(one: str, other: str, same: bool) -> None:
    assert alike(one, other) == same


def test_initials() -> None:
    assert initials("Bank of England") == "BE"
    assert initials("bank") == ""


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        (f"[Carlo Baucardé|PERSON] or Boucardé left {OSLO}.", True),
        (f"[Carlo Miller|PERSON] or Berger left {OSLO}.", False),
        (f"[Carlo Miller|PERSON] left {OSLO}.", False),
    ],
)
def test_other_spellings(nlp: Language, text: str, variant: bool) -> None:
    assert has_variant(mention(sample(nlp, text), "head")) == variant


def test_other_mentions_follow(nlp: Language) -> None:
    text = f"[John Smith|PERSON] left {OSLO}, and Smith said that John Smith won."
    found = mention(sample(nlp, text), "head")
    parts = {"John Smith": "Max Berg", "Smith": "Berg"}
    edits = other_mentions(found, parts)
    assert edits is not None
    plain = text.replace("[", "").replace("|PERSON]", "").replace("|CITY]", "")
    assert [(plain[a:b], new) for a, b, new in edits] == [
        ("Smith", "Berg"),
        ("John Smith", "Max Berg"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"[John Smith|PERSON] left {OSLO} in the Smithfield.",
        f"[John Smith|PERSON] left {OSLO} with the Smith family.",
        f"[John Smith|PERSON] left {OSLO} with Johnny.",
    ],
)
def test_mentions_that_cannot_follow(nlp: Language, text: str) -> None:
    found = mention(sample(nlp, text), "head")
    assert other_mentions(found, {"John Smith": "Max Berg", "Smith": "Berg"}) is None


@pytest.mark.parametrize(
    ("text", "unlike"),
    [
        ("[Lyon|CITY], France, is old, says [Max|PERSON].", True),
        ("[Lyon|CITY] is old, says [Max|PERSON].", False),
        ("Yale, [Lyon|CITY] and [Max|PERSON] left.", True),
    ],
)
def test_names_that_a_comma_ties(nlp: Language, text: str, unlike: bool) -> None:
    found = mention(sample(nlp, text), "head")
    assert among_unlike(found, {(found.start, found.end): "city"}, "city") == unlike


def test_a_list_of_one_form_is_no_tie(nlp: Language) -> None:
    found = mention(sample(nlp, "[Lyon|CITY], [Oslo|CITY] and Rome are old."), "head")
    forms = {(0, 4): "city", (6, 10): "city"}
    assert not among_unlike(found, forms, "city")
