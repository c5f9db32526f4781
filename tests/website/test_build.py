"""The command: what it builds, and what it says where it cannot."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import site_build
from site_checks import faults
from site_demo import FOLDER
from site_pages import sources
from website.making import REPORT, make_demo, needs_sphinx


def test_every_page_is_built_and_leads_somewhere(site: Path) -> None:
    main = site / "main"
    for name in sources().values():
        assert (main / name).with_suffix(".html").is_file()
    assert faults(main, FOLDER) == []
    assert json.loads((site / "versions.json").read_text("utf-8")) == {"versions": ["main"]}


def test_reports_are_taken_as_they_are(site: Path) -> None:
    assert (site / "main" / FOLDER / "ner.html").read_text(encoding="utf-8") == REPORT
    assert "regression" in (site / "main" / "demo-reports.html").read_text(encoding="utf-8")


def test_modules_are_described(site: Path) -> None:
    page = (site / "main" / "api" / "mt_gate.results.result.html").read_text(encoding="utf-8")
    assert 'id="mt_gate.results.result.Result"' in page


def test_pages_have_a_policy(site: Path) -> None:
    for path in (site / "main").glob("*.html"):
        assert "default-src 'none'; script-src 'self'" in path.read_text(encoding="utf-8")


def test_a_missing_report_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo = make_demo(tmp_path / "demo")
    shutil.rmtree(demo / "ner")
    assert site_build.main([str(tmp_path / "out"), "--demo", str(demo)]) == 2
    found = capsys.readouterr().err
    assert found.count("\n") == 1
    assert "ner/candidate/report.html: not there" in found
    assert f"mt-gate demo --out {demo}" in found
    assert not (tmp_path / "out").exists()


def test_a_version_that_is_no_folder_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = make_demo(tmp_path / "demo")
    out = tmp_path / "out"
    assert site_build.main([str(out), "--demo", str(demo), "--version", "../x"]) == 2
    assert capsys.readouterr().err.startswith("site: --version '../x': expected a tag")
    assert not out.exists()


def test_without_sphinx_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_build, "NEEDED", {"no_such_module": "no-such-package"})
    demo = make_demo(tmp_path / "demo")
    assert site_build.main([str(tmp_path / "out"), "--demo", str(demo)]) == 2
    expected = "site: no-such-package: not installed; pip install 'mt-gate[docs]'\n"
    assert capsys.readouterr().err == expected


def test_a_page_that_sphinx_warns_of_leaves_the_site_as_it_was(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_sphinx()

    def one_page(into: Path, *_: object) -> None:
        into.mkdir()
        (into / "index.md").write_text("# A\n\n[b](gone.md)\n", encoding="utf-8")

    monkeypatch.setattr(site_build, "lay_out", one_page)
    monkeypatch.setattr(site_build.site_commands, "write", lambda _: None)
    (tmp_path / "out" / "main").mkdir(parents=True)
    (tmp_path / "out" / "main" / "index.html").write_text("before", encoding="utf-8")
    demo = make_demo(tmp_path / "demo")
    assert site_build.main([str(tmp_path / "out"), "--demo", str(demo)]) == 1
    assert "gone.md" in capfd.readouterr().err
    assert (tmp_path / "out" / "main" / "index.html").read_text(encoding="utf-8") == "before"


def test_the_repository_is_that_of_the_workflow() -> None:
    assert site_build.hosted_at({}) == "https://github.com/org/mt-gate"
    told = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "a/b"}
    assert site_build.hosted_at(told) == "https://git.example/a/b"
