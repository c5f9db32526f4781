"""The page that tells users what is fuzzed names every target."""

from __future__ import annotations

import re

import documents
from fuzz.table import TARGETS

PAGE = documents.ROOT / "benchmarks" / "results" / "reliability.md"
_ROW = re.compile(r"^\| `([^`]+)` \| .* \|$", re.MULTILINE)


def test_every_target_has_its_row() -> None:
    assert _ROW.findall(PAGE.read_text(encoding="utf-8")) == [*TARGETS]
