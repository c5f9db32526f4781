"""A baseline of format 2, as the release before wrote it, is one run without anchor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from baselines.made import ROWS, SETTINGS, built
from mt_gate.base.errors import CannotJudge
from mt_gate.baselines.reading import read_baseline
from mt_gate.baselines.writing import write_baseline
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import verdicts_from_rows

FILE = Path(__file__).parents[1] / "formats" / "files" / "baseline" / "2" / "ner.json"


def test_it_is_one_run_and_judges_as_before() -> None:
    old, new = read_baseline(FILE), built(accept="the demo")
    assert (old.format, old.anchor, len(old.runs)) == (2, None, 1)
    assert old.accept == "the demo"
    assert old.settings == new.settings
    assert (old.first.id, old.first.created) == ("", new.recorded)
    assert old.first.relations == tuple(
        msgspec.structs.replace(relation, unstable_groups=None, silent_sources=None)
        for relation in new.first.relations
    )
    assert old.first.profile == new.first.profile
    now = verdicts_from_rows(ROWS)
    assert compare(now, old.verdicts(), SETTINGS) == compare(now, new.verdicts(), SETTINGS)


def test_it_is_written_in_the_newest_format(tmp_path: Path) -> None:
    old = read_baseline(FILE)
    write_baseline(tmp_path / "ner.json", old)
    assert read_baseline(tmp_path / "ner.json") == msgspec.structs.replace(old, format=3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data["relations"][0]["violated_groups"].pop(), "sha256 of its content"),
        (lambda data: data.update(recorded="2025-01-31T12:00:01Z"), "sha256 of its content"),
        (lambda data: data.pop("sha256"), r"it says nothing\.\.\."),
        (lambda data: data["settings"].update(alpha=0.6), "not a baseline"),
        (lambda data: data["relations"][0].update(unstable_groups=[]), "not a baseline"),
        (lambda data: data.update(runs=[]), "not a baseline"),
        (lambda data: data.update(format=3), "not a baseline"),
    ],
)
def test_a_changed_one_cannot_judge(tmp_path: Path, change: Any, said: str) -> None:
    data = json.loads(FILE.read_bytes())
    change(data)
    (tmp_path / "b.json").write_text(json.dumps(data))
    with pytest.raises(CannotJudge, match=said):
        read_baseline(tmp_path / "b.json")


def test_one_that_was_written_with_other_blanks_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_bytes(FILE.read_bytes().replace(b"\n", b"\r\n"))
    assert read_baseline(tmp_path / "b.json") == read_baseline(FILE)
