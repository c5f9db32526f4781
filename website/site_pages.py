"""The pages of the site: where each comes from, and where its links lead there.

What is written for GitHub is the source. The site has the same files under flat names, so that
``docs/first-gate.md`` is ``first-gate.html``; links between files of the repository become links
between pages, and what is no page is shown at the repository's host.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
INDEX = "docs/README.md"
FLAT = {
    INDEX: "index.md",
    "README.md": "overview.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "runner/ARCHITECTURE.md": "architecture.md",
    ".github/SECURITY.md": "vulnerabilities.md",
}
"""Pages that have another name on the site than in ``docs``, by their path in the repository."""

_CODE = r"^```.*?^```$|(?P<tick>(?<!`)`+(?!`)).+?(?<!`)(?P=tick)(?!`)"
_LINK_OR_CODE = re.compile(
    rf"{_CODE}|(?<=\]\()(?P<target>(?!https?:|mailto:|#)[^)#\s]+)", re.MULTILINE | re.DOTALL
)
_SECTION = re.compile(r"^## (?P<title>.+)\n\n(?P<items>(?:^- .+\n?)+)", re.MULTILINE)
_ITEM = re.compile(r"^- \[(?P<title>[^]]+)\]\((?P<page>[\w/-]+)\.(?:md|rst)\)", re.MULTILINE)


class PageFault(Exception):  # noqa: N818 - what is wrong is the docs', not the program's
    """What is wrong with a page or with what the site is built of; one line."""


class Hosted(NamedTuple):
    """Where the repository is shown: its address, and the branch or tag that the site is of."""

    address: str
    ref: str

    def link(self, path: str, *, folder: bool) -> str:
        """Return the address of a file or folder of the repository."""
        return f"{self.address}/{'tree' if folder else 'blob'}/{self.ref}/{path}"


def sources() -> dict[str, str]:
    """Return each page's name on the site by its path in the repository."""
    docs = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    return {f"docs/{name}": name for name in docs} | FLAT


def relinked(text: str, page: str, hosted: Hosted) -> str:
    """Return a page's text with links that lead from its place on the site.

    Args:
        text: Markdown; what stands in code is left alone.
        page: its path in the repository.
        hosted: where files are shown that are no pages.

    Raises:
        PageFault: a link leads to nothing, or out of the repository.
    """
    names = sources()

    def moved(found: re.Match[str]) -> str:
        target = found["target"]
        if target is None:
            return found[0]
        path = (ROOT / page).parent.joinpath(target).resolve()
        if not path.exists() or not path.is_relative_to(ROOT):
            raise PageFault(f"{page}: links to {target}, which is not there; correct the link")
        inner = path.relative_to(ROOT).as_posix()
        if inner in names:
            return names[inner]
        if inner.startswith("docs/") and path.is_file():
            return inner.removeprefix("docs/")
        return hosted.link(inner, folder=path.is_dir())

    return _LINK_OR_CODE.sub(moved, text)


def navigation(text: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the sections of the index: a title, and each page's title and name."""
    for section in _SECTION.finditer(text):
        yield section["title"], _ITEM.findall(section["items"])


def with_navigation(text: str) -> str:
    """Return the index with each of its lists made a part of the navigation, too."""

    def listed(section: re.Match[str]) -> str:
        entries = [f"{title} <{page}>" for title, page in _ITEM.findall(section["items"])]
        options = ["```{toctree}", ":hidden:", f":caption: {section['title']}", ""]
        return "\n".join([section[0].rstrip("\n"), "", *options, *entries, "```", ""])

    return _SECTION.sub(listed, text)


def lay_out(into: Path, own: Path, hosted: Hosted) -> None:
    """Write the sources of all pages into a new folder.

    Args:
        into: a folder that is not there yet.
        own: the site's own pages; ``reference.md`` is the last section of the index.
        hosted: where files are shown that are no pages.

    Raises:
        PageFault: a page links to what is not there.
    """
    shutil.copytree(ROOT / "docs", into, ignore=shutil.ignore_patterns("*.md"))
    for path, name in sources().items():
        text = relinked((ROOT / path).read_text(encoding="utf-8"), path, hosted)
        if path == INDEX:
            text = with_navigation(f"{text}\n{(own / 'reference.md').read_text(encoding='utf-8')}")
        (into / name).write_text(text, encoding="utf-8")
    for page in own.glob("*.rst"):
        shutil.copy(page, into)
