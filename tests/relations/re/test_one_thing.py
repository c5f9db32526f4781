"""Mentions that may name one thing are never two of a combination."""

from __future__ import annotations

import pytest

from making_relations import TACRED, answered, source
from mt_gate.relations.base import FirstSource
from mt_gate.relations.re import combine_shared_head, combine_shared_tail
from mt_gate.relations.re.one_thing import may_be_one
from mt_gate.tasks.relation_extraction import Argument


def mentions(text: str) -> tuple[str, Argument, Argument]:
    """Return a text without its two brackets, and what stood in them."""
    first, second = text.index("{"), text.index("}") - 1
    plain = text.replace("{", "", 1).replace("}", "", 1)
    third, fourth = plain.index("{"), plain.index("}") - 1
    return (
        plain.replace("{", "").replace("}", ""),
        Argument(first, second),
        Argument(third, fourth),
    )


@pytest.mark.parametrize(
    "text",
    [
        "The {National Basketball Association} ({NBA}) began.",
        "{SLC} and {Salt Lake City} are one.",
        "{Maksim Chmerkovskiy} left when {Chmerkovskiy} won.",
        "{IBAN} is {IBAN}.",
        "Her {U.S.} passport is of the {US}.",
        "{Giovanna Berneri}, born {Giovanna Caleffi}, wrote.",
        "{Henry} ({Jared Gilmore}) runs.",
    ],
)
def test_one(text: str) -> None:
    assert may_be_one(*mentions(text))


@pytest.mark.parametrize(
    "text",
    [
        "{Peterson} leaves his wife {Kelly}.",
        "{Anna Smith} met {Peter Brown}.",
        "The {United Nations} chose {Oslo}.",
        "{Anna Smith}, {Peter Brown} and others sang.",
    ],
)
def test_two(text: str) -> None:
    assert not may_be_one(*mentions(text))


@pytest.mark.parametrize("relation", [combine_shared_head.RELATION, combine_shared_tail.RELATION])
@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("[Liu Bo|h PERSON] or [Old Liu|t PERSON] met [Eva|e PERSON].", 1),
        ("[Liu Bo|h PERSON] or [Old Liu|t PERSON] met [Liu|e PERSON].", 0),
        # The relation is between two persons, or two organisations.
        ("[Liu Bo|h PERSON] left in [1950|t DATE] with [Eva|e PERSON].", 0),
        ("[Liu Bo|h PERSON] left [Oslo|t] with [Eva|e PERSON].", 1),
    ],
)
def test_what_is_asked(relation, sentence, asked) -> None:
    first = FirstSource(source(sentence), answered("per:alternate_names"), TACRED)
    assert len(relation.combine.seconds(first)) == asked
