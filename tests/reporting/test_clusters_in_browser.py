"""The pages of several runs in a real browser: requests, console, accessibility, lengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from history.making import history
from mt_gate.evaluating.records import (
    ComparedRun,
    Evaluation,
    EvaluationSettings,
    Labels,
    Measure,
    RelationShare,
    Samples,
    plain_share,
)
from mt_gate.evaluating.reports import page as evaluation_page
from mt_gate.history import page as history_page
from mt_gate.judging.rates import Rate
from mt_gate.results.result import GateVerdict
from mt_gate.side_by_side import page as side_by_side_page
from mt_gate.side_by_side.side_by_side import Column, Row, SideBySide
from reporting import made_up
from reporting.browsing import AXE, Visit

RATES = (Rate(100, 40, 0.4, (0.3, 0.5)), Rate(100, 10, 0.1, (0.05, 0.17)), None)


def compared() -> str:
    result = made_up.result()
    head = result.checkpoint
    columns = tuple(
        Column(letter, f"checkpoint {letter}", f"{letter}/result.json", "today", head)
        for letter in "ABC"
    )
    rows = (*(Row(item.id, RATES) for item in result.relations), Row("", RATES))
    done = SideBySide(result.suite, columns, rows, ("a note",))
    return side_by_side_page.render(done, made_up.CATALOGUE)


def evaluated() -> str:
    result = made_up.result()
    share = RelationShare(
        id="", violation=plain_share(3, 9), labelled=2, sources=1, source_right=plain_share(2, 2)
    )
    relations = tuple(
        msgspec.structs.replace(share, id=relation.id) for relation in result.relations
    )
    evaluation = Evaluation(
        kind="evaluation",
        format=1,
        tool=result.tool,
        verdict=GateVerdict.MEASURED,
        exit_code=0,
        reasons=("a reason",),
        created="today",
        task="ner",
        labels=Labels(name="labels.jsonl", sha256="0" * 64, samples=8, left_out={}),
        checkpoint=result.checkpoint,
        settings=EvaluationSettings(alpha=0.05, margin=0.01),
        accuracy=plain_share(6, 8),
        error_rate=plain_share(2, 8),
        measures=(Measure(name="recall", label="LOC", share=plain_share(1, 3)),),
        unanswered={},
        samples=Samples(right=(), wrong=()),
        run=ComparedRun(
            path="out", created="today", suite=result.suite, relations=relations, overall=share
        ),
    )
    return evaluation_page.render(evaluation, made_up.CATALOGUE)


def over_time() -> str:
    return history_page.render(history(), made_up.CATALOGUE)


PAGES = pytest.mark.parametrize("page", [compared, evaluated, over_time])


def written(folder: Path, text: str) -> Path:
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


@PAGES
def test_it_opens_from_disk_and_asks_for_nothing_else(
    browser: Any, tmp_path: Path, page: Any
) -> None:
    path = written(tmp_path, page())
    visit = Visit(browser, path)
    visit.page.wait_for_load_state("networkidle")
    assert visit.requests == [path.as_uri()]
    assert visit.complaints == []


@pytest.mark.skipif(not AXE.is_file(), reason=f"no axe-core at {AXE}; npm install axe-core")
@PAGES
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
def test_accessibility(browser: Any, tmp_path: Path, page: Any, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    visit = Visit(
        browser, written(tmp_path, page()), viewport=size, color_scheme=scheme, bypass_csp=True
    )
    assert visit.violations() == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_bars_are_as_long_as_their_rates(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, written(tmp_path, compared()))
    cluster = visit.page.locator("li.cluster").first
    widths = cluster.locator("rect.bar").evaluate_all("bars => bars.map(b => b.getBBox().width)")
    assert len(widths) == 2
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.01)
    words = cluster.locator("text.figure").evaluate_all("texts => texts.map(t => t.textContent)")
    assert words == ["40.0 %", "10.0 %", "not run"]
    assert cluster.locator("desc").text_content().startswith("checkpoint A: 40.0 %, 40 of 100")
