"""What the pages are made of: links as they read on the site, and the navigation."""

from __future__ import annotations

from pathlib import Path

import pytest

import documents
from site_pages import FLAT, INDEX, Hosted, PageFault, lay_out, navigation, relinked, sources
from site_pages import with_navigation as listed

HOSTED = Hosted("https://host/repository", "v1.0.0")
OWN = documents.ROOT / "website"


@pytest.mark.parametrize(
    ("page", "text", "expected"),
    [
        ("docs/text.md", "[a](decisions.md)", "[a](decisions.md)"),
        ("docs/text.md", "[a](decisions.md#what-changed)", "[a](decisions.md#what-changed)"),
        ("docs/text.md", "[a](../README.md#verdicts)", "[a](overview.md#verdicts)"),
        ("docs/text.md", "[a](README.md)", "[a](index.md)"),
        ("docs/text.md", "![a](images/report.png)", "![a](images/report.png)"),
        ("README.md", "![a](docs/images/report.png)", "![a](images/report.png)"),
        ("README.md", "[a](docs/text.md), [b](docs/ner.md)", "[a](text.md), [b](ner.md)"),
        (".github/SECURITY.md", "[a](../docs/security.md)", "[a](security.md)"),
        ("docs/text.md", "[a](audits/)", "[a](https://host/repository/tree/v1.0.0/docs/audits)"),
        (
            "docs/text.md",
            "[a](../action.yml)",
            "[a](https://host/repository/blob/v1.0.0/action.yml)",
        ),
        # what stays as it is
        ("docs/text.md", "[a](#the-threshold)", "[a](#the-threshold)"),
        ("docs/text.md", "[a](https://pytorch.org/a.md)", "[a](https://pytorch.org/a.md)"),
        ("docs/text.md", "`[a](gone.md)`", "`[a](gone.md)`"),
        ("docs/text.md", "``[`a`](gone.md)``", "``[`a`](gone.md)``"),
        ("docs/text.md", "```\n[a](gone.md)\n```\n", "```\n[a](gone.md)\n```\n"),
        ("docs/text.md", "[`a`](../README.md) `b`", "[`a`](overview.md) `b`"),
    ],
)
def test_links(page: str, text: str, expected: str) -> None:
    assert relinked(text, page, HOSTED) == expected


@pytest.mark.parametrize("target", ["gone.md", "../../gone.md", "../..", "/etc/passwd"])
def test_a_link_to_nothing_is_one_line(target: str) -> None:
    with pytest.raises(PageFault, match=r"docs/text\.md: links to .* not there; correct") as raised:
        relinked(f"[a]({target})", "docs/text.md", HOSTED)
    assert "\n" not in str(raised.value)


def test_no_two_pages_have_one_name() -> None:
    assert len({*sources().values()}) == len(sources())
    assert all((documents.ROOT / path).is_file() for path in FLAT)


def test_every_page_is_in_the_navigation_once() -> None:
    text = relinked((documents.ROOT / INDEX).read_text(encoding="utf-8"), INDEX, HOSTED)
    found = [f"{page}.md" for _, items in navigation(text) for _, page in items]
    assert sorted(found) == sorted({*sources().values()} - {"index.md"})


def test_the_lists_of_the_index_become_navigation() -> None:
    text = "# A\n\nb\n\n## C\n\n- [D e](d-e.md): f\n- [G](g.rst): h\n\n## I\n\n- [J](j.md)\n"
    built = listed(text)
    assert "```{toctree}\n:hidden:\n:caption: C\n\nD e <d-e>\nG <g>\n```" in built
    assert ":caption: I\n\nJ <j>\n```" in built
    assert all(line in built.splitlines() for line in text.splitlines())


def test_the_sources_of_all_pages_are_laid_out(tmp_path: Path) -> None:
    lay_out(tmp_path / "pages", OWN, HOSTED)
    assert {path.name for path in (tmp_path / "pages").glob("*.md")} == {*sources().values()}
    assert (tmp_path / "pages" / "api.rst").is_file()
    assert (tmp_path / "pages" / "images" / "report.png").is_file()
