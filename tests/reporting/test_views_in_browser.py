"""What a filtered report says when printed, linked into, and gone through by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.reporting.pages.group_pages import PAGE
from mt_gate.results.result import Change, GroupRow
from reporting import made_up
from reporting.browsing import Visit
from reporting.made_up import report

LONG = "L" * 60


def page(path: Path, rows: list[GroupRow]) -> Path:
    path.write_text(report(made_up.result(), made_up.again(rows), made_up.CATALOGUE), "utf-8")
    return path


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists of several pages: 150 groups newly violated a relation, 50 fixed, 50 still."""
    rows = made_up.rows({Change.NEW: 600, Change.FIXED: 200, Change.STILL: 200})
    return page(tmp_path_factory.mktemp("several") / "report.html", rows)


def opened(browser: Any, path: Path, fragment: str = "", **options: Any) -> Visit:
    visit = Visit(browser, path, fragment=fragment, **options)
    visit.settled()
    return visit


def printed(visit: Visit) -> Visit:
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return visit


def test_a_filtered_page_is_printed_with_its_filters(browser: Any, several: Path) -> None:
    visit = printed(opened(browser, several, "#change=new&text=00000004"))
    assert visit.page.locator("#f-printed").inner_text() == (
        "Search: “00000004”; Change: Newly violated. 1 of 1,000 groups match."
    )
    assert visit.page.locator(".list:visible summary").all_inner_texts() == [
        "Newly violated 1 of 150"
    ]
    assert visit.page.locator(".pager:visible").count() == 0


def test_what_a_pager_says_is_what_is_printed(browser: Any, tmp_path: Path) -> None:
    """Closed lists, too, of which the page holds less than a page as plain HTML."""
    rows = [
        msgspec.structs.replace(row, source={"text": f"{row.source['text']} {'long ' * 400}"})
        for row in made_up.rows({Change.NEW: 120, Change.STILL: 120})
    ]
    path = page(tmp_path / "report.html", rows)
    plain = Visit(browser, path, java_script_enabled=False).page.locator(".still").first
    assert plain.locator("li.g").count() < PAGE
    said = plain.locator(".pager output").text_content()
    assert said == f"1 to {plain.locator('li.g').count()} of 30"
    # In one go, since the browser prints what stands there when the event is over.
    visit = opened(browser, path)
    visit.until(f"document.querySelectorAll('.still li.g').length === {4 * PAGE}")
    found = visit.page.evaluate(
        """() => {
          dispatchEvent(new Event("beforeprint"));
          return [...document.querySelectorAll(".list.still")].map((list) => [
            list.querySelector(".pager output").textContent, list.querySelectorAll("li.g").length,
          ]);
        }"""
    )
    assert found == [["1 to 25 of 30", PAGE]] * 4
