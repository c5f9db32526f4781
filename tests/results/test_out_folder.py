"""One run at a time locks a folder of reports, and leaves only its reports in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, CannotJudge, UsageError
from mt_gate.results.store import (
    NAMES,
    check_unlinked,
    check_writable,
    emptied,
    locked,
    remove_reports,
    renewed,
)


def test_one_at_a_time(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with locked(out):
        with pytest.raises(UsageError, match=r"another mt-gate\. Wait, or choose another"):
            locked(out).__enter__()
        assert [*out.iterdir()] == []
    with locked(out):
        pass


def test_a_folder_that_stays_empty_goes_again(tmp_path: Path) -> None:
    with locked(tmp_path / "a" / "b"):
        assert (tmp_path / "a" / "b").is_dir()
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "c").mkdir()
    with locked(tmp_path / "c"), pytest.raises(KeyError):
        raise KeyError
    assert (tmp_path / "c").is_dir()
    with locked(tmp_path / "d" / "e"):
        (tmp_path / "d" / "e" / "report").write_text("")
    assert (tmp_path / "d" / "e" / "report").is_file()


def test_old_reports_go_first_and_what_was_half_written(tmp_path: Path) -> None:
    for name in (*NAMES, ".result.json.abcd_123", ".mine.json", "mine.json"):
        (tmp_path / name).write_text("before")
    with emptied(tmp_path):
        assert sorted(path.name for path in tmp_path.iterdir()) == [".mine.json", "mine.json"]


def test_a_link_to_nothing_is_refused_before_predicting(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere/out")
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "link", tmp_path / "link" / "new"):
        with pytest.raises(UsageError, match=r"written \(a broken link: .*link\)"):
            check_writable(place)
    with pytest.raises(UsageError, match=r"\(not a folder: .*file\)"):
        check_writable(tmp_path / "file" / "new")
    check_writable(tmp_path / "new" / "one")


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_run_that_fails_leaves_the_reports_of_the_last_one(
    run_gate: Callable, command: Callable, small: Path, tmp_path: Path
) -> None:
    assert run_gate("--against", small).code == PASS
    out = tmp_path / "out"
    before = content(out)
    assert "base/result.json" in before
    shutil.copytree(small, tmp_path / "unfit")
    (tmp_path / "unfit" / "tokenizer.json").write_text("{}")
    failing = (
        (run_gate(baseline=tmp_path / "none.json"), CANNOT_JUDGE),
        (run_gate(checkpoint=tmp_path / "nowhere"), USAGE),
        (run_gate(checkpoint=tmp_path / "unfit"), CANNOT_JUDGE),
        (run_gate("--against", small, checkpoint=tmp_path / "unfit"), CANNOT_JUDGE),
        (run_gate("--relations", "ner/none"), USAGE),
        (run_gate("--nothing-of-that-name"), USAGE),
        (run_gate("--shard", "1/2", checkpoint=tmp_path / "unfit"), CANNOT_JUDGE),
        (command("compare", "out", "--baseline", "none.json", "--out", "out"), CANNOT_JUDGE),
        (command("merge", tmp_path / "nowhere", "--out", "out"), CANNOT_JUDGE),
    )
    for answer, code in failing:
        assert answer.code == code, answer
    assert content(out) == before
    assert command("report", "out", "--format", "json").code == PASS
    assert run_gate().code == PASS
    assert set(content(out)) == set(NAMES)  # nothing of the base is left next to a separate run


def test_a_link_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work" / "plain").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "linked").symlink_to("work")
    monkeypatch.chdir(tmp_path / "linked")
    for place in ("plain/new", "new", "../new", str(tmp_path / "linked" / "new"), "."):
        check_unlinked(Path(place))
    Path("out").symlink_to("../elsewhere")
    Path("dangling").symlink_to("../nowhere")
    for place in ("out", "out/new", "dangling", "plain/../out"):
        with pytest.raises(CannotJudge, match="the path has a link"):
            check_unlinked(Path(place))


def test_a_link_in_the_place_of_new_reports_is_not_followed(tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    out.mkdir()
    other.mkdir()
    (other / "kept").write_text("")
    (out / ".mt-gate-new").symlink_to(other)
    with renewed(out) as folder:
        for name in NAMES:
            (folder / name).write_text("after")
    assert [path.name for path in other.iterdir()] == ["kept"]


def test_of_a_link_only_the_link_goes_and_nothing_through_a_link(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.json").write_text("before")
    (out / "result.json").symlink_to("mine.json")
    (tmp_path / "link").symlink_to(out)
    with pytest.raises(UsageError, match="a link to a folder with reports of an earlier run"):
        remove_reports(tmp_path / "link")
    remove_reports(out)
    assert [path.name for path in out.iterdir()] == ["mine.json"]
    (out / "report.html").mkdir()
    for refuse in (remove_reports, lambda place: renewed(place).__enter__()):
        with pytest.raises(UsageError, match=r"report\.html is not a file"):
            refuse(out)
