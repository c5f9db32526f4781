"""The action's border: inputs from the environment, outputs to GitHub's files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, UsageError
from mt_gate.commands.comment import comment as comment_command
from mt_gate.commands.run import run as run_command
from mt_gate.github import action
from mt_gate.github.comment import INPUTS as COMMENT_INPUTS
from mt_gate.github.comment import Mode
from mt_gate.results.store import NAMES
from mt_gate.stored_results import report_text

ROOT = Path(__file__).parents[2]
OUTPUTS = {"verdict", "violation-rate", "delta", "result", "junit", "report"}


@pytest.fixture
def environment(
    step_environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    monkeypatch.chdir(tmp_path)
    return {**step_environment, "INPUT_MARGIN": ""}


def outputs(environment: dict[str, str]) -> dict[str, str]:
    """Read GitHub's output file as its runner does."""
    text = Path(environment["GITHUB_OUTPUT"]).read_text()
    result = re.findall(r"^([\w-]+)<<(\S+)\n(.*?)\n\2$", text, re.MULTILINE | re.DOTALL)
    return {name: value for name, _, value in result}


def test_a_forgotten_baseline_is_never_green(environment: dict[str, str], tmp_path: Path) -> None:
    assert action.run_action(environment) == CANNOT_JUDGE
    assert outputs(environment) == {"verdict": "cannot-judge"}
    assert "baselines/ner.json" in (tmp_path / "summary").read_text()


def test_what_is_run_in_the_same_job_needs_no_baseline(
    environment: dict[str, str], tmp_path: Path
) -> None:
    environment |= {
        "INPUT_AGAINST": environment["INPUT_CHECKPOINT"],
        "INPUT_BASE-THREADS": "1",
        "INPUT_THREADS": "2",
    }
    assert action.run_action(environment) == PASS
    actual = outputs(environment)
    assert (actual["verdict"], float(actual["delta"])) == ("pass", 0)
    assert "0% of predictions changed" in (tmp_path / "summary").read_text()
    assert (tmp_path / "mt-gate-out" / "base" / "report.html").is_file()
    assert not (tmp_path / "baselines").exists()


def test_the_base_is_written_nowhere_else(environment: dict[str, str], tmp_path: Path) -> None:
    """A pull request's checkout may hold the link."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "mt-gate-out").mkdir()
    (tmp_path / "mt-gate-out" / "base").symlink_to(elsewhere)
    environment |= {
        "INPUT_AGAINST": environment["INPUT_CHECKPOINT"],
        "GITHUB_EVENT_NAME": "pull_request",
        "INPUT_BASELINE-FROM": "worktree",
        "INPUT_COMMENT": "never",
    }
    assert action.run_action(environment) == CANNOT_JUDGE
    assert not [*elsewhere.iterdir()]


def test_outputs_and_summary(environment: dict[str, str], tmp_path: Path) -> None:
    environment["INPUT_RECORD-MISSING"] = "true"
    assert action.run_action(environment) == PASS
    assert (tmp_path / "baselines" / "ner.json").is_file()
    Path(environment["GITHUB_OUTPUT"]).unlink()
    assert action.run_action(environment) == PASS
    actual = outputs(environment)
    assert set(actual) == OUTPUTS
    assert actual["verdict"] == "pass"
    assert float(actual["delta"]) == 0
    for name in ("result", "junit", "report"):
        assert not Path(actual[name]).is_absolute(), "the container's paths mean nothing outside"
        assert Path(actual[name]).is_file()
    assert "mt-gate" in (tmp_path / "summary").read_text()


def test_files_in_other_formats(environment: dict[str, str], tmp_path: Path) -> None:
    """They are those of ``mt-gate report``; a run without a result leaves none of the checkout."""
    places = {"sarif": tmp_path / "scans" / "gate.sarif", "badge": tmp_path / "badge.json"}
    places["badge"].write_text("of the checkout")
    environment |= {"INPUT_SARIF": "scans/gate.sarif", "INPUT_BADGE": "badge.json"}
    assert action.run_action(environment) == CANNOT_JUDGE
    assert not any(place.exists() for place in places.values())
    assert action.run_action(environment | {"INPUT_RECORD-MISSING": "true"}) == PASS
    for kind, place in places.items():
        assert place.read_text() == report_text(tmp_path / "mt-gate-out" / "result.json", kind)


@pytest.mark.parametrize("code", [PASS, CANNOT_JUDGE])
def test_files_in_other_formats_that_cannot_be_written(
    environment: dict[str, str], tmp_path: Path, code: int
) -> None:
    """A folder in the file's place changes no verdict; a link of a pull request's checkout does."""
    (tmp_path / "place").mkdir()
    environment |= {"INPUT_BADGE": "place", "INPUT_RECORD-MISSING": "true"}
    if code == CANNOT_JUDGE:
        (tmp_path / "link").symlink_to(tmp_path / "place")
        environment |= {"INPUT_BADGE": "link/x", "GITHUB_EVENT_NAME": "pull_request"}
        environment |= {"INPUT_BASELINE-FROM": "worktree", "INPUT_COMMENT": "never"}
    assert action.run_action(environment) == code
    assert not [*(tmp_path / "place").iterdir()]


def test_a_result_of_before_is_not_taken_for_this_run_s(
    environment: dict[str, str], tmp_path: Path
) -> None:
    environment |= {"INPUT_RECORD-MISSING": "true", "INPUT_OUT": "here"}
    assert action.run_action(environment) == PASS
    assert {path.name for path in (tmp_path / "here").iterdir()} == set(NAMES)
    (tmp_path / "here" / "notes.txt").write_text("mine")
    (tmp_path / "baselines" / "ner.json").write_text("{}")
    assert action.run_action(environment) == CANNOT_JUDGE
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"notes.txt", "report.html"}
    assert "Cannot judge" in (tmp_path / "here" / "report.html").read_text()


@pytest.mark.parametrize("settings", ["out = 'here'\nmargin = 7\n", "out = 'mt-gate-out'\n["])
def test_unreadable_settings_leave_no_earlier_result(
    environment: dict[str, str], tmp_path: Path, settings: str
) -> None:
    (tmp_path / "mt-gate.toml").write_text(settings)
    environment["INPUT_OUT"] = "" if "[" in settings else "here"
    result = tmp_path / ("mt-gate-out" if "[" in settings else "here") / "result.json"
    result.parent.mkdir()
    result.write_text("{}")
    assert action.run_action(environment) == USAGE
    assert not result.exists()


def test_bad_input_is_an_annotation_in_one_line(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    environment["INPUT_TASK"] = "poetry\n::set-output name=verdict::pass"
    assert action.run_action(environment) == USAGE
    commands = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
    assert len(commands) == 1
    assert commands[0].startswith("::error title=mt-gate cannot-judge::")
    assert outputs(environment) == {"verdict": "cannot-judge"}


def test_an_input_left_out_never_overrides_the_file(
    environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "mt-gate.toml").write_text("margin = 0.3\nstrict = true\n")
    settings = action.read_inputs(environment).settings
    assert settings.margin == 0.3
    assert settings.strict
    environment["INPUT_MARGIN"] = "0.1"
    environment["INPUT_STRICT"] = "false"
    assert action.read_inputs(environment).settings.margin == 0.1
    assert not action.read_inputs(environment).settings.strict
    # A pull request cannot choose its own baseline.
    (tmp_path / "mt-gate.toml").write_text('baseline-from = "worktree"\n')
    with pytest.raises(UsageError, match="Unknown setting 'baseline-from'"):
        action.read_inputs(environment)


class TestActionFile:
    """action.yml, the code and the command line agree."""

    @pytest.fixture
    def file(self) -> dict:
        return yaml.safe_load((ROOT / "action.yml").read_text())

    def test_inputs_are_those_that_are_read_and_the_flags_of_run(self, file: dict) -> None:
        more = (action.CONFIG, action.BASELINE_FROM, action.SHARD, action.MERGE, *action.REPORTS)
        assert set(file["inputs"]) == {*action.INPUTS, *more, *COMMENT_INPUTS}
        flags = {parameter.name.replace("_", "-") for parameter in run_command.params}
        own = {action.BASELINE_FROM, action.MERGE, *action.REPORTS}
        of_clusters = {"executor", "address", "shards"}  # the images have no Ray
        of_terminals = {"verbose", "quiet", "form"}
        expected = flags - of_clusters - of_terminals | own
        assert set(file["inputs"]) - set(COMMENT_INPUTS) == expected

    def test_defaults_outputs_and_modes_of_the_comment(self, file: dict) -> None:
        """A default would override the file."""
        defaults = {n: item["default"] for n, item in file["inputs"].items() if "default" in item}
        assert defaults == {"github-token": "${{ github.token }}"}
        assert set(file["outputs"]) == OUTPUTS
        words = file["inputs"]["comment"]["description"]
        assert "always, changes, regressions or never" in words
        (mode,) = [item for item in comment_command.params if item.name == "mode"]
        assert tuple(mode.type.choices) == tuple(Mode)
        assert f"Default {mode.default}." in words

    def test_it_is_a_docker_action_of_the_last_target(self, file: dict) -> None:
        runs = file["runs"]
        assert {**runs, "image": ""} == {"using": "docker", "image": "", "args": ["action"]}
        released = r"docker://[^:@]+@sha256:[0-9a-f]{64}"
        assert runs["image"] == "Dockerfile" or re.fullmatch(released, runs["image"])
        stages = re.findall(r"^FROM \S+ AS (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        assert stages[-1] == "run"
        assert {"run", "gpu", "full"} <= set(stages)


def test_a_run_in_shards(environment: dict[str, str], tmp_path: Path) -> None:
    """Two jobs ask, one judges as a step that does both would."""
    environment |= {"INPUT_RECORD-MISSING": "true", "INPUT_COMMENT": "never"}
    for number in (1, 2):
        shard = {"INPUT_SHARD": f"{number}/2", "INPUT_OUT": f"shards/{number}"}
        assert action.run_action(environment | shard) == PASS
        assert sorted(path.name for path in Path(f"shards/{number}").iterdir()) == [
            "answers.jsonl.gz",
            "shard.json",
        ]
    assert not Path(environment["GITHUB_OUTPUT"]).exists()
    assert not (tmp_path / "baselines").exists()
    merging = environment | {"INPUT_MERGE": "shards"}
    assert action.run_action(merging) == PASS
    assert outputs(environment)["verdict"] == "measured"
    assert (tmp_path / "baselines" / "ner.json").is_file()
    assert (tmp_path / "mt-gate-out" / "report.html").is_file()
    assert action.run_action(merging | {"INPUT_NAME": "of both"}) == PASS
    assert 'name="mt-gate of both"' in (tmp_path / "mt-gate-out" / "junit.xml").read_text()
    assert action.run_action(merging | {"INPUT_OUT": "shards/1"}) == USAGE
    assert action.run_action(merging | {"INPUT_MERGE": "nowhere"}) == USAGE
    assert action.run_action(merging | {"INPUT_SHARD": "1/2"}) == USAGE
    (tmp_path / "shards" / "1" / "shard.json").unlink()
    assert action.run_action(merging) == CANNOT_JUDGE
    assert "Cannot judge" in (tmp_path / "mt-gate-out" / "report.html").read_text()
    assert not (tmp_path / "mt-gate-out" / "result.json").exists()
