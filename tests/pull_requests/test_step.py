"""The action's comment: on pull requests, and without a say in the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mt_gate.base.errors import CANNOT_JUDGE, PASS
from mt_gate.github import action
from mt_gate.github.comment import Body, comment_in_step, marker, run_mark
from pull_requests.fake_github import BOT, TOKEN, FakeGitHub

Step = Callable[..., tuple[list[str], list[str]]]


@pytest.fixture
def step(workflow: dict[str, str], capsys: pytest.CaptureFixture[str]) -> Step:
    """Comment as a step does; keyword arguments are environment. Returns log and notices."""

    def run(body: str = "as it is", **more: str) -> tuple[list[str], list[str]]:
        said: list[str] = []
        environment = {**workflow, "INPUT_GITHUB-TOKEN": TOKEN, **more}
        comment_in_step(
            environment, lambda *_: Body(body, changed=True, failed=False), "ner", said.append
        )
        return said, capsys.readouterr().out.splitlines()

    return run


def test_created_then_updated(step: Step, github: FakeGitHub) -> None:
    assert step("one") == (
        ["comment of gate ner on octo/models, pull request 7: created"], []
    )  # fmt: skip
    assert step("two")[0][0].endswith("updated")
    assert github.bodies() == [f"{marker('ner')}\ntwo\n\n{run_mark(4711)}\n"]


def test_an_older_run_leaves_the_comment_on_a_later_one(step: Step, github: FakeGitHub) -> None:
    """As one that is started again has, or one that took longer."""
    step("later", GITHUB_RUN_ID="12")
    said, notices = step("older", GITHUB_RUN_ID="9")
    assert said[0].endswith("not written, it is on a later run than this one")
    assert not notices
    assert "later" in github.bodies()[0]
    step("again", GITHUB_RUN_ID="12")
    assert "again" in github.bodies()[0]
    step("of a machine without runs", GITHUB_RUN_ID="")
    assert "without runs" in github.bodies()[0]


def test_name_and_mode_are_inputs(step: Step, github: FakeGitHub) -> None:
    step(INPUT_NAME="small model", INPUT_COMMENT="regressions")
    assert not github.comments
    step(INPUT_NAME="small model", INPUT_COMMENT="always")
    assert github.bodies()[0].startswith(marker("small model"))


@pytest.mark.parametrize("name", ["push", "merge_group", "workflow_dispatch", ""])
def test_other_events_have_no_comment(step: Step, github: FakeGitHub, name: str) -> None:
    assert step(GITHUB_EVENT_NAME=name) == ([], [])
    assert not github.asked


def test_never_asks_for_nothing(step: Step, github: FakeGitHub) -> None:
    assert step(INPUT_COMMENT="never", GITHUB_EVENT_PATH="missing") == ([], [])
    assert not github.asked


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"INPUT_COMMENT": "sometimes"}, "expected one of always, changes, regressions, never"),
        ({"INPUT_GITHUB-TOKEN": ""}, "GITHUB_TOKEN is empty"),
        ({"INPUT_NAME": "a\n::error::b"}, "--name is"),
        ({"GITHUB_EVENT_PATH": "/nowhere"}, "no such file"),
        ({"GITHUB_REPOSITORY": "octo"}, "expected OWNER/NAME"),
        ({"GITHUB_API_URL": "http://127.0.0.1:9"}, "no answer"),
    ],
)
def test_whatever_fails_is_one_notice(step: Step, broken: dict[str, str], words: str) -> None:
    said, printed = step(**broken)
    assert not said
    assert len(printed) == 1
    assert printed[0].startswith("::notice title=mt-gate comment::")
    assert words in printed[0]
    assert TOKEN not in printed[0]


def test_a_read_only_token_is_a_notice(step: Step, github: FakeGitHub) -> None:
    github.refuse("POST", 403, message="Resource not accessible by integration")
    said, printed = step()
    assert not said
    assert len(printed) == 1
    assert "403, Resource not accessible by integration" in printed[0]
    assert "docs/pull-requests.md" in printed[0]


def test_a_defect_is_a_notice(workflow: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: str) -> Body:
        raise ZeroDivisionError("made\nup")

    comment_in_step({**workflow, "INPUT_GITHUB-TOKEN": TOKEN}, broken, "ner", print)
    out = capsys.readouterr().out
    assert out == "::notice title=mt-gate comment::not written: ZeroDivisionError: made up\n"


def record(environment: dict[str, str]) -> None:
    """Record the baseline as a push does: on a pull request only a new gate records one."""
    push = {"GITHUB_EVENT_NAME": "push", "INPUT_COMMENT": "never"}
    assert action.run_action(environment | push) == PASS


class TestAction:
    """The whole action, on a real run."""

    @pytest.fixture
    def environment(
        self,
        tmp_path: Path,
        step_environment: dict[str, str],
        workflow: dict[str, str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> dict[str, str]:
        monkeypatch.chdir(tmp_path)
        return {
            **step_environment,
            **workflow,
            "INPUT_GITHUB-TOKEN": TOKEN,
            "INPUT_COMMENT": "always",
            "INPUT_RECORD-MISSING": "true",
            "INPUT_BASELINE-FROM": "worktree",
        }

    def test_cannot_judge_then_pass_in_one_comment(
        self, environment: dict[str, str], github: FakeGitHub
    ) -> None:
        assert action.run_action({**environment, "INPUT_RECORD-MISSING": ""}) == CANNOT_JUDGE
        (body,) = github.bodies(BOT)
        assert body.splitlines()[1] == "### :warning: mt-gate (ner): Cannot judge"
        assert "baselines/ner.json" in body
        record(environment)
        assert action.run_action(environment) == PASS
        (body,) = github.bodies(BOT)
        assert body.splitlines()[1] == "### :white_check_mark: mt-gate (ner): Pass"

    def test_nothing_changed_nothing_said(
        self, environment: dict[str, str], github: FakeGitHub
    ) -> None:
        record(environment)
        assert action.run_action(environment | {"INPUT_COMMENT": ""}) == PASS
        assert not github.comments
        assert [line.split()[0] for line in github.asked] == ["GET"]

    @pytest.mark.parametrize("status", [403, 404, 422])
    def test_the_verdict_is_the_same_where_it_may_not_write(
        self,
        environment: dict[str, str],
        github: FakeGitHub,
        capsys: pytest.CaptureFixture[str],
        status: int,
    ) -> None:
        record(environment)
        capsys.readouterr()
        github.refuse("POST", status)
        assert action.run_action(environment) == PASS
        assert not github.comments
        notices = [line for line in capsys.readouterr().out.splitlines() if "::notice" in line]
        assert len(notices) == 1
        assert f"{status}, made up" in notices[0]
        assert (Path("mt-gate-out") / "result.json").is_file()
        assert json.loads(Path("mt-gate-out/result.json").read_text())["exit_code"] == PASS
