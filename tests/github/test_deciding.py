"""What judges a run with ``against`` is the base commit's, from real repositories."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from cases import table
from making_pull_requests import Files, Forge, Propose, event, git, of_pull_request
from mt_gate.base.errors import CannotJudge
from mt_gate.github.base_commit import base_of
from mt_gate.github.base_settings import JudgedSettings
from mt_gate.github.deciding import against_base, check_deciding, copied
from mt_gate.settings.record import Settings
from mt_gate.sut.systems.command import CommandSystem

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


PROGRAM = b"""\
import json, sys, os
sys.path.insert(0, "lib")
import words
for line in sys.stdin:
    found = [[0, 4, words.LABEL]] if len(sys.argv) < 2 else [[0, 4, open(sys.argv[1]).read()]]
    print(json.dumps({"id": json.loads(line)["id"], "entities": found}), flush=True)
"""
BEFORE = {"base.py": PROGRAM, "lib/words.py": b"LABEL = 'PER'\n", "label": b"PER"}


def predicted(environment: Environment, against: str) -> str:
    """Return the label that a command of ``against`` predicts."""
    settings = Settings(**OUTSIDE | {"against": f"command:{against}"})
    with against_base(settings, base_of(environment, None)) as base:
        assert base.place is not None
        assert "run in a copy of base commit" in base.notes[0]
        system = CommandSystem(against, 30.0, place=base.place)
        [[(_, prediction)]] = system.predict([{"text": "Anna is here"}])
        system.close()
    assert prediction.output is not None
    return str(prediction.output["entities"][0][2])


@pytest.mark.parametrize(
    "change",
    [
        {"base.py": PROGRAM.replace(b"words.LABEL", b"'LOC'")},
        {"lib/words.py": b"LABEL = 'LOC'\n"},
        {"lib/words.py": None, "words.py": b"LABEL = 'LOC'\n"},
        {"json.py": b"raise SystemExit\n"},
    ],
)
def test_a_command_runs_in_the_base_s_files(propose: Propose, change: Files) -> None:
    assert predicted(propose(BEFORE, change)[1], f"{sys.executable} base.py") == "PER"


@pytest.mark.parametrize("command", table(__file__, "paths_into_the_checkout_lead_to_the_copy"))
def test_paths_into_the_checkout_lead_to_the_copy(
    propose: Propose, tmp_path: Path, command: str
) -> None:
    change = {"label": b"LOC", "lib/words.py": b"LABEL = 'LOC'\n", "base.py": b"raise SystemExit\n"}
    _, environment = propose(BEFORE, change)
    (tmp_path / "link").symlink_to(Path.cwd())
    names = {"python": sys.executable, "here": Path.cwd(), "link": tmp_path / "link"}
    assert predicted(environment, command.format(**names)) == "PER"


def test_what_git_does_not_have_stays_where_a_step_put_it(propose: Propose) -> None:
    _, environment = propose(BEFORE, {"lib/words.py": b"LABEL = 'LOC'\n"})
    Path("fetched").mkdir()
    Path("fetched/label").write_text("ORG")
    for label in ("fetched/label", Path.cwd() / "fetched/label"):
        assert predicted(environment, shlex.join([sys.executable, "base.py", str(label)])) == "ORG"


@pytest.mark.parametrize("command", ["sh -c 'python3 ~/base.py'", "sh -c 'python3 $HOME/base.py'"])
def test_a_path_that_only_a_shell_knows_is_refused(
    propose: Propose, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    _, environment = propose(BEFORE, {})
    monkeypatch.setenv("HOME", str(Path.cwd()))
    with pytest.raises(CannotJudge, match="is a file of the checkout"):
        predicted(environment, command)


@pytest.mark.parametrize(("name", "text"), table(__file__, "a_package_of_the_checkout_is_refused"))
def test_a_package_of_the_checkout_is_refused(
    propose: Propose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """A command may import it, and nothing says whether it does."""
    _, environment = propose(BEFORE, {"lib/words.py": b"LABEL = 'LOC'\n"})
    file = tmp_path / "venv/lib/python3.11/site-packages" / name
    file.parent.mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path / 'venv/bin'}:{os.environ['PATH']}")
    for here in ("/elsewhere", f"{Path.cwd()}-2"):
        file.write_text(text.format(here=here))
        assert predicted(environment, f"{sys.executable} base.py") == "PER"
    file.write_text(text.format(here=Path.cwd()))
    monkeypatch.setenv("PATH", os.environ["PATH"].partition(":")[2])
    (tmp_path / "venv/bin").mkdir()
    (tmp_path / "venv/bin/python").symlink_to(sys.executable)
    with pytest.raises(CannotJudge, match="is of a package installed from"):
        predicted(environment, f"{tmp_path}/venv/bin/python base.py")
    monkeypatch.setenv("PATH", f"{tmp_path / 'venv/bin'}:{os.environ['PATH']}")
    with pytest.raises(CannotJudge, match="is of a package installed from"):
        predicted(environment, f"{sys.executable} base.py")


def test_a_file_of_the_pull_request_alone_is_not_there(propose: Propose) -> None:
    _, environment = propose(BEFORE, {"own.py": PROGRAM})
    with pytest.raises(CannotJudge, match=r"own\.py"):
        predicted(environment, f"{sys.executable} own.py")


def test_a_working_folder_that_the_base_lacks_is_refused(
    propose: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, environment = propose(BEFORE, {"sub/README": b"x"})
    monkeypatch.chdir("sub")
    with pytest.raises(CannotJudge, match="has no folder sub"):
        predicted(environment, "python3 ../base.py")


def test_a_checkout_below_the_working_folder_is_refused(
    propose: Propose, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, environment = propose(BEFORE, {})
    name = Path.cwd().name
    monkeypatch.chdir("..")
    with pytest.raises(CannotJudge, match="Set working-directory"):
        predicted(environment, f"python3 {name}/base.py")


def test_the_copy_is_the_commit_s_tree(propose: Propose) -> None:
    digest = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"  # of "0"
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 1\n".encode()
    before = {"run.sh": b"#!/bin/sh\n", "here": pointer, "gone": pointer, "a b/c": bytes(3 << 20)}
    links = {"link": "run.sh", "out": "/etc/hostname"}
    _, environment = propose({**before, **links}, {"run.sh": b"other\n"})
    Path("here").write_bytes(b"0")
    base = base_of(environment, None)
    assert base is not None
    with copied(base, "command:x") as copy:
        assert copy is not None
        actual = {path.name for path in copy.folder.rglob("*") if not path.is_dir()}
        assert actual == {"README", "run.sh", "here", "c", "link", "out"}
        assert (copy.folder / "here").read_bytes() == b"0"
        assert (copy.folder / "a b/c").read_bytes() == bytes(3 << 20)
        assert os.readlink(copy.folder / "link") == "run.sh"
        assert (copy.folder / "run.sh").read_bytes() == b"#!/bin/sh\n"
    assert not copy.folder.exists()
