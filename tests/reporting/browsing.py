"""A browser for the tests of pages: where it is, and what it did with a page."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)
MODULES = Path(os.environ.get("MT_GATE_NODE_MODULES") or Path(__file__).parents[2] / "node_modules")
AXE = Path(os.environ.get("MT_GATE_AXE") or MODULES / "axe-core" / "axe.min.js")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


# The result is dropped: for a large page its text takes longer than the check.
_RUN = """
async (everyRule) => {
  const rules = everyRule ? { runOnly: axe.getRules().map(({ ruleId }) => ruleId) } : {};
  const found = await axe.run({ resultTypes: ["violations"], ...rules });
  return found.violations.map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200)]);
}
"""


def violations(page: Any, *, every_rule: bool = False) -> list[tuple[str, str]]:
    """Return what axe-core finds in a page: each rule with the first element that breaks it.

    ``every_rule`` adds those of level AAA, and those that axe-core has switched off.
    """
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return [(rule, element) for rule, element in page.evaluate(_RUN, every_rule)]


class Visit:
    """An opened page, and what the browser did and complained of meanwhile."""

    def __init__(self, browser: Any, path: Path, *, fragment: str = "", **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri() + fragment)

    def shown(self) -> int:
        return int(self.page.locator("li.g:not(.telling):visible").count())

    def until(self, holds: str) -> None:
        """Wait until an expression holds; polled from outside, where no policy forbids it."""
        for _ in range(1500):
            if self.page.evaluate(holds):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"never came true: {holds}")

    def settled(self) -> None:
        """Wait until the report's script shows what its filters ask for."""
        self.until(
            "'ready' in document.documentElement.dataset"
            " && !document.querySelector('#filter[aria-busy]')"
        )

    def _addressed(self, name: str, value: str) -> None:
        value_of_key = f"new URLSearchParams(location.hash.slice(1)).get({json.dumps(name)}) ?? ''"
        self.until(f"({value_of_key}) === {json.dumps(value)}")
        self.settled()

    def typed(self, words: str) -> None:
        """Search the groups, and wait until they are found."""
        self.page.fill("#f-text", words)
        self._addressed("text", words)

    def chosen(self, name: str, **wanted: str) -> None:
        """Choose in one of the filters, and wait until it is applied."""
        self.page.select_option(f"#f-{name}", **wanted)
        self._addressed(name, self.page.locator(f"#f-{name}").input_value())

    def violations(self, *, every_rule: bool = False) -> list[tuple[str, str]]:
        return violations(self.page, every_rule=every_rule)
