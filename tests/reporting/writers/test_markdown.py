from __future__ import annotations

import msgspec
import pytest

from mt_gate.domain import Block
from mt_gate.reporting.words.first_screen import examples, gather
from mt_gate.reporting.writers.markdown import (
    COMMENT_LIMIT,
    Passage,
    fit,
)
from mt_gate.results.result import Change
from reporting import hostile_pages, made_up
from reporting.made_up import summary

ROWS = made_up.again(made_up.rows())
PLAIN = made_up.again(made_up.rows({None: 12}))


@pytest.mark.parametrize("limit", [0, 1, 40, 200, 700, 1500, 2000, 2400, COMMENT_LIMIT])
def test_the_text_is_smaller_than_its_limit(limit: int) -> None:
    text = summary(made_up.result(), ROWS, made_up.CATALOGUE, limit)
    assert len(text.encode()) <= max(limit - 1, 0)
    assert text.count("<b>") == text.count("</b>")


def test_names_that_grow_when_they_are_escaped_cost_a_block_and_not_all() -> None:
    """A dollar sign takes fourteen bytes; cut short, the names of all blocks have none of it."""
    plain = [Passage(f"{number}" * 60, "text " * 20) for number in range(5)]
    growing = [Passage("$" * 250, "x" * 4000), Passage("$" * 250, "x" * 4000)]
    text = fit("head", [*plain, *growing], "foot", 4500)
    assert text.startswith("head\n\n<details>")
    assert text.endswith("foot\n\n</details>\n")
    assert len(text.encode()) < 4500


@pytest.mark.parametrize("limit", [300, 5000, COMMENT_LIMIT])
def test_hostile_texts_stay_below_the_limit(limit: int) -> None:
    made = hostile_pages.run()
    text = summary(made.result, made_up.again(made.rows), made.catalogue, limit)
    assert len(text.encode()) < limit


def test_the_most_telling_flips_are_five_of_different_sources() -> None:
    result = made_up.result()
    flips = examples(result, gather(result, ROWS), 5)
    assert len({row.source_id for row in flips}) == len(flips) == 5
    assert flips[0].relation == "ner/entity-shuffle"


def test_a_mention_is_none_where_an_edit_cuts_it() -> None:
    before, after = (
        "Thanks @octocat, see http://a.example.",
        "Thanks @another, see http://b.example.",
    )
    blocks = Block(0, 0, before.index("octocat")), Block(15, 15, 11), Block(28, 28, 10)
    row = made_up.row(1, "ner/structural", ("a b", "a c"), ((), ()), Change.NEW)
    row = msgspec.structs.replace(
        row,
        source={"text": before},
        follow_up={"text": after},
        alignment=blocks,
        unmatched={},
        source_output={"entities": []},
        follow_up_output={"entities": []},
    )
    result = made_up.fitting(made_up.result(), [row])
    text = summary(result, made_up.again([row]), made_up.CATALOGUE)
    (line,) = (line for line in text.splitlines() if line.startswith("> Thanks"))
    assert "<span>@</span>octocat" in line
