"""What is found wrong with built pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from site_checks import faults


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<a href='b.html'>b</a><a href='#c'>c</a><p id=c>", []),
        ("<a href='b.html#d'>d</a><a href='b.html?q=1#d'>d</a>", []),
        ("<a href='in/'>i</a><a href='https://example.org/#x'>e</a><a href='mailto:a@b'>m</a>", []),
        ("<script src='s.js'></script><img src='data:image/gif;base64,'>", []),
        ("<a href='gone.html'>g</a>", ["links to gone.html, which is not there"]),
        ("<a href='b.html#gone'>g</a>", ["links to b.html#gone, which that page does not have"]),
        ("<a href='#gone'>g</a>", ["links to #gone, which that page does not have"]),
        ("<img src='gone.png'>", ["links to gone.png, which is not there"]),
        ("<script src='https://cdn/x.js'></script>", ["loads https://cdn/x.js from elsewhere"]),
        ("<link href='//cdn/x.css'>", ["loads //cdn/x.css from elsewhere"]),
        ("<p id=x></p><p id=x></p>", ["id x occurs twice"]),
        ("<script>1</script>", ["<script> is inline, which its policy forbids"]),
        ("<style>a{}</style>", ["<style> is inline, which its policy forbids"]),
        ("<p style='a:b'>", ["<p style> is inline, which its policy forbids"]),
        ("<p onclick='a()'>", ["<p onclick> is inline, which its policy forbids"]),
    ],
)
def test_faults(tmp_path: Path, body: str, expected: list[str]) -> None:
    (tmp_path / "in").mkdir()
    for name, text in {
        "a.html": body,
        "b.html": "<p id=d>",
        "in/index.html": "",
        "s.js": "",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert faults(tmp_path, "demo") == [f"a.html: {fault}" for fault in expected]


def test_reports_have_their_own_policy_but_lead_somewhere(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    text = "<style>a{}</style><script>1</script><a href='gone'>g</a>"
    (tmp_path / "demo" / "ner.html").write_text(text, encoding="utf-8")
    assert faults(tmp_path, "demo") == ["demo/ner.html: links to gone, which is not there"]
