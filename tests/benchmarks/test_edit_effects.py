"""How often edits are violated, over a small, real run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from edit_effects import count_violations, figures, rows
from mt_gate.results.store import read_result


def test_figures_of_cases() -> None:
    cases = [[True, False], [False, False], [True, True], [False]]
    assert figures(cases) == ("4", "42.9%", "33.3%", "50.0%")
    assert figures([[False]]) == ("1", "0%", "n/a", "100%")


def test_a_run(run_gate: Callable, suite: Path, tmp_path: Path) -> None:
    run_gate(out=tmp_path / "out")
    counted = count_violations(str(suite), [tmp_path / "out"])
    for relation in read_result(tmp_path / "out" / "result.json").relations:
        cases = counted.get((relation.id, "", ""), [])
        assert len(cases) == relation.applicable
        assert sum(map(sum, cases)) == relation.violated
    table = list(rows(counted, 0))
    assert "ner/structural" in {row[0] for row in table}
