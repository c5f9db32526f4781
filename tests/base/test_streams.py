"""Output has whole lines and no secrets; a path that cannot be ends in one line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cases import table
from conftest import Answer, check_refused
from mt_gate.base import console, escaping
from mt_gate.base.errors import CANNOT_JUDGE, USAGE, UsageError, check_path
from mt_gate.github.action import run_action

SECRET = "ghs_CanaryCanary0123456789"
LOG = {"GITHUB_ACTIONS": "true"}


@pytest.fixture(autouse=True)
def _watched() -> Iterator[None]:
    escaping.watch({"GITHUB_TOKEN": SECRET})
    yield
    escaping.watch({})


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*pieces: str, to_runner: bool = True, into: io.StringIO | None = None) -> str:
    into = io.StringIO() if into is None else into
    outlet = console.Outlet(into, to_runner=to_runner)
    for piece in pieces:
        outlet.write(piece)
        outlet.flush()
    outlet.finish()
    return into.getvalue()


def test_a_secret_in_two_pieces() -> None:
    assert printed(f"a {SECRET[:9]}", f"{SECRET[9:]} b\n", "c") == "a *** b\nc"


def test_a_terminal_sees_unfinished_lines() -> None:
    shown = Terminal()
    assert printed("50 %", into=shown, to_runner=False) == "50 %"
    outlet = console.Outlet(shown, to_runner=False)
    outlet.write("60 %")
    outlet.flush()
    assert shown.getvalue() == "50 %60 %"


@pytest.mark.parametrize(("text", "shown"), table(__file__, "lines_are_no_commands_in_a_workflow"))
def test_lines_are_no_commands_in_a_workflow(text: str, shown: str) -> None:
    assert printed(text) == shown
    assert printed(*text) == shown, "whatever pieces it comes in"
    assert printed(text, to_runner=False) == text


def test_a_command_of_ours_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    with console.installed(LOG):
        print("unfinished", end="")
        console.print_command(f"::error title=x::{SECRET}")
        print("::error::not ours")
    assert capsys.readouterr().out == "unfinished\n::error title=x::***\n: :error::not ours\n"


def test_a_document_is_printed_as_it_is_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with console.installed(LOG):
        console.print_document("<a>\nstd::b")
        with pytest.raises(UsageError, match="--output"):
            console.print_document("<a>\n ::set-output name=verdict::pass\n")
    with console.installed({}):
        console.print_document("::c\n")
    assert capsys.readouterr().out == "<a>\nstd::b::c\n"


def test_a_file_is_no_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with console.installed(LOG):
            console.print_document("::set-output name=a::b\n")
    assert (tmp_path / "out").read_text() == "::set-output name=a::b\n"


def test_what_an_encoding_lacks_is_escaped() -> None:
    raw = io.BytesIO()
    outlet = console.Outlet(io.TextIOWrapper(raw, encoding="ascii"), to_runner=False)
    outlet.write("é \udcff\n")
    outlet.finish()
    assert raw.getvalue() == b"\\xe9 \\udcff\n"


def test_an_outlet_hides_the_stream_below() -> None:
    outlet = console.Outlet(sys.stdout, to_runner=False)
    assert not hasattr(outlet, "buffer")
    with pytest.raises(TypeError):
        outlet.write(b"")  # type: ignore[arg-type]


def run(*arguments: str, **streams_of: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "mt_gate", *arguments]
    return subprocess.run(command, check=False, **{"stderr": subprocess.PIPE, **streams_of})  # type: ignore[call-overload]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs /dev/full")
def test_a_full_device() -> None:
    with open("/dev/full", "wb") as full:
        done = run("suite", "list", stdout=full)
        assert done.returncode == 3
        assert done.stderr.startswith(b"mt-gate: standard output cannot be read or written (No sp")
        assert len(done.stderr.splitlines()) == 1
        assert run("nonsense", stdout=full, stderr=full).returncode == 2


def test_a_reader_that_goes_away() -> None:
    read, write = os.pipe()
    os.close(read)
    done = run("suite", "list", stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_streams_that_are_closed() -> None:
    assert run("suite", "list", preexec_fn=lambda: os.close(1)).returncode == 0
    assert run("nonsense", stderr=None, preexec_fn=lambda: os.close(2)).returncode == 2


LONG = "x" * 300
RUN = ("run", "--task", "ner")
COMMANDS = table(__file__, "commands")


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words)[:60])
def test_a_name_too_long_is_refused_in_one_line(
    command: Callable[..., Answer], words: tuple
) -> None:
    done = command(*words)
    check_refused(done, USAGE, "File name too long. Choose another path")
    assert len(done.err) < 300


@pytest.mark.parametrize("name", ["checkpoint", "baseline", "out", "cache", "suite"])
def test_the_action_refuses_a_name_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    inputs = {"INPUT_TASK": "ner", "INPUT_CHECKPOINT": "a", f"INPUT_{name.upper()}": LONG}
    for event in ("push", "pull_request"):
        environment = {"PATH": os.environ["PATH"], "GITHUB_EVENT_NAME": event}
        assert run_action(inputs | environment) == USAGE
        assert "File name too long" in capsys.readouterr().err


def test_a_system_name_too_long_is_one_line(command: Callable[..., Answer]) -> None:
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


def test_a_missing_path_is_valid(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("missing", "missing/x", "file", "file/x", "loop", "loop/x", ""):
        check_path("--out", tmp_path / name)
    with pytest.raises(UsageError, match="null"):
        check_path("--out", "a\0b")
