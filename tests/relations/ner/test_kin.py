"""Names that fit each other's places, and those that readers refused."""

from __future__ import annotations

import re
from random import Random

from cases import cases
from mt_gate.relations.ner.entity_shuffle import shuffle

NAMED = re.compile(r"\[(\w+) ([^\]]+)\]")


def read(marked: str) -> tuple[str, list[list]]:
    """Return a text whose names are marked as ``[PER Anna]``, and its entities."""
    text, result = "", []
    for plain, label, name in re.findall(r"([^\[]*)(?:\[(\w+) ([^\]]+)\])?", marked):
        text += plain
        if name:
            result.append([len(text), len(text) + len(name), label])
            text += name
    return text, result


def names_moved(marked: str) -> set[str]:
    """Return the names that leave their place in a follow-up of any of forty seeds."""
    text, result = read(marked)
    starts = {start: text[start:end] for start, end, _ in result}
    names: set[str] = set()
    for seed in range(40):
        for item in shuffle({"text": text}, {"entities": result}, Random(seed)):
            after = {
                start: block.follow_up + start - block.source
                for block in item.alignment
                for start in starts
                if block.source <= start < block.source + block.length
            }
            order = sorted(starts, key=after.__getitem__)
            names |= {
                starts[old] for old, new in zip(sorted(starts), order, strict=True) if old != new
            }
    return names


@cases("relations/kin")
def test_names_of_one_kind_change_places_and_what_readers_refused_is_not_made(
    marked: str, changes: str
) -> None:
    assert names_moved(marked) == (
        {text for _, text in NAMED.findall(marked)} if changes else set()
    )


@cases("relations/kin-lists")
def test_names_of_a_list_stay_in_it(marked: str, moved: str) -> None:
    assert names_moved(marked) == {*moved.split(", ")}


def test_what_is_said_of_cities_of_one_country_stays_with_its_cities() -> None:
    canadian = "In Canada, they went from [LOC Toronto] to [LOC Montreal] and then to [LOC Oslo]."
    assert names_moved(canadian) == {"Toronto", "Montreal"}
