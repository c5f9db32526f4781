"""What each relation over texts edits and what it leaves alone, by the cases of its data file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from spacy.language import Language

from making_texts import check_alignment, follow_ups

FOLDER = Path(__file__).parents[2] / "cases" / "text"
CASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.iterdir()}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [(name, *pair) for name, one in CASES.items() for pair in one["edits"]],
)
def test_it_edits(name: str, before: str, after: str, nlp: Language) -> None:
    parser = nlp if CASES[name]["parsed"] else None
    assert follow_ups(name, before, parser) == follow_ups(name, before, parser), "by the seed alone"
    for seed in range(1, 1 + CASES[name].get("seeds", 1)):
        rewrites = follow_ups(name, before, parser, seed)
        for one in rewrites:
            check_alignment(before, one)
        if after in {one.text for one in rewrites}:
            return
    pytest.fail(f"no seed makes {after!r}")


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, one in CASES.items() for text in one["unchanged"]]
)
def test_it_does_nothing(name: str, text: str, nlp: Language) -> None:
    parser = nlp if CASES[name]["parsed"] else None
    for seed in range(1, 1 + min(20, CASES[name].get("seeds", 1))):
        assert follow_ups(name, text, parser, seed) == []
