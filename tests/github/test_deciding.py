"""What judges a run with ``against`` is the base commit's, from real repositories."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from making_pull_requests import Files, Forge, Propose, event, git, of_pull_request
from mt_gate.base.errors import CannotJudge
from mt_gate.github.base_commit import base_of
from mt_gate.github.base_settings import JudgedSettings
from mt_gate.github.deciding import against_notes, check_deciding
from mt_gate.settings.record import Settings

OUTSIDE = {"checkpoint": "model", "task": "ner", "suite": "ner-default", "against": "/trusted"}
Environment = dict[str, str]


def check(environment: Environment, choice: str | None = None, **settings: Any) -> None:
    result = Settings(**(OUTSIDE | settings))
    check_deciding(JudgedSettings(result, base_of(environment, choice), checkpoint="model"))


NAMED = [
    ("suite", "suite", "suite"),
    ("labels", Path("gold.jsonl"), "gold.jsonl"),
    ("ontology", "ours.json", "ours.json"),
    ("against", "models/base", "models/base"),
    ("against", "spacy:models/base", "models/base"),
    ("against", "flair:models/base.pt --trusted", "models/base.pt"),
]


@pytest.mark.parametrize(("name", "value", "path"), NAMED)
def test_a_file_that_is_edited_or_added_is_refused(
    propose: Propose, name: str, value: Any, path: str
) -> None:
    """One that the pull request adds, a step may have been meant to fetch."""
    same, edited, added = (f"{folder}/{path}" for folder in ("same", "edited", "added"))
    before = {f"{same}/part": b"old", f"{edited}/part": b"old"}
    _, environment = propose(before, {f"{edited}/part": b"new", f"{added}/part": b"own"})
    named = {file: type(value)(str(value).replace(path, file)) for file in (same, edited, added)}
    check(environment, **{name: named[same]})
    for file in (edited, added):
        with pytest.raises(CannotJudge) as failed:
            check(environment, **{name: named[file]})
        assert f"{name} {file}: edited by this pull request" in str(failed.value)
        assert "baseline-from: worktree" in str(failed.value)
    check(environment, choice="worktree", **{name: named[edited]})


def test_shipped_names_and_commands_are_no_files(propose: Propose) -> None:
    _, environment = propose({}, {"ner-default/suite.json": b"own", "python": b"own"})
    check(environment, against="command:python3 base.py")
    check(environment, suite="ner-quick", against="spacy:en_core_web_sm")


@pytest.mark.parametrize(
    ("links", "change"),
    [
        ({"suite": "data"}, {"data/part": b"new"}),
        ({"suite": "data/../data"}, {"data/part": b"new"}),
        ({"suite": "hop", "hop": "data"}, {"data/part": b"new"}),
        ({"suite": "inner", "inner": "./data"}, {"data/part": b"new"}),
    ],
)
def test_links_are_followed(propose: Propose, links: dict[str, str], change: Files) -> None:
    _, environment = propose({"data/part": b"old", **links}, change)
    with pytest.raises(CannotJudge, match="suite suite: edited"):
        check(environment, suite="suite")


def test_a_hop_that_leads_elsewhere_is_an_edit(propose: Propose) -> None:
    """Both folders are the base's: only the link between them is another."""
    _, environment = propose({"a/part": b"old", "b/part": b"weak", "suite": "hop", "hop": "a"}, {})
    check(environment, suite="suite")
    Path("hop").unlink()
    Path("hop").symlink_to("b")
    git(Path.cwd(), "add", "hop")
    with pytest.raises(CannotJudge, match="suite suite: edited"):
        check(environment, suite="suite")


def test_a_link_within_a_folder_is_followed(propose: Propose) -> None:
    _, environment = propose({"suite/suite.json": b"{}", "data": b"old"}, {"data": b"new"})
    check(environment, suite="suite")
    Path("suite/groups").symlink_to("../data")
    with pytest.raises(CannotJudge, match="suite suite: edited"):
        check(environment, suite="suite")


def test_what_a_step_puts_in_the_place_of_a_file_counts(propose: Propose) -> None:
    _, environment = propose({"suite/part": b"old"}, {})
    Path("suite/part").write_bytes(b"of the pull request")
    with pytest.raises(CannotJudge, match="suite suite: edited"):
        check(environment, suite="suite")


@pytest.mark.parametrize("outer", [True, False])
def test_a_checkout_of_the_pull_request_in_a_folder_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outer: bool
) -> None:
    """``pull_request_target`` checks out the base, a step the pull request below it."""
    forge = Forge(tmp_path / "forge")
    base = forge.base({"suite/part": b"old", "gold.jsonl": b"x"})
    git(forge.clone, "update-ref", "refs/heads/old", base)
    head, _ = forge.pull_request(base, {"suite/part": b"new"})
    here = tmp_path / "workspace"
    here.mkdir()
    if outer:
        forge.check_out(here, "refs/heads/main")
    forge.check_out(here / "own", "refs/pull/1/head")
    forge.check_out(here / "before", "refs/heads/old")
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "of another repository")
    other = Forge(here / "suites")
    other.base({"part": b"fetched by a step"})
    monkeypatch.chdir(here)
    payload = of_pull_request(base, head)
    environment = event(tmp_path, "pull_request_target", payload, base)
    with pytest.raises(CannotJudge, match="suite own/suite: edited"):
        check(environment, suite="own/suite")
    check(environment, suite="before/suite", labels=Path("own/gold.jsonl"))
    check(environment, suite="suites/clone")


COMMAND = f"command:{sys.executable} base.py"


def notes(environment: Environment, against: str, choice: str | None = None) -> tuple[str, ...]:
    return against_notes(Settings(**OUTSIDE | {"against": against}), base_of(environment, choice))


@pytest.mark.parametrize("change", [{"base.py": b"other"}, {"json.py": b"imported"}, {}])
def test_a_command_of_the_checkout_is_refused(propose: Propose, change: Files) -> None:
    """It may import any file there, whether or not the file that it names is edited."""
    _, environment = propose({"base.py": b"program"}, change)
    with pytest.raises(CannotJudge, match="runs in the checkout, whose files this pull request"):
        notes(environment, COMMAND)
    assert notes(environment, COMMAND, "worktree") == ()


def test_a_command_outside_of_every_checkout_runs(
    propose: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, environment = propose({"base.py": b"program"}, {})
    name = Path.cwd().name
    monkeypatch.chdir("..")
    assert notes(environment, "command:/opt/base/predict --fast") == ()
    with pytest.raises(CannotJudge, match="runs in the checkout"):
        notes(environment, f"command:python3 {name}/base.py")
