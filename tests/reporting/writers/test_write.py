from __future__ import annotations

import stat
from pathlib import Path

from mt_gate.reporting.writers.write import write_reports
from reporting import hostile, made_up

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


def test_reports_are_written_over(tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("old")
    write_reports(tmp_path, made_up.result(), ROWS, made_up.CATALOGUE)
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("###")


def test_hostile_texts_can_be_written(tmp_path: Path) -> None:
    rows = made_up.again(hostile.rows(made_up.rows()))
    write_reports(tmp_path, hostile.result(made_up.result()), rows, hostile.CATALOGUE)
    for path in tmp_path.iterdir():
        assert "\x00" not in path.read_text(encoding="utf-8")
