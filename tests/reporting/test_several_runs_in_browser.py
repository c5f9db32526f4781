"""The pages of several runs in a real browser: requests, console, accessibility, lengths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reporting.browsing import AXE, Visit
from reporting.several_runs import compared, evaluated, over_time

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
