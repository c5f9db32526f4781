"""The command as a user meets it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mt_gate
from pseudo_terminal import on_terminal

Command = Callable[..., Any]


def said(text: str) -> str:
    return " ".join(text.split())


def test_a_machine_that_can_run(command: Command, tmp_path: Path) -> None:
    answer = command("doctor")
    assert answer.code == 0, answer
    text = said(answer.out)
    assert f"mt-gate ok {mt_gate.__version__}" in text
    assert "--device auto: " in text
    assert "a session of one node was run on it" in text
    assert f"{tmp_path / 'user-cache' / 'mt-gate'}, made by the first run" in text
    assert "ner-default: task ner" in text
    assert text.endswith("A run can work.")
    assert not (tmp_path / "user-cache").exists()
    assert "\x1b" not in answer.out


def test_a_checkpoint_that_opens(command: Command, small: Path) -> None:
    answer = command("doctor", "--checkpoint", small, "--device", "cpu")
    assert answer.code == 0, answer
    text = said(answer.out)
    assert "task ok ner, input form text" in text
    assert "7: O, B-PER" in text
    assert "opens ok on CPUExecutionProvider" in text


def test_a_checkpoint_that_is_broken(command: Command, checkpoint: Path) -> None:
    (checkpoint / "model.onnx").write_bytes(b"no model")
    answer = command("doctor", "--checkpoint", checkpoint)
    assert answer.code == 3
    assert "model.onnx: is not the file that checkpoint.json describes" in said(answer.out)
    assert "1 problem prevents a run." in answer.out


def test_a_card_that_is_no_card(command: Command, checkpoint: Path) -> None:
    (checkpoint / "checkpoint.json").write_text("[]")
    answer = command("doctor", "--checkpoint", checkpoint)
    assert answer.code == 3
    assert "card problem" in said(answer.out)


def test_a_hugging_face_folder(command: Command, hugging_face: Path) -> None:
    answer = command("doctor", "--checkpoint", hugging_face)
    assert answer.code == 0, answer
    assert "checkpoint for task ner (BertForTokenClassification, 7 labels)" in said(answer.out)


def test_an_empty_folder_is_no_checkpoint(command: Command, tmp_path: Path) -> None:
    answer = command("doctor", "--checkpoint", tmp_path)
    assert answer.code == 3
    assert "neither checkpoint.json nor config.json" in said(answer.out)


def test_wrong_arguments(command: Command) -> None:
    for arguments in (("--checkpoint", "nowhere"), ("--device", "tpu"), ("--wrong",)):
        answer = command("doctor", *arguments)
        assert answer.code == 2, answer
        assert answer.out == ""
        assert answer.err.count("\n") == 1


def test_settings_are_heeded(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mt-gate.toml").write_text('task = "ner"\ndevice = "cpu"\ncache = "kept"\n')
    text = said(command("doctor").out)
    assert "mt-gate.toml sets task, device, cache" in text
    assert "--device cpu: CPUExecutionProvider" in text
    assert "kept, made by the first run" in text
    assert "--device auto" in said(command("doctor", "--device", "auto").out)


def test_settings_that_a_run_would_refuse(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mt-gate.toml").write_text("alhpa = 0.1\n")
    answer = command("doctor")
    assert answer.code == 3
    assert "unknown setting 'alhpa'" in said(answer.out)


def test_a_cache_that_cannot_be_written_stops_no_run(command: Command, tmp_path: Path) -> None:
    (tmp_path / "user-cache").write_text("")
    answer = command("doctor")
    assert answer.code == 0
    assert "cannot be written: runs work, but nothing is cached" in said(answer.out)


def test_on_a_terminal(tmp_path: Path, small: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "c")
    arguments = ("doctor", "--checkpoint", folder.name)
    code, shown, _ = on_terminal(*arguments, cwd=tmp_path)
    assert code == 0, shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b[32m" in shown
    long = [line for line in plain.splitlines() if len(line) > 80]
    assert all(len(line.split()[-1]) > 50 for line in long)  # a path stays whole
    for variable in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b[3" not in on_terminal(*arguments, cwd=tmp_path, **variable)[1]
