"""The audit page in a real browser: keys, what is kept, and the sheet it hands back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.suites.format import read_suite, write_suite
from mt_gate_suites.audit.audit import PAGE, draw, record
from mt_gate_suites.audit.sheet import SheetLine, from_csv
from reporting.browsing import AXE, Visit
from reporting.hostile_pages import PAYLOAD

FAULTS = (
    "lost word", '=cmd|"/c calc"!A1', "'=1", "a; =1", ';"=1', '"quoted", twice', " ends ", "é＝",
    "'tis", "so; 5 - 1", "-", "@you", "</script>", "",
)  # fmt: skip


@pytest.fixture
def sheets(suite: Path, tmp_path: Path) -> Path:
    draw(str(suite), tmp_path / "out", groups=len(FAULTS))
    return tmp_path / "out"


@pytest.fixture
def visit(browser: Any, sheets: Path) -> Visit:
    return Visit(browser, sheets / PAGE)


def downloaded(visit: Visit, path: Path) -> list[SheetLine]:
    with visit.page.expect_download() as waiting:
        visit.page.click("button.save")
    assert waiting.value.suggested_filename == path.name
    waiting.value.save_as(path)
    return from_csv(path.read_bytes(), path)


def current(visit: Visit) -> int:
    [place] = visit.page.locator("li.g[aria-current] .place").all_inner_texts()
    return int(place)


def press(visit: Visit, *keys: str) -> None:
    for key in keys:
        visit.page.keyboard.press(key)


def reload(visit: Visit) -> None:
    """Load the page again.

    What a page keeps reaches the process of the next one a moment later, and a browser drops what
    is pressed before a page is painted.
    """
    visit.page.wait_for_timeout(200)
    visit.page.reload()
    painted = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    visit.page.evaluate(painted)


def words(visit: Visit) -> str:
    return str(visit.page.locator(".count").inner_text())


def test_it_opens_from_disk_and_asks_for_nothing_else(visit: Visit, sheets: Path) -> None:
    visit.page.wait_for_load_state("networkidle")
    assert visit.requests == [(sheets / PAGE).as_uri()]
    assert visit.complaints == []
    assert visit.shown() == len(FAULTS)
    assert visit.page.locator("#unscripted").is_hidden()
    assert words(visit) == "0 of 14 marked · 0 ok, 0 doubtful, 0 bad"


def test_keys_mark_and_go_on(visit: Visit) -> None:
    press(visit, "1", "1", "2")
    assert current(visit) == 3
    visit.page.keyboard.type("hard to read: 1 2 3 jk")
    press(visit, "Enter", "3", "Escape", "k", "k")
    assert current(visit) == 2
    assert words(visit) == "4 of 14 marked · 2 ok, 1 doubtful, 1 bad"
    press(visit, "0")
    assert words(visit) == "3 of 14 marked · 1 ok, 1 doubtful, 1 bad"
    press(visit, "j", "n")
    assert current(visit) == 5
    press(visit, "Control+1", "4", "x")
    assert (current(visit), words(visit)[:1]) == (5, "3")
    faults = [visit.page.input_value(f"#fault-1-{number}") for number in range(1, 6)]
    assert faults == ["", "", "hard to read: 1 2 3 jk", "", ""]


def test_marks_are_stored(visit: Visit, sheets: Path) -> None:
    press(visit, "1", "3")
    visit.page.keyboard.type("lost word")
    reload(visit)
    assert words(visit) == "2 of 14 marked · 1 ok, 0 doubtful, 1 bad"
    assert visit.page.input_value("#fault-1-2") == "lost word"
    assert current(visit) == 3
    assert visit.page.locator("li.g").nth(1).locator("input[value=bad]").is_checked()
    second = visit.context.new_page()
    second.goto((sheets / PAGE).as_uri())
    second.keyboard.press("2")
    visit.page.wait_for_function("document.querySelector('.count').textContent.startsWith('3 ')")
    assert visit.complaints == []


@pytest.mark.parametrize(
    "stored", ["{", "null", "7", "[1]", '[["x"]]', '[["__proto__","ok",null]]']
)
def test_stored_marks_may_be_damaged(visit: Visit, stored: str) -> None:
    press(visit, "1")
    visit.page.evaluate("text => { for (const k in localStorage) localStorage[k] = text; }", stored)
    reload(visit)
    assert words(visit).startswith("0 of 14")
    press(visit, "1")
    assert words(visit).startswith("1 of 14")
    reload(visit)
    assert words(visit).startswith("1 of 14")
    assert visit.complaints == []


def test_the_sheet_it_hands_back(visit: Visit, suite: Path, sheets: Path, tmp_path: Path) -> None:
    sheet = sheets / "ner-structural.csv"
    blank = from_csv(sheet.read_bytes(), sheet)
    saved = tmp_path / sheet.name
    assert downloaded(visit, saved) == blank
    assert saved.read_bytes() == sheet.read_bytes()
    for fault in FAULTS:
        press(visit, "3" if fault else "1")
        if fault:
            visit.page.keyboard.insert_text(fault)
            press(visit, "Enter")
    lines = downloaded(visit, saved)
    assert tuple(line.fault for line in lines) == FAULTS
    assert [line._replace(mark="", fault="") for line in lines] == blank
    [(_, actual, _)] = record(str(suite), [saved])
    assert (actual.read, actual.acceptable) == (14, 1)
    assert visit.page.locator("button.next").is_disabled()


def test_hostile_texts(browser: Any, suite: Path, tmp_path: Path) -> None:
    """Payloads in ids and texts are shown, not run, and come back in the sheet."""
    payload = PAYLOAD.replace("\ud800", "")  # no file can hold half a character
    named = re.sub(r"[\x00-\x1f]", "", payload)  # no suite's name holds control characters
    read = read_suite(suite)
    groups = [
        msgspec.structs.replace(
            group, id=group.id + payload, follow_up={"text": f"{group.follow_up['text']}{payload}"}
        )
        for group in read.groups
    ]
    head = msgspec.structs.replace(read.head, name=named, version=named)
    write_suite(tmp_path / "hostile", head, read.sources, groups)
    draw(str(tmp_path / "hostile"), tmp_path / "out", groups=3)
    visit = Visit(browser, tmp_path / "out" / PAGE)
    press(visit, "1", "1", "1")
    reload(visit)
    saved = tmp_path / "ner-structural.csv"
    lines = downloaded(visit, saved)
    assert all(line.id.endswith(payload) and line.mark == "ok" for line in lines)
    [(_, actual, _)] = record(str(tmp_path / "hostile"), [saved])
    assert actual.acceptable == actual.read == 3
    assert visit.page.title().startswith("Audit of <script>")
    assert visit.complaints == []
    assert {url for url in visit.requests if not url.startswith("blob:")} == {
        (tmp_path / "out" / PAGE).as_uri()
    }


@pytest.mark.skipif(not AXE.is_file(), reason=f"no axe-core at {AXE}; npm install axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
def test_accessibility(browser: Any, sheets: Path, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    visit = Visit(browser, sheets / PAGE, viewport=size, color_scheme=scheme, bypass_csp=True)
    press(visit, "1", "2", "Enter", "3", "Enter", *"1" * len(FAULTS))
    assert words(visit).startswith("14 of 14")
    assert visit.violations() == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
