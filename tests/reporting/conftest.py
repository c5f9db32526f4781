from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reporting.browsing import CHROMIUM, FLAGS


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A running Chromium, the same for all tests of a process; each opens contexts of its own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium on the path")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()
