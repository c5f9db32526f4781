from __future__ import annotations

import base64
import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

import msgspec
import pytest
from markupsafe import Markup

from mt_gate.reporting.words.first_screen import Kind
from mt_gate.reporting.writers.html import (
    PACKED,
    PAGE,
    PLAIN,
    GroupPages,
    group_pages,
    pack,
    unique_name,
)
from mt_gate.results.result import Change, GateVerdict, GroupRow
from reporting import made_up, unpacked
from reporting.made_up import report

ROWS = made_up.again(made_up.rows())
MEASURED = made_up.again(made_up.rows({None: 12}))


class Page(HTMLParser):
    """Collects the tags and attributes of a page, and its text without its script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag if tag in ("script", "style") else ""

    def handle_endtag(self, _: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def page(verdict: GateVerdict = GateVerdict.REGRESSION) -> Page:
    result = made_up.result(verdict)
    return Page(report(result, ROWS if result.baseline else MEASURED, made_up.CATALOGUE))


def test_the_page_asks_nobody_for_anything() -> None:
    for tag, attributes in page().tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base")
        assert not {"src", "action", "style", "srcset"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]


def test_the_policy_names_the_hashes_of_style_and_script() -> None:
    text = report(made_up.result(), ROWS, made_up.CATALOGUE)
    policy = next(a["content"] or "" for _, a in Page(text).tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        actual = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(actual) == 1
        digest = base64.b64encode(hashlib.sha256(actual[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


@pytest.mark.slow
def test_ten_thousand_groups_are_all_in_one_page() -> None:
    rows = made_up.rows({Change.NEW: 5000, Change.FIXED: 3000, Change.STILL: 2000, Change.OK: 1000})
    text = report(made_up.result(), made_up.again(rows), made_up.CATALOGUE)
    assert len(text.encode()) < 5_000_000
    assert len(unpacked.index(text)["ids"]) == 10_000
    assert text.count('<li class="g"') == 4 * 3 * PAGE
    assert "groups are in this page" not in Page(text).text


@pytest.mark.slow
def test_long_hostile_groups_stay_below_five_megabytes() -> None:
    noise = random.Random(5)

    def rows() -> Iterator[GroupRow]:
        for row in made_up.many(11_000)():
            words = "".join(map(chr, noise.choices(range(0x3B1, 0x3C9), k=700)))
            long = {"text": f"{row.source['text']} \U000e0001< {words}"}
            yield msgspec.structs.replace(row, source=long, follow_up=long)

    text = report(made_up.result(), rows, made_up.CATALOGUE)
    assert 4_000_000 < len(text.encode()) < 5_000_000
    actual = re.search(
        r"This page has the ([\d,]+) most relevant of 11,000 cases. The other ([\d,]+)",
        Page(text).text,
    )
    assert actual is not None
    here, left = (int(number.replace(",", "")) for number in actual.groups())
    assert here + left == 11_000
    assert len(unpacked.index(text)["ids"]) == here > 1000


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
    actual = pages(listed(Kind.NEW, 3000), listed(Kind.STILL, 10, start=3000), size=400)
    assert actual.packed == [3000, 10]
    assert [len(part) for part in actual.plain] == [PAGE, 10]
    index = unpacked.unpack(actual.packed_index)
    assert index["ids"] == [f"{n:08x}" for n in range(3010)]
    assert index["chunks"] == [[chunk.list, chunk.groups] for chunk in actual.chunks]
    assert len(actual.chunks) > 5
    groups = [group for chunk in actual.chunks for group in unpacked.unpack(chunk.packed)]
    assert [group[8:16] for group in groups] == index["ids"]
    assert groups[:PAGE] == [*actual.plain[0]]


def test_what_does_not_fit_is_cut_and_new_groups_are_cut_last() -> None:
    lists = [listed(Kind.STILL, 1500), listed(Kind.NEW, 1500, 1500), listed(Kind.FIXED, 1500, 3000)]
    actual = pages(*lists, size=4000)
    total = sum(len(chunk.packed) for chunk in actual.chunks) + len(actual.packed_index)
    assert 0.9 * PACKED < total <= PACKED
    still, new, fixed = actual.packed
    assert new > fixed >= still > 0
    assert len(unpacked.unpack(actual.packed_index)["ids"]) == still + new + fixed


def test_what_short_lists_leave_over_goes_to_long_ones() -> None:
    long = [listed(Kind.NEW, 40, start) for start in range(0, 160, 40)]
    short = [listed(Kind.FIXED, 1, start) for start in range(200, 210)]
    assert PAGE * 2400 > PLAIN / 14
    actual = pages(*long, *short, size=2400)
    assert [len(part) for part in actual.plain] == [PAGE] * 4 + [1] * 10


def test_no_name_meets_one_that_was_numbered() -> None:
    taken: Counter[str] = Counter()
    assert [unique_name(name, taken) for name in ("x", "x", "x_2", "x", "x_2_2")] == [
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
    actual = pages((Kind.VIOLATED, made_up.rows({None: 8})))
    columns = unpacked.unpack(actual.packed_index)
    words = actual.choices["labels"]
    assert [words[n] for n in columns["label"][0]] == ["PER", "LOC"]
    assert columns["source"] == [*range(8)]
    assert columns["strength"][0] == 1
    assert actual.choices["strata"] == []
