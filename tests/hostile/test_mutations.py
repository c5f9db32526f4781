"""Whatever becomes of a file, a regression does not become a pass.

A part of ``benchmarks/mutate_files.py``, which runs longer, and has the fields that are exempt.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mt_gate.judging import permutation
from mutate_files import KINDS, fault, judged, made

SHARES = {
    "baseline": 5500,
    "baseline sealed": 3500,
    "result": 4500,
    "result sealed": 3000,
    "rows": 2000,
    "rows sealed": 1500,
    "settings": 2000,
}
AT_ONCE = 500


def test_there_are_enough_of_every_kind() -> None:
    assert set(SHARES) == set(KINDS)
    assert sum(SHARES.values()) >= 20_000


@pytest.mark.parametrize(
    ("kind", "seed"),
    [(kind, seed) for kind, count in SHARES.items() for seed in range(count // AT_ONCE)],
)
def test_no_mutation_turns_a_regression_into_a_pass(
    kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files are what is mutated: a regression as sure as this one needs no more permutations.
    monkeypatch.setattr(permutation, "DRAWS", 500)
    found = [*judged(made(tmp_path), kind, AT_ONCE, seed)]
    assert len(found) == AT_ONCE
    assert [told for item in found if (told := fault(kind, item))] == []
