"""``mt-gate policy check``: the smallest loss by tier, from a stored run and its baseline."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import check_refused
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE

POLICY = """
[policy.tasks.ner]
tier = "report"
[policy.relations."ner/structural"]
tier = "warn"
margin = 0.05
[policy.relations."ner/entity-shuffle"]
tier = "block"
required = false
[[policy.must-hold]]
group = "none"
reason = "a\u202ename"
owner = "ann"
"""


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test leaves the run that all look at."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def compared(run_gate: Callable, command: Callable, shared_folder: Path, tmp_path: Path) -> Path:
    """A run of the small suite, compared with itself."""
    if (shared_folder / "out").exists():
        shutil.copytree(shared_folder, tmp_path, dirs_exist_ok=True)
        return tmp_path / "out"
    assert run_gate(out=tmp_path / "first").code == PASS
    assert command("baseline", "record", "first", "--name", "ner").code == PASS
    assert run_gate(baseline="baselines/ner.json").code == PASS
    for name in ("first", "baselines", "out"):
        shutil.copytree(tmp_path / name, shared_folder / name)
    return tmp_path / "out"


def cells(text: str, begin: str) -> list[str]:
    [line] = [line for line in text.splitlines() if line.startswith(begin)]
    return line.removeprefix(begin).split()


def test_each_tier_has_its_lines_in_order(
    compared: Path, command: Callable, tmp_path: Path
) -> None:
    (tmp_path / "mt-gate.toml").write_text(POLICY)
    actual = command("policy", "check", compared)
    assert (actual.code, actual.err) == (PASS, "")
    tiers = [
        word
        for line in actual.out.splitlines()[2:]
        for word in line.split()
        if word in ("block", "warn", "report") and " pp " in line
    ]
    assert tiers == sorted(tiers, key=["block", "warn", "report"].index)
    assert {*tiers} == {"block", "warn"}, "entity shuffle, all that block, and structural"
    assert cells(actual.out, "Statement to question")[:4] == ["warn", "5.0", "pp", "0.05"]
    assert "Overall (blocking)" in actual.out
    assert r"Pinned case none: a\u202ename (owner ann)." in actual.out


def test_an_option_replaces_the_file(compared: Path, command: Callable, tmp_path: Path) -> None:
    (tmp_path / "mt-gate.toml").write_text(POLICY)
    actual = command("policy", "check", compared, "--policy", "shares.block = 0.5")
    assert "warn " not in actual.out
    assert cells(actual.out, "Statement to question")[:4] == ["block", "1.0", "pp", "0.025"]


EXPIRED = (
    '--policy=accepted = [{relation = "ner/structural", rise = 0.1, reason = "why", owner = "ann", '
    'expires = "2099-01-31"}]'
)


def test_a_stored_result_is_judged_by_no_loss_that_was_accepted_for_too_long(
    compared: Path, command: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = ("compare", compared, "--baseline", "baselines/ner.json")
    assert command(*again, EXPIRED, "--out", tmp_path / "later").code == PASS
    again = ("compare", tmp_path / "later", "--baseline", "baselines/ner.json")
    monkeypatch.setattr("mt_gate.stored_results.today", lambda: "2099-02-01")
    message = "the accepted regression of ner/structural expired on 2099-01-31 (owner ann: why)"
    for arguments in (
        again,
        ("policy", "check", tmp_path / "later"),
        ("baseline", "record", tmp_path / "later", "--name", "next"),
    ):
        actual = command(*arguments)
        assert (actual.code, message in actual.err) == (USAGE, True), actual.err
    assert not (tmp_path / "baselines" / "next.json").exists()
    assert command(*again, "--policy", "").code == PASS
    assert command(*again, EXPIRED).code == USAGE
    assert command("report", tmp_path / "later", "--format", "badge").code == PASS


def test_nothing_is_written(compared: Path, command: Callable) -> None:
    before = {path: path.read_bytes() for path in compared.iterdir()}
    command("policy", "check", compared, "--policy", 'tasks.ner.tier = "warn"')
    assert {path: path.read_bytes() for path in compared.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--policy", 'tasks.ner.tier = "x"'], USAGE, "tier must be one of: block, warn, report"),
        (["--policy", 'relations."ner/x".margin = 0.1'], USAGE, "'ner/x'. Known: ner/"),
        (["--config", "none.toml"], USAGE, "none.toml"),
        (["--baseline", "none.json"], CANNOT_JUDGE, "none.json"),
    ],
)
def test_missing_files_and_policies_are_reported(
    compared: Path, command: Callable, arguments: list[str], code: int, words: str
) -> None:
    check_refused(command("policy", "check", compared, *arguments), code, words)


def test_a_run_that_was_compared_with_nothing_needs_a_baseline(
    run_gate: Callable, command: Callable, tmp_path: Path
) -> None:
    run_gate()
    words = "was not compared with a baseline. Pass --baseline"
    check_refused(command("policy", "check", tmp_path / "out"), USAGE, words)


def test_a_stored_run_is_judged_again_by_another_policy(compared: Path, command: Callable) -> None:
    arguments = ("compare", compared, "--baseline", "baselines/ner.json")
    strict = command(*arguments, "--policy", 'tasks.ner.tier = "report"')
    assert strict.code == CANNOT_JUDGE
    assert "CANNOT JUDGE: the policy sets every relation" in strict.out
    assert command(*arguments, "--policy", 'tasks.ner.tier = "warn"').code == PASS


def test_a_baseline_tells_the_tiers_of_its_run(run_gate: Callable, command: Callable) -> None:
    run_gate(policy='relations."ner/structural".tier = "warn"')
    assert command("baseline", "record", "out", "--name", "ner").code == PASS
    assert "warn: ner/structural" in command("baseline", "show", "baselines/ner.json").out
