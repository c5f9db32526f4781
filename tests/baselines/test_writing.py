"""Baselines are written whole or not at all, the same each time, and can be compared."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import msgspec
import pytest

from baselines.made import ROWS, bound, built, result_of, static
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.baselines.outputs import outputs_path
from mt_gate.baselines.recording import diff_baselines
from mt_gate.baselines.schema import Anchor, read_baseline
from mt_gate.baselines.writing import (
    RunToRecord,
    build_baseline,
    format_baseline,
    in_memory,
    record_pair,
    write_baseline,
)
from mt_gate.domain import Verdict
from mt_gate.judging.verdicts import verdicts_from_rows

NOT = Verdict.NOT_APPLICABLE


def test_the_file_is_the_same_each_time_and_reads_well_in_a_review(file: Path) -> None:
    text = file.read_bytes().decode()
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    regrouped = sorted(shuffled, key=lambda row: row.relation != "swap")
    assert format_baseline(built(regrouped)).decode() == text
    assert text.endswith("}\n")
    assert "\r" not in text
    lines = text.splitlines()
    assert '"swap-000000000000",' in lines
    assert '"source-0000": [2, ["bind-0-0"]],' in lines
    assert list(json.loads(text)) == [
        "format", "sha256", "tool", "name", "recorded", "suite", "settings", "runs",
    ]  # fmt: skip


def test_a_verdict_that_moves_changes_two_lines_the_counts_and_the_digest() -> None:
    before, after = (
        format_baseline(built(static(pattern))).decode().splitlines()
        for pattern in ("vsssv", "vsvsv")
    )
    moved = set(before) ^ set(after)
    known = ("violated", "000000000002", '"sha256"')
    assert all(any(part in line for part in known) for line in moved)


def test_runs_and_anchor_are_read_as_written(tmp_path: Path) -> None:
    first = built()
    anchor = Anchor(name="old", recorded="2024-12-31", runs=first.runs)
    baseline = built(ROWS, ROWS, anchor=anchor)
    write_baseline(tmp_path / "ner.json", baseline)
    assert read_baseline(tmp_path / "ner.json") == baseline
    text = (tmp_path / "ner.json").read_text()
    assert text.splitlines().count('"swap-000000000000",') == 3
    assert list(json.loads(text))[-2:] == ["runs", "anchor"]


def test_what_could_not_be_read_again_is_not_built() -> None:
    rows = static("s", relation="r" * 300)
    with pytest.raises(CannotJudge, match="<= 200"):
        built(rows)


def test_a_path_that_is_no_text_can_be_recorded() -> None:
    result = result_of(ROWS)
    odd = msgspec.structs.replace(result.checkpoint, name="models/\udcff")
    result = msgspec.structs.replace(result, checkpoint=odd)
    baseline = build_baseline([RunToRecord(result, verdicts_from_rows(ROWS))], "ner")
    assert baseline.runs[0].checkpoint.name == "models/?"


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_failed_write_leaves_the_old_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    old = file.read_bytes()
    target = {"write": "fdopen", "fsync": "fsync", "replace": "replace"}[step]
    monkeypatch.setattr(os, target, refuse)
    with pytest.raises(UsageError, match="No space left on device") as caught:
        write_baseline(file, built(static("ssss")))
    assert caught.value.exit_code == 2
    assert file.read_bytes() == old
    assert list(file.parent.iterdir()) == [file]


def test_a_baseline_in_memory_is_what_its_files_would_hold(tmp_path: Path) -> None:
    path, baseline = tmp_path / "ner.json", built()
    record_pair(path, baseline, ROWS)
    actual = in_memory(baseline, ROWS, "the base")
    assert (actual.data, actual.against) == (path.read_bytes(), "the base")
    assert actual.outputs is not None
    assert gzip.decompress(actual.outputs) == gzip.decompress(outputs_path(path).read_bytes())
    assert actual == in_memory(baseline, ROWS, "the base")


def test_two_baselines_side_by_side() -> None:
    a = built(static("vssn") + bound(["vs", "s"]) + static("vs", "old"))
    b = built(static("svss") + bound(["ss", "v"]) + static("sv", "new"))
    swap, bind, old, new = diff_baselines(a, b)
    assert (swap.newly_violated, swap.fixed) == ({"swap-000000000001"}, {"swap-000000000000"})
    assert swap.rates == (pytest.approx(1 / 3), 0.25)
    assert swap.only == (0, 1)
    assert (bind.newly_violated, bind.fixed) == ({"bind-1-0"}, {"bind-0-0"})
    assert (old.newly_violated, old.only, old.rates) == (set(), (2, 0), (0.5, None))
    assert (new.fixed, new.only, new.rates) == (set(), (0, 2), (None, 0.5))


def test_a_baseline_does_not_differ_from_itself() -> None:
    for relation in diff_baselines(built(), built()):
        assert (relation.newly_violated, relation.fixed, relation.only) == (set(), set(), (0, 0))


def test_of_several_runs_the_first_is_taken() -> None:
    diff = diff_baselines(built(static("vs"), static("ss")), built(static("ss"), static("vs")))
    assert [relation.fixed for relation in diff] == [{"swap-000000000000"}]
