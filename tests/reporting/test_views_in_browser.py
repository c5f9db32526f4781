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


def test_a_printed_page_of_many_matches_says_how_many(browser: Any, several: Path) -> None:
    visit = opened(browser, several, "#relation=ner%2Fstructural&change=new")
    visit.typed("belarus")
    matching = visit.page.locator("#f-count").inner_text().partition(" of ")[0]
    assert PAGE < int(matching) < 150
    pager = printed(visit).page.locator(".pager:visible output")
    assert pager.inner_text() == f"1 to 25 of {matching} that match"
    after = pager.evaluate("e => getComputedStyle(e, '::after').content")
    assert after.startswith('" are printed; the others are in the page')


def test_an_unfiltered_page_is_printed_without_a_word_on_filters(
    browser: Any, several: Path
) -> None:
    visit = opened(browser, several)
    visit.chosen("change", value="new")
    visit.chosen("change", value="")
    printed(visit)
    assert visit.page.locator("#f-printed").is_hidden()
    assert visit.page.locator(".new summary").first.inner_text() == "Newly violated 150"


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


@pytest.mark.parametrize("width", [800, 1180])
def test_the_filters_never_hide_what_has_the_focus(browser: Any, several: Path, width: int) -> None:
    visit = opened(browser, several, viewport={"width": width, "height": 900})
    links = visit.page.locator(".list[open] li.g .id a")
    links.nth(3 * PAGE - 2).focus()
    for _ in range(2 * PAGE):
        visit.page.keyboard.press("Shift+Tab")
        focus, bar = visit.page.evaluate(
            "['top', 'bottom'].map((side, n) => [document.activeElement,"
            " document.getElementById('filter')][n].getBoundingClientRect()[side])"
        )
        assert focus >= bar
    assert visit.complaints == []


def test_a_link_within_the_page_leaves_filters_in_the_address(browser: Any, several: Path) -> None:
    visit = opened(browser, several)
    visit.chosen("change", value="fixed")
    visit.page.locator(".contents a[href='#run']").click()
    visit.until("Math.abs(document.getElementById('run').getBoundingClientRect().top) < 60")
    visit.until("location.hash === '#change=fixed'")
    visit.page.reload()
    visit.settled()
    assert visit.page.locator("#f-count").inner_text() == "200 of 1,000 groups match"


def test_back_leads_past_a_link_to_what_was_shown(browser: Any, several: Path) -> None:
    visit = opened(browser, several)
    visit.page.locator(".contents a[href='#run']").click()
    visit.until("location.hash === '#run' && history.state?.own === true")
    visit.chosen("change", value="fixed")
    visit.page.go_back()
    visit.until("location.hash === '#run'")
    visit.settled()
    assert visit.page.locator("#f-count").inner_text() == "1,000 groups"
    assert visit.page.locator("#f-change").input_value() == ""


def test_labels_alike_in_their_first_words_are_told_apart(browser: Any, tmp_path: Path) -> None:
    labels = [f"{LONG}AAA", f"{LONG}BBB", "", " ORG", "ORG"]
    rows = [
        msgspec.structs.replace(
            row,
            source_output={"entities": [[0, 3, labels[n % 5]]]},
            follow_up_output={"entities": []},
        )
        for n, row in enumerate(made_up.rows({Change.NEW: 1 + 2 + 3 + 4 + 5}))
    ]
    path = page(tmp_path / "report.html", rows)
    visit = opened(browser, path)
    texts = visit.page.locator("#f-label option").all_inner_texts()
    assert len({*texts}) == 1 + 5
    assert "(empty)" in texts
    for words in texts[1:]:
        visit.chosen("label", label=words)
        assert visit.shown() == 3
        again = opened(browser, path, visit.page.evaluate("location.hash"))
        chosen = again.page.locator("#f-label option:checked").inner_text()
        assert (chosen, again.shown()) == (words, 3)
