from __future__ import annotations

import base64
import hashlib
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import msgspec
import pytest

from mt_gate.reporting.writers.html import PAGE
from mt_gate.results.result import Change, GateVerdict, GroupRow
from reporting import made_up, unpacked
from reporting.made_up import report

ROWS = made_up.again(made_up.rows())
PLAIN = made_up.again(made_up.rows({None: 12}))


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
    return Page(report(result, ROWS if result.baseline else PLAIN, made_up.CATALOGUE))


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
        found = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(found) == 1
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
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
    found = re.search(
        r"This page has ([\d,]+) of 11,000 cases, the most relevant ones; the other ([\d,]+)",
        Page(text).text,
    )
    assert found is not None
    here, left = (int(number.replace(",", "")) for number in found.groups())
    assert here + left == 11_000
    assert len(unpacked.index(text)["ids"]) == here > 1000
