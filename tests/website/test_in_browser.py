"""The site as a browser shows it: wide and narrow, light and dark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from reporting.browsing import AXE, violations

PAGES = ("index", "overview", "first-gate", "why", "trust", "cli/run", "api/mt_gate.gate", "search")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, as any host of static files does."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
def test_pages_fit_ask_nobody_else_and_are_accessible(
    browser: Any, address: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda asked: told.extend([asked.url][: asked.url[:17] != address[:17]]))
    for name in PAGES:
        page.goto(f"{address}main/{name}.html", wait_until="load")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        if AXE.is_file():
            assert violations(page) == [], name
    assert told == []
    context.close()


def test_search_finds_pages(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}main/search.html?q=anchor")
    page.locator("#search-results a", has_text="Baselines").first.wait_for()
    page.close()


def test_versions_are_listed(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.wait_for_url(f"{address}main/index.html")
    page.locator(".versions.listed summary").click()
    assert page.locator(".versions a").all_inner_texts() == ["main"]
    page.close()
