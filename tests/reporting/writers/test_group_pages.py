from __future__ import annotations

import random

import msgspec
from markupsafe import Markup

from mt_gate.reporting.words.first_screen import Kind
from mt_gate.reporting.writers.html import (
    PACKED,
    PAGE,
    PLAIN,
    GroupPages,
    Names,
    group_pages,
    pack,
)
from mt_gate.results.result import GroupRow
from reporting import made_up, unpacked

Listed = tuple[Kind, list[GroupRow]]


def listed(kind: Kind, number: int, start: int = 0) -> Listed:
    texts, entities = made_up.EXAMPLES["ner/structural"][0]
    numbers = range(start, start + number)
    return kind, [made_up.row(n, "ner/structural", texts, entities) for n in numbers]


def pages(*lists: Listed, size: int = 10, seed: int = 1) -> GroupPages:
    noise = random.Random(seed)

    def render(_: GroupRow, name: str) -> Markup:
        return Markup(f"<li id='{name}'>{noise.randbytes(size // 2).hex()}</li>")

    return group_pages(lists, "ner", render)


def test_what_is_packed_comes_back() -> None:
    for value in ([], {"ids": ["ü", "\u2028"], "n": [1.5, None]}, ["<li>&amp;</li>"] * 1000):
        assert unpacked.unpack(pack(value)) == value


def test_every_group_is_packed_in_its_lists_order() -> None:
    found = pages(listed(Kind.NEW, 3000), listed(Kind.STILL, 10, start=3000), size=400)
    assert found.packed == [3000, 10]
    assert [len(part) for part in found.plain] == [PAGE, 10]
    index = unpacked.unpack(found.packed_index)
    assert index["ids"] == [f"{n:08x}" for n in range(3010)]
    assert index["chunks"] == [[chunk.list, chunk.groups] for chunk in found.chunks]
    assert len(found.chunks) > 5
    groups = [group for chunk in found.chunks for group in unpacked.unpack(chunk.packed)]
    assert [group[8:16] for group in groups] == index["ids"]
    assert groups[:PAGE] == [*found.plain[0]]


def test_what_does_not_fit_is_cut_and_new_groups_are_cut_last() -> None:
    lists = [listed(Kind.STILL, 1500), listed(Kind.NEW, 1500, 1500), listed(Kind.FIXED, 1500, 3000)]
    found = pages(*lists, size=4000)
    total = sum(len(chunk.packed) for chunk in found.chunks) + len(found.packed_index)
    assert 0.9 * PACKED < total <= PACKED
    still, new, fixed = found.packed
    assert new > fixed >= still > 0
    assert len(unpacked.unpack(found.packed_index)["ids"]) == still + new + fixed


def test_what_short_lists_leave_over_goes_to_long_ones() -> None:
    long = [listed(Kind.NEW, 40, start) for start in range(0, 160, 40)]
    short = [listed(Kind.FIXED, 1, start) for start in range(200, 210)]
    assert PAGE * 2400 > PLAIN / 14
    found = pages(*long, *short, size=2400)
    assert [len(part) for part in found.plain] == [PAGE] * 4 + [1] * 10


def test_no_name_meets_one_that_was_numbered() -> None:
    names = Names()
    assert [names.give(name) for name in ("x", "x", "x_2", "x", "x_2_2")] == [
        "x",
        "x_2",
        "x_2_2",
        "x_3",
        "x_2_2_2",
    ]


def test_choices_are_unlike_and_never_blank() -> None:
    long = "L" * 60
    labels = [f"{long}A", f"{long}B", "", " ", " ORG", "ORG", "ORG  ORG", "ORG ORG", "ORG (2)"]
    rows = []
    for n, row in enumerate(made_up.rows({None: len(labels)})):
        output = {"entities": [[0, 3, labels[n]]]}
        rows.append(msgspec.structs.replace(row, source_output=output, follow_up_output=None))
    words = pages((Kind.NEW, rows)).choices["labels"]
    assert len({*words}) == len(labels)
    assert {"(empty)", "(empty) (2)", "ORG", "ORG (2)", "ORG ORG", "ORG ORG (2)"} < {*words}
    assert all(name == " ".join(name.split()) for name in words)


def test_the_columns_know_labels_and_orders() -> None:
    found = pages((Kind.VIOLATED, made_up.rows({None: 8})))
    columns = unpacked.unpack(found.packed_index)
    words = found.choices["labels"]
    assert [words[n] for n in columns["label"][0]] == ["PER", "LOC"]
    assert columns["source"] == [*range(8)]
    assert columns["strength"][0] == 1
    assert found.choices["strata"] == []
