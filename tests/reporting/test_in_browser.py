"""The pages in a real browser: requests, console, accessibility, widths, policy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mt_gate.results.result import BaselineOutputs, GateVerdict, SuiteHead
from reporting import made_up, made_up_re
from reporting.browsing import AXE, Visit
from reporting.made_up import report
from reporting.several_runs import compared, evaluated, over_time


def of_verdict(verdict: GateVerdict) -> str:
    warns = verdict is GateVerdict.WARNING
    result = made_up.tiered() if warns else made_up.result(verdict)
    rows = made_up.rows() if result.baseline else made_up.rows({None: 12})
    return report(result, made_up.again(rows), made_up.CATALOGUE)


def of_both_answers(task: str) -> str:
    """A report whose groups have the answers of both, in columns or in a table."""
    result, rows, catalogue = made_up.result(), made_up.with_baseline_answers(), made_up.CATALOGUE
    if task == "boolq":
        rows, catalogue = made_up.questions(), made_up.QUESTIONS
        suite = SuiteHead(name="boolq-default", version="1", task="boolq", sha256="ab" * 32)
        relation = msgspec.structs.replace(result.relations[0], id=rows[0].relation)
        result = msgspec.structs.replace(result, suite=suite, relations=(relation,))
    if task == "re":
        said = made_up_re.said("per:" + "stateorprovinces_of_residence" * 3)
        rows = [
            msgspec.structs.replace(
                row, before=BaselineOutputs(source=said, second=row.second_output)
            )
            for row in made_up_re.rows()
        ]
        result, catalogue = made_up_re.result(rows, result.verdict), made_up_re.CATALOGUE
    return report(result, made_up.again(rows), catalogue)


REPORTS: dict[str, Callable[[], str]] = {
    verdict.value: partial(of_verdict, verdict)
    for verdict in (GateVerdict.REGRESSION, GateVerdict.MEASURED, GateVerdict.WARNING)
}
BOTH = {task: partial(of_both_answers, task) for task in ("ner", "boolq", "re")}
PAGES = REPORTS | BOTH | {"compared": compared, "evaluated": evaluated, "history": over_time}


def written(folder: Path, page: str) -> Path:
    path = folder / "page.html"
    path.write_text(PAGES[page](), encoding="utf-8")
    return path


@pytest.mark.parametrize("page", ["regression", "compared", "evaluated", "history"])
def test_it_opens_from_disk_and_asks_for_nothing_else(
    browser: Any, tmp_path: Path, page: str
) -> None:
    path = written(tmp_path, page)
    visit = Visit(browser, path)
    visit.page.wait_for_load_state("networkidle")
    assert visit.requests == [path.as_uri()]
    assert visit.complaints == []


OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"
CLIPPED = """[...document.querySelectorAll('.two, .said')].filter(e => {
  const card = e.closest('li').getBoundingClientRect(), own = e.getBoundingClientRect();
  return own.width && (own.left < card.left || own.right > card.right + 0.5);
}).length"""


@pytest.mark.skipif(not AXE.is_file(), reason=f"no axe-core at {AXE}; npm install axe-core")
@pytest.mark.parametrize(
    ("scheme", "width", "media"),
    [("light", 1200, "screen"), ("dark", 400, "screen"), ("light", 800, "print")],
)
@pytest.mark.parametrize("page", PAGES)
def test_accessibility(
    browser: Any, tmp_path: Path, page: str, scheme: str, width: int, media: str
) -> None:
    size = {"width": width, "height": 900}
    # The policy keeps out axe-core too, so that one rule is lifted for this test alone.
    path = written(tmp_path, page)
    visit = Visit(browser, path, viewport=size, color_scheme=scheme, bypass_csp=True)
    if page in REPORTS:
        visit.settled()
    visit.page.emulate_media(media=media)
    visit.page.evaluate(OPEN)
    assert (visit.page.locator(".two, .said").count() > 0) == (page in BOTH)
    assert visit.violations(every_rule=page in REPORTS and media == "screen") == []
    if media == "screen":
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.evaluate(CLIPPED) == 0


def test_answers_to_questions_are_a_table_with_heads(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, written(tmp_path, "boolq"))
    table = visit.page.locator("li.g:visible").first.get_by_role("table")
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert heads == ["Prediction for", "Baseline: satisfied", "This run: violated"]
    assert table.get_by_role("rowheader").all_inner_texts() == ["Original", "Edited"]


def test_the_policy_stops_what_escaping_would_miss(browser: Any, tmp_path: Path) -> None:
    path = written(tmp_path, "regression")
    bad = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    path.write_text(path.read_text(encoding="utf-8").replace("<main>", f"{bad}<main>"), "utf-8")
    visit = Visit(browser, path)
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.title() != "hacked"
    assert any("Content Security Policy" in line for line in visit.complaints)


def test_it_reads_without_scripts(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, written(tmp_path, "regression"), java_script_enabled=False)
    assert visit.page.locator("h1").inner_text() == "Regression"
    assert visit.page.locator("#filter").is_hidden()
    assert visit.page.locator("noscript p").is_visible()
    before = visit.shown()
    assert before
    visit.page.locator("details.still > summary").first.click()
    assert visit.shown() > before
