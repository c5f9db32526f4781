"""The action's comment: on pull requests, and without a say in the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cases import table
from mt_gate.base.errors import CANNOT_JUDGE, PASS
from mt_gate.github import action
from mt_gate.github.comment import Body, comment_in_step
from pull_requests.fake_github import BOT, TOKEN, FakeGitHub

Step = Callable[..., tuple[list[str], list[str]]]


@pytest.fixture
def step(workflow: dict[str, str], capsys: pytest.CaptureFixture[str]) -> Step:
    """Comment as a step does; keyword arguments are environment. Returns log and notices."""

    def run(body: str = "as it is", **more: str) -> tuple[list[str], list[str]]:
        said: list[str] = []
        environment = {**workflow, "INPUT_GITHUB-TOKEN": TOKEN, **more}
        made = Body(body, changed=True, failed=False)
        name = more.get("INPUT_NAME", "ner")
        comment_in_step(environment, lambda *_: made, name, said.append)
        return said, capsys.readouterr().out.splitlines()

    return run


@pytest.mark.parametrize(("broken", "words"), table(__file__, "whatever_fails_is_one_notice"))
def test_whatever_fails_is_one_notice(step: Step, broken: dict[str, str], words: str) -> None:
    said, printed = step(**broken)
    assert not said
    assert len(printed) == 1
    assert printed[0].startswith("::notice title=mt-gate comment::")
    assert words in printed[0]
    assert TOKEN not in printed[0]


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
        assert body.splitlines()[1] == "### :no_entry: mt-gate (ner): cannot judge, the check fails"
        assert "baselines/ner.json" in body
        record(environment)
        assert action.run_action(environment) == PASS
        (body,) = github.bodies(BOT)
        assert body.splitlines()[1].startswith(
            "### :white_check_mark: mt-gate (ner): no regression"
        )

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
