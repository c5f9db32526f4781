"""Filters, order, pages and addresses of a report's groups, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.domain import EntityError, ErrorCategory
from mt_gate.reporting.writers.html import PAGE
from mt_gate.results.result import Change, GroupRow
from reporting import made_up
from reporting.browsing import Visit
from reporting.made_up import report

MANY = {Change.NEW: 5000, Change.FIXED: 3000, Change.STILL: 2000}


def with_facts(rows: list[GroupRow]) -> list[GroupRow]:
    """Return rows of which every third has a kind of error, and every fifth a kind of edit."""
    error = EntityError(category=ErrorCategory.OMISSION)
    return [
        msgspec.structs.replace(
            row,
            errors=() if n % 3 else (error,),
            stratum=("rare", "frequent")[n % 2] if n % 5 == 0 else "",
        )
        for n, row in enumerate(rows)
    ]


def page(path: Path, rows: list[GroupRow]) -> Path:
    path.write_text(report(made_up.result(), made_up.again(rows), made_up.CATALOGUE), "utf-8")
    return path


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = with_facts(made_up.rows({Change.NEW: 9, Change.FIXED: 3, Change.STILL: 4}))
    return page(tmp_path_factory.mktemp("few") / "report.html", rows)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page(tmp_path_factory.mktemp("many") / "report.html", made_up.rows(MANY))


def said(visit: Visit) -> str:
    return str(visit.page.locator("#f-count").inner_text())


def shown_ids(visit: Visit) -> list[str]:
    groups = visit.page.locator("li.g:not(.telling):visible")
    return list(groups.evaluate_all("all => all.map(g => g.id)"))


def opened(browser: Any, path: Path, fragment: str = "", **options: Any) -> Visit:
    visit = Visit(browser, path, fragment=fragment, **options)
    visit.settled()
    return visit


def test_filters_show_what_matches(browser: Any, few: Path) -> None:
    visit = opened(browser, few)
    assert said(visit) == "16 cases"
    visit.chosen("change", value="fixed")
    assert (visit.shown(), said(visit)) == (3, "3 of 16 cases match")
    visit.chosen("change", value="still")
    assert visit.shown() == 4
    visit.chosen("change", value="")
    visit.chosen("relation", label="Structural")
    assert visit.page.locator("section.relation:visible").count() == 1
    visit.chosen("relation", value="")
    visit.chosen("error", value="omission")
    assert visit.shown() == 6
    visit.chosen("error", value="")
    visit.chosen("stratum", value="frequent replacement")
    assert visit.shown() == 2
    visit.page.locator("#f-clear").click()
    visit.settled()
    assert said(visit) == "16 cases"
    assert visit.page.evaluate("document.activeElement.id") == "f-text"


def test_words_labels_and_ids_can_be_searched(browser: Any, few: Path) -> None:
    visit = opened(browser, few)
    visit.typed("BELARUS shares  a border")
    assert visit.shown() > 0
    assert visit.page.locator("section.relation:visible h3").all_inner_texts() == ["Structural"]
    visit.typed("no such words")
    assert visit.shown() == 0
    assert visit.page.locator("#f-nothing").is_visible()
    visit.typed("00000004")
    assert visit.shown() == 1
    visit.typed("! misc")
    assert visit.shown() >= 1


def test_an_address_keeps_filters_order_and_page(browser: Any, many: Path) -> None:
    visit = opened(browser, many)
    visit.chosen("relation", label="Structural")
    visit.chosen("change", value="new")
    visit.chosen("sort", value="alphabet")
    visit.page.locator(".pager:visible button", has_text="Next").click()
    visit.settled()
    address = visit.page.evaluate("location.hash")
    ids = shown_ids(visit)
    again = opened(browser, many, address)
    assert again.page.locator(".pager:visible output").inner_text() == "26 to 50 of 1,250"
    assert shown_ids(again) == ids


def test_groups_come_in_the_chosen_order(browser: Any, many: Path) -> None:
    visit = opened(browser, many, "#relation=ner%2Fstructural&change=new")
    sources = visit.page.locator("li.g:not(.telling):visible .id > code")
    visit.chosen("sort", value="source")
    actual = [int(text[1:]) for text in sources.all_inner_texts()]
    assert actual == sorted(actual)
    visit.chosen("sort", value="alphabet")
    firsts = visit.page.locator("li.g:not(.telling):visible dd:first-of-type").all_inner_texts()
    assert [text[:7] for text in firsts] == ["Belarus"] * PAGE


@pytest.mark.parametrize("number", [0, 777, 4999, 9999])
def test_an_address_opens_its_group(browser: Any, many: Path, number: int) -> None:
    visit = opened(browser, many, f"#g-{number:08x}")
    visit.until("document.activeElement.matches('li.here')")
    group = visit.page.locator("li.here")
    assert group.get_attribute("id") == f"g-{number:08x}"
    box = group.bounding_box()
    assert 0 <= box["y"] < visit.page.viewport_size["height"]
    assert group.locator(".id a").get_attribute("href") == f"#g-{number:08x}"


def test_ten_thousand_groups_are_never_all_drawn(browser: Any, many: Path) -> None:
    visit = opened(browser, many)
    assert visit.page.locator("li.g:not(.telling)").count() == 12 * PAGE
    visit.typed("belarus shares")
    assert visit.page.locator("li.g:not(.telling)").count() <= 12 * PAGE
    assert visit.requests == [many.as_uri()]
    assert visit.complaints == []


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists of several pages: 150 groups newly violated a relation, 50 fixed, 50 still."""
    rows = made_up.rows({Change.NEW: 600, Change.FIXED: 200, Change.STILL: 200})
    return page(tmp_path_factory.mktemp("several") / "report.html", rows)


def printed(visit: Visit) -> Visit:
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return visit


def test_a_filtered_page_is_printed_with_its_filters(browser: Any, several: Path) -> None:
    visit = printed(opened(browser, several, "#change=new&text=00000004"))
    assert visit.page.locator("#f-printed").inner_text() == (
        "Search: “00000004”; Change: Newly violated. 1 of 1,000 cases match."
    )
    assert visit.page.locator(".list:visible summary").all_inner_texts() == [
        "Newly violated 1 of 150"
    ]
    assert visit.page.locator(".pager:visible").count() == 0


def test_what_is_closed_is_not_printed(browser: Any, several: Path) -> None:
    visit = printed(opened(browser, several))
    assert visit.page.locator(".list.still").first.get_attribute("open") is None
    assert visit.page.locator(".list.still li.g:visible").count() == 0
    assert visit.page.locator(".list.new li.g:visible").count()
