"""A browser for the tests of pages: where it is, and what it did with a page."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)
AXE = Path(
    os.environ.get("MT_GATE_AXE")
    or Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


class Visit:
    """An opened page, and what the browser did and complained of meanwhile."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def shown(self) -> int:
        """Return how many groups can be seen."""
        return int(self.page.locator("li.g:visible").count())

    def violations(self) -> list[tuple[str, str]]:
        """Return what axe-core finds: each rule with the first element that breaks it."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run()")["violations"]
        return [(item["id"], item["nodes"][0]["html"][:200]) for item in found]
