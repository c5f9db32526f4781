"""A browser that hears whatever a page should not do, and a visitor who touches all of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cases import FOLDER
from reporting.xss_corpus import CANARY

_LISTEN = """
window.__reports = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__reports.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
"""
_SNAPSHOT, _TOUCH, _TYPE = (
    (FOLDER / "reporting" / f"{name}.js").read_text("utf-8")
    for name in ("snapshot", "touch", "type")
)
_STATE = ("hidden", "open", "disabled", "checked", "aria-current", "aria-expanded", "aria-pressed")
_NEXT = re.compile(r"next|more|further|load", re.IGNORECASE)
_MOST_PAGES = 40


class Shot(NamedTuple):
    """The content of a page: elements with the names of their attributes, addresses, texts."""

    shapes: Counter[str]
    addresses: frozenset[str]
    text: str

    def without_marks(self) -> Counter[str]:
        marks = ("ins", "del", "i", "b", "mark", "span")
        others = {shape: n for shape, n in self.shapes.items() if shape.split()[1] not in marks}
        return Counter(others)


class Siege:
    """One browser window, and what its pages did that they should not."""

    def __init__(self, browser: Any) -> None:
        self.ran: list[int] = []
        self.misdeeds: list[str] = []
        self.context = browser.new_context()
        self.context.expose_binding(CANARY, self._hear)
        self.context.add_init_script(_LISTEN)
        self.page = self.context.new_page()
        self._urls: list[str] = []
        self.page.on("request", lambda request: self._urls.append(request.url))
        self.page.on("console", lambda said: self.misdeeds.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.misdeeds.append(f"error: {error}"))
        self.page.on("popup", lambda popup: self.misdeeds.append(f"window: {popup.url}"))
        self.page.on("dialog", self._dismiss)

    def _hear(self, _: Any, *arguments: Any) -> None:
        message = str(arguments[0] if arguments else "-1")
        self.ran += [int(number) for number in re.findall(r"\d+", message)[:1]] or [-1]

    def _dismiss(self, dialog: Any) -> None:
        self.misdeeds.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: Path) -> Shot:
        """Open a page, and wait until it has settled."""
        self.page.goto(path.as_uri())
        self.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        return self._settled()

    def _settled(self) -> Shot:
        size = "[document.getElementsByTagName('*').length, document.body.textContent.length]"
        before = self.page.evaluate(size)
        for _ in range(200):
            self.page.wait_for_timeout(20)
            now = self.page.evaluate(size)
            if now == before:
                break
            before = now
        return self.shot()

    def shot(self) -> Shot:
        shapes, addresses, text = self.page.evaluate(_SNAPSHOT, list(_STATE))
        return Shot(Counter(shapes), frozenset(addresses), text)

    def pages(self) -> Iterator[Shot]:
        """Press each button that leads on, and yield the page's content after it."""
        for _ in range(_MOST_PAGES):
            buttons = self.page.locator("button:visible:enabled", has_text=_NEXT)
            if buttons.count() == 0:
                return
            before = self.shot().text
            buttons.last.click()
            now = self._settled()
            if now.text == before:
                return
            yield now

    def touch(self, texts: Sequence[str] = ()) -> Shot:
        """Point at, focus and click everything; type ``texts``; put them into the address."""
        self.page.evaluate(_TOUCH)
        self.page.evaluate(
            _TYPE, [text.encode("utf-16", "replace").decode("utf-16") for text in texts]
        )
        return self._settled()

    def findings(self, path: Path) -> list[str]:
        """Return what the page did that it should not, since the last call."""
        urls = [url for url in self._urls if url.partition("#")[0] != path.as_uri()]
        misdeeds = [f"asked for {url[:200]}" for url in urls if not url.startswith("blob:")]
        misdeeds += [f"policy: {report}" for report in self.page.evaluate("window.__reports")]
        misdeeds += [f"ran payload {number}" for number in self.ran]
        misdeeds += self.misdeeds
        self.forget()
        return misdeeds

    def forget(self) -> None:
        """Forget what pages did."""
        self.ran.clear()
        self.misdeeds.clear()
        self._urls.clear()
