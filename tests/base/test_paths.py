"""A path that no file system can have ends in one line, in whatever option it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cases import table
from conftest import Answer
from mt_gate.base.errors import CANNOT_JUDGE, USAGE, UsageError, check_path
from mt_gate.github.action import run_action

LONG = "x" * 300
RUN = ("run", "--task", "ner")
COMMANDS = table(__file__, "commands")


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:60])
def test_a_name_too_long_is_one_line(command: Callable[..., Answer], words: tuple) -> None:
    done = command(*words)
    assert done.code == USAGE
    (line,) = done.err.splitlines()
    assert "File name too long. Choose another path" in line
    assert len(line) < 300


@pytest.mark.parametrize("name", ["checkpoint", "baseline", "out", "cache", "suite"])
def test_of_the_action_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    inputs = {"INPUT_TASK": "ner", "INPUT_CHECKPOINT": "a", f"INPUT_{name.upper()}": LONG}
    for event in ("push", "pull_request"):
        environment = {"PATH": os.environ["PATH"], "GITHUB_EVENT_NAME": event}
        assert run_action(inputs | environment) == USAGE
        assert "File name too long" in capsys.readouterr().err


def test_of_a_system_too(command: Callable[..., Answer]) -> None:
    done = command(*RUN, "--system", f"spacy:{LONG}", "--suite", "ner-default")
    assert done.code in (USAGE, CANNOT_JUDGE)
    assert len(done.err.splitlines()) == 1


def test_a_card_that_names_such_a_file(run_gate: Callable[..., Answer], checkpoint: Path) -> None:
    card = json.loads((checkpoint / "checkpoint.json").read_text())
    for name in (LONG, "a\0b"):
        changed = card | {"files": {**card["files"], name: "0" * 64}}
        (checkpoint / "checkpoint.json").write_text(json.dumps(changed))
        done = run_gate(checkpoint=checkpoint)
        assert done.code == CANNOT_JUDGE
        (line,) = done.err.splitlines()
        assert "does not exist. Export the checkpoint again" in line


def test_what_is_not_there_is_fine(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("missing", "missing/x", "file", "file/x", "loop", "loop/x", ""):
        check_path("--out", tmp_path / name)
    with pytest.raises(UsageError, match="null"):
        check_path("--out", "a\0b")
