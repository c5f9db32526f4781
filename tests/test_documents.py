"""Documents point at what exists, and quote only figures of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import documents
import faults
from mt_gate.base.errors import HOME
from page_tables import cells, markdown, put, standing

ROOT = documents.ROOT
PAGES = [
    *sorted((ROOT / "benchmarks" / "results").glob("*.md")),
    *documents.markdown_files(),
    ROOT / "CONTRIBUTING.md",
    ROOT / ".ci" / "README.md",
    ROOT / ".github" / "SECURITY.md",
    ROOT / "runner" / "ARCHITECTURE.md",
]
PATH = re.compile(r"(?<![\w./-])(?:runner|mt_gate|benchmarks|tests)/[\w./*-]*[\w*/]")
MODULE = re.compile(r"`((?!mt_gate/|runner/)[a-z_][\w/]*\.py)`")
FILE = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
PAGE = re.compile(r"""\bpage\(["']([\w-]+)["'](?:, ["']([\w-]+)["'])?\)""")
HOSTED = re.compile(rf"{re.escape(HOME)}([\w-]+)\.html(?:#([\w-]+))?")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)")


each = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


class Lost(NamedTuple):
    """What is named in a page and is not there."""

    page: str
    name: str


def named(text: str) -> set[str]:
    """Return the paths of files and folders that a text names; ``mt_gate/`` is in ``runner/``."""
    return {re.sub("^mt_gate/", "runner/mt_gate/", path) for path in PATH.findall(text)}


def lost_paths(text: str) -> list[str]:
    return sorted(path for path in named(text) if not [*ROOT.glob(path.rstrip("/"))])


def lost_modules(text: str) -> list[str]:
    """Return the modules that a text names by the end of their path, and that no folder has."""
    return sorted(
        name
        for name in {*MODULE.findall(text)}
        if not any([*(ROOT / folder).rglob(name)] for folder in ("runner", "benchmarks", "tests"))
        and not (ROOT / name).exists()
    )


def anchors(text: str) -> set[str]:
    """Return the targets that GitHub gives the headings of a page."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def lost_anchors(page: Path, text: str) -> Iterator[Lost]:
    for target, anchor in LINK.findall(text):
        other = (page.parent / target).read_text(encoding="utf-8") if target else text
        if anchor not in anchors(other):
            yield Lost(page.name, f"{target}#{anchor}")


@each
def test_files_that_a_page_names_exist(page: Path) -> None:
    assert lost_paths(page.read_text(encoding="utf-8")) == []


@each
def test_modules_that_a_page_names_exist(page: Path) -> None:
    assert lost_modules(page.read_text(encoding="utf-8")) == []


@each
def test_files_that_a_page_links_to_exist(page: Path) -> None:
    links = FILE.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@each
def test_headings_that_a_page_links_to_exist(page: Path) -> None:
    assert [*lost_anchors(page, page.read_text(encoding="utf-8"))] == []


def test_pages_name_files() -> None:
    actual = {path for page in PAGES for path in named(page.read_text(encoding="utf-8"))}
    assert {"runner/mt_gate/gate.py", "runner/mt_gate/suites/data/*/LICENCES.md"} <= actual


def test_pages_that_messages_name_exist() -> None:
    actual = [
        (name, anchor)
        for path in (ROOT / "runner").rglob("*.py")
        for name, anchor in PAGE.findall(path.read_text(encoding="utf-8"))
    ]
    actual += HOSTED.findall((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert len(actual) >= 40
    for name, anchor in actual:
        page = ROOT / "docs" / f"{name}.md"
        assert page.is_file(), name
        assert not anchor or anchor in anchors(page.read_text(encoding="utf-8")), (name, anchor)


def test_no_message_names_a_file_of_the_documentation() -> None:
    for path in (ROOT / "runner").rglob("*.py"):
        text = re.sub(r'(?s)""".*?"""|#[^\n]*', "", path.read_text(encoding="utf-8"))
        assert not re.search(r"docs/[a-z-]+\.md", text), path


DOCS = documents.ROOT / "docs"
RESULTS = documents.ROOT / "benchmarks" / "results"


def figures(text: str) -> set[str]:
    """Return the decimal numbers of a text."""
    return {*re.findall(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)", text)}


@pytest.mark.parametrize("page", ["quality.md", "speed.md", "trust.md", "why.md"])
def test_quoted_figures_are_where_their_commands_put_them(page: str) -> None:
    quoted = figures((DOCS / page).read_text(encoding="utf-8"))
    measured = figures(
        "".join(path.read_text("utf-8") for path in (*RESULTS.glob("*.md"), DOCS / "mutation.md"))
    )
    assert quoted <= measured | {"0.05"}, (
        f"docs/{page} quotes what no table says: {quoted - measured}"
    )


def test_a_table_replaces_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    marks = "<!-- table: size -->\n{}<!-- end -->\nb\n<!-- table: again -->\n<!-- end -->\n"
    page.write_text(marks.format(""), encoding="utf-8")
    for table in ("old", "new"):
        put(page, "size", table)
        assert page.read_text(encoding="utf-8") == marks.format(f"{table}\n")
    with pytest.raises(SystemExit, match="no mark"):
        put(page, "power", "new")
    page.write_text("<!-- table: size -->\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no mark"):
        put(page, "size", "new")
    assert page.read_text(encoding="utf-8") == "<!-- table: size -->\n", "as it was"


def test_a_table_of_cells() -> None:
    assert markdown(("a", "b"), [("1", "2")]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"


def test_cells_are_read_back_by_column() -> None:
    text = f"words\n\n{markdown(('a', 'b'), [('1', ''), ('x', '2')])}\n{markdown(('c',), [('3',)])}"
    page = f"before\n<!-- table: one -->\n{text}<!-- end -->\n<!-- table: two -->\n<!-- end -->\n"
    assert standing(page, "one") == text
    assert [*cells(text)] == [{"a": "1", "b": ""}, {"a": "x", "b": "2"}, {"c": "3"}]
    assert [*cells(standing(page, "two"))] == [*cells(standing(page, "three"))] == []


def test_the_readme_says_what_the_tables_say() -> None:
    said = standing(faults.README.read_text(encoding="utf-8"), "worth")
    assert said == faults.worth(faults.PAGE.read_text(encoding="utf-8"))
    assert "`ner` " in said
