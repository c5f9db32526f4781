"""What benchmarks/graded.py makes of two runs."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import numpy as np
import pytest

import graded
from judging.test_evidence import drawn, rows
from mt_gate.judging.verdicts import verdicts_from_rows
from mt_gate.results.store import GROUPS


def store(folder: Path, name: str, margins: np.ndarray) -> None:
    out = folder / f"ner-{name}-9"
    out.mkdir()
    with gzip.open(out / GROUPS, "wb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows(margins))


def test_a_row_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graded, "REPETITIONS", 5)
    monkeypatch.setattr(graded, "RESCALED", 4)
    before = drawn(1)
    store(tmp_path, "baseline", before)
    store(tmp_path, "candidate", before - 1.0)
    row = graded.row_of("ner", 9, tmp_path)
    assert len(row) == len(graded.HEAD)
    assert row[:2] == ["ner, 9 sources", "600"]
    assert row[2].startswith("+")
    assert row[4].startswith("+")
    assert row[-1] == "0"


def test_both_sides_of_a_difference_count() -> None:
    low, high = (verdicts_from_rows(rows(drawn(1) + shift)) for shift in (-1.0, 0.0))
    worse, better = graded.two_sided(low, high), graded.two_sided(high, low)
    assert worse[1] == better[1] < 0.01
    assert graded.z_of(worse[1]) > 2.5
    assert graded.two_sided(low, low)[1] == 1


def test_rescaled_rows_keep_their_verdicts() -> None:
    one = rows(drawn(2))
    other = graded.rescaled([*one, msgspec.structs.replace(one[0], margin=None)], 1.5)
    assert [row.verdict for row in other[:-1]] == [row.verdict for row in one]
    assert other[0].margin == pytest.approx(1.5 * (one[0].margin or 0), rel=1e-3)
    assert other[-1].margin is None
