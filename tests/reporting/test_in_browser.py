"""The HTML report in a real browser: requests, console, accessibility, filter, policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mt_gate.results.result import GateVerdict
from reporting import made_up
from reporting.browsing import AXE, Visit
from reporting.made_up import report


def written(folder: Path, verdict: GateVerdict = GateVerdict.REGRESSION) -> Path:
    warns = verdict is GateVerdict.WARNING
    result = made_up.tiered() if warns else made_up.result(verdict)
    rows = made_up.rows() if result.baseline else made_up.rows({None: 12})
    path = folder / "report.html"
    path.write_text(report(result, made_up.again(rows), made_up.CATALOGUE), encoding="utf-8")
    return path


def test_it_opens_from_disk_and_asks_for_nothing_else(browser: Any, tmp_path: Path) -> None:
    path = written(tmp_path)
    visit = Visit(browser, path)
    visit.page.wait_for_load_state("networkidle")
    assert visit.requests == [path.as_uri()]
    assert visit.complaints == []


@pytest.mark.skipif(not AXE.is_file(), reason=f"no axe-core at {AXE}; npm install axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1200])
@pytest.mark.parametrize(
    "verdict", [GateVerdict.REGRESSION, GateVerdict.MEASURED, GateVerdict.WARNING]
)
def test_accessibility(
    browser: Any, tmp_path: Path, scheme: str, width: int, verdict: GateVerdict
) -> None:
    size = {"width": width, "height": 900}
    # The policy keeps out axe-core too, so that one rule is lifted for this test alone.
    visit = Visit(
        browser, written(tmp_path, verdict), viewport=size, color_scheme=scheme, bypass_csp=True
    )
    visit.settled()
    visit.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert visit.violations(every_rule=True) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_policy_stops_what_escaping_would_miss(browser: Any, tmp_path: Path) -> None:
    path = written(tmp_path)
    bad = "<script>document.title='hacked'</script><img src=x onerror=\"document.title='hacked'\">"
    path.write_text(path.read_text(encoding="utf-8").replace("<main>", f"{bad}<main>"), "utf-8")
    visit = Visit(browser, path)
    visit.page.wait_for_load_state("networkidle")
    assert visit.page.title() != "hacked"
    assert any("Content Security Policy" in line for line in visit.complaints)


def test_it_reads_without_scripts(browser: Any, tmp_path: Path) -> None:
    visit = Visit(browser, written(tmp_path), java_script_enabled=False)
    assert visit.page.locator("h1").inner_text() == "Regression"
    assert visit.page.locator("#filter").is_hidden()
    assert visit.page.locator("noscript p").is_visible()
    assert visit.shown() == 12
    visit.page.locator("details.still > summary").first.click()
    assert visit.shown() > 12
