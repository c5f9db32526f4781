"""A browser that hears whatever a page should not do, and a visitor who touches all of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reporting.xss_corpus import CANARY

_LISTEN = """
window.__reports = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__reports.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
"""
_STATE = ("hidden", "open", "disabled", "checked", "aria-current", "aria-expanded", "aria-pressed")
_SNAPSHOT = """
(state) => {
  const shapes = {}, addresses = [], texts = [];
  const told = ["href", "src", "srcset", "action", "formaction", "data", "poster", "ping", "cite"];
  for (const element of document.querySelectorAll("*")) {
    const names = [];
    for (const { name, localName, value } of element.attributes) {
      if (!state.includes(name)) names.push(name);
      if (told.includes(localName)) addresses.push(value);
      if (["title", "aria-label", "alt", "placeholder"].includes(name)) texts.push(value);
    }
    const shape = `${element.namespaceURI.split("/").pop()} ${element.localName} ${names.sort()}`;
    shapes[shape] = (shapes[shape] ?? 0) + 1;
  }
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) {
    const { parentNode } = walker.currentNode;
    if (!["SCRIPT", "STYLE"].includes(parentNode.nodeName)) text += walker.currentNode.data;
  }
  return [shapes, addresses, [text, ...texts].join(" ").replace(/\\s+/g, " ")];
}
"""
_TOUCH = """
() => {
  const focusable = "a, button, input, select, textarea, summary, [tabindex]";
  const stay = (event) => {
    if (event.target.closest?.("a[href^=http]")) event.preventDefault();
  };
  const touch = (root) => {
    root.defaultView?.addEventListener("click", stay, true);
    for (const element of root.querySelectorAll("body, body *")) {
      for (const kind of ["pointerenter", "mouseover", "mouseenter", "focusin", "toggle"]) {
        element.dispatchEvent(new Event(kind, { bubbles: kind !== "mouseenter" }));
      }
      if (element.matches(focusable)) element.focus();
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
    root.defaultView?.removeEventListener("click", stay, true);
    for (const frame of root.querySelectorAll("iframe")) {
      if (frame.contentDocument) touch(frame.contentDocument);
    }
  };
  touch(document);
}
"""
_TYPE = """
(texts) => {
  const changed = (field) => {
    for (const kind of ["input", "change", "search"]) {
      field.dispatchEvent(new Event(kind, { bubbles: true }));
    }
  };
  const fields = 'input:not([type]), input[type="text"], input[type="search"], textarea';
  for (const field of [...document.querySelectorAll(fields)].slice(0, 5)) {
    for (const text of [...texts, ""]) {
      field.value = text;
      changed(field);
    }
  }
  for (const choice of document.querySelectorAll("select")) {
    for (const index of [...Array.from(choice.options).keys()].slice(0, 8).reverse()) {
      choice.selectedIndex = index;
      changed(choice);
    }
  }
  for (const text of texts) location.hash = text;
  location.hash = "";
}
"""
_NEXT = re.compile(r"next|more|further|load", re.IGNORECASE)
_MOST_PAGES = 40


class Shot(NamedTuple):
    """What stands in a page: elements with the names of their attributes, addresses, texts."""

    shapes: Counter[str]
    addresses: frozenset[str]
    text: str

    def without_marks(self) -> Counter[str]:
        """Return the elements but those within a sentence: where a text breaks moves them."""
        marks = ("ins", "del", "i", "b", "mark", "span")
        kept = {shape: n for shape, n in self.shapes.items() if shape.split()[1] not in marks}
        return Counter(kept)


class Siege:
    """One browser window, and what its pages did that they should not."""

    def __init__(self, browser: Any) -> None:
        self.ran: list[int] = []
        self.misdeeds: list[str] = []
        self.context = browser.new_context()
        self.context.expose_binding(CANARY, self._hear)
        self.context.add_init_script(_LISTEN)
        self.page = self.context.new_page()
        self._asked: list[str] = []
        self.page.on("request", lambda request: self._asked.append(request.url))
        self.page.on("console", lambda said: self.misdeeds.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.misdeeds.append(f"error: {error}"))
        self.page.on("popup", lambda popup: self.misdeeds.append(f"window: {popup.url}"))
        self.page.on("dialog", self._dismiss)

    def _hear(self, _: Any, *arguments: Any) -> None:
        told = str(arguments[0] if arguments else "-1")
        self.ran += [int(number) for number in re.findall(r"\d+", told)[:1]] or [-1]

    def _dismiss(self, dialog: Any) -> None:
        self.misdeeds.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: Path) -> Shot:
        """Open a page, and wait until it stands still."""
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
        """Return what stands in the page now."""
        shapes, addresses, text = self.page.evaluate(_SNAPSHOT, list(_STATE))
        return Shot(Counter(shapes), frozenset(addresses), text)

    def pages(self) -> Iterator[Shot]:
        """Go on by whatever button leads on, and yield what then stands in the page."""
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
        asked = [url for url in self._asked if url.partition("#")[0] != path.as_uri()]
        found = [f"asked for {url[:200]}" for url in asked if not url.startswith("blob:")]
        found += [f"policy: {report}" for report in self.page.evaluate("window.__reports")]
        found += [f"ran payload {number}" for number in self.ran]
        found += self.misdeeds
        self.forget()
        return found

    def forget(self) -> None:
        """Forget what pages did."""
        self.ran.clear()
        self.misdeeds.clear()
        self._asked.clear()
