"""What a file of relations makes, before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.base.errors import UsageError
from mt_gate_suites.own.preview import preview

DOCS = Path(__file__).parents[3] / "docs" / "own-relations"


def test_before_and_after_of_each_relation() -> None:
    shown = preview(DOCS / "relations.toml", (DOCS / "texts.txt",), "none", 2).split("\n")
    assert "text/please-left-out (same): 2 follow-ups of 2 of 10 sources" in shown
    at = shown.index("text/please-left-out (same): 2 follow-ups of 2 of 10 sources")
    before, after = shown[at + 1 : at + 3]
    assert before.startswith("  - Could you please ")
    assert after == before.replace("  - ", "  + ").replace("please ", "")
    assert sum(line.startswith("  - ") for line in shown) == 10


def test_a_rule_that_never_fires_is_shown_as_such(tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(
        '[[relation]]\nname = "one"\ntitle = "One"\noutput = { kind = "same" }\n'
        'words = { zebra = "horse" }\n'
    )
    assert preview(path, (DOCS / "texts.txt",), "none") == (
        "text/one (same): 0 follow-ups of 0 of 10 sources"
    )


def test_what_is_not_as_expected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        preview(tmp_path / "none.toml", (), "none")
