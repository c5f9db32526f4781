"""What must hold of the built pages: links lead somewhere, and nothing is loaded from afar."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "link": "href", "source": "src", "iframe": "src"}


class _Page(HTMLParser):
    """A page's ids, links, what it loads, and what its own policy forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.repeated: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what a tag names."""
        given = dict(attrs)
        if name := given.get("id"):
            if name in self.ids:
                self.repeated.append(name)
            self.ids.add(name)
        if tag == "a" and (target := given.get("href")) is not None:
            self.links.append(target)
        if tag in _LOADED and (target := given.get(_LOADED[tag])):
            self.loaded.append(target)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(f"<{tag}>")
        self.inline += [f"<{tag} {name}>" for name in given if name == "style" or name[:2] == "on"]


def faults(site: Path, standalone: str) -> list[str]:
    """Return what is wrong with the pages of a site, a line each.

    Args:
        site: the folder of one version.
        standalone: a folder within it whose pages bring what they need, and their own policy.
    """
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    found: list[str] = []
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name}: {fault}" for fault in _of_links(path, page, pages)]
        if not name.startswith(f"{standalone}/"):
            found += [f"{name}: id {one} occurs twice" for one in page.repeated]
            found += [f"{name}: {one} is inline, which its policy forbids" for one in page.inline]
    return found


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def _of_links(path: Path, page: _Page, pages: dict[Path, _Page]) -> Iterator[str]:
    for target in page.loaded:
        if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
            yield f"loads {target} from elsewhere"
    for target in [*page.links, *page.loaded]:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if file.is_dir():
            file /= "index.html"
        if not file.is_file():
            yield f"links to {target}, which is not there"
        elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].ids:
            yield f"links to {target}, which that page does not have"
