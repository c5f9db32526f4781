from __future__ import annotations

import stat
from pathlib import Path

from mt_gate.reporting.writers.write import write_reports
from reporting import made_up

ROWS = made_up.again(made_up.rows())


def test_all_reports_are_written(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    write_reports(out, made_up.result(), ROWS, made_up.CATALOGUE)
    assert sorted(p.name for p in out.iterdir()) == ["junit.xml", "report.html", "summary.md"]
    assert all(stat.S_IMODE(p.stat().st_mode) == 0o644 for p in out.iterdir())


def test_rows_are_read_once(tmp_path: Path) -> None:
    calls: list[int] = []

    def rows() -> list[object]:
        calls.append(1)
        return [*made_up.rows()]

    write_reports(tmp_path, made_up.result(), rows, made_up.CATALOGUE)  # type: ignore[arg-type]
    assert calls == [1]
