"""The process of a checkpoint that starts and loads while the run reads its suite."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest

from making import SENTENCES
from making_onnx import hungry, looping, save_checkpoint, scores
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.running.checkpoints import load_ahead, open_checkpoint
from mt_gate.sut.ahead import started_ahead
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.limits import Allowed, resident
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.child import Child

WORDS, LABELS = 400, 7
Open = Callable[..., ConfinedCheckpoint]
INPUTS = [{"text": text} for text in SENTENCES]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open checkpoints as a run does; they are closed when the test ends."""
    with ExitStack() as stack:

        def open_(folder: Path, **more: Any) -> ConfinedCheckpoint:
            system = open_checkpoint(
                str(folder), "ner", "cpu", cache=tmp_path, parity_inputs=list, say=print, **more
            )
            return stack.enter_context(closing(system))

        yield open_


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    return save_checkpoint(tmp_path / "loop", looping(scores(WORDS, LABELS)))


def answers(system: ConfinedCheckpoint | OnnxSystem) -> list[Prediction]:
    found = {index: answer for batch in system.predict(INPUTS) for index, answer in batch}
    return [found[index] for index in range(len(INPUTS))]


def ended(process: int) -> bool:
    """Wait until a process, a child of this one, has ended, and can be waited for."""
    with suppress(ChildProcessError):  # somebody has waited for it
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    return True


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of the processes that are started from now on."""
    found: list[int] = []

    class Noted(Child):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            found.append(self.process)

    monkeypatch.setattr("mt_gate.sut.process.Child", Noted)
    return found


def test_a_process_started_ahead_serves_the_next_checkpoint(
    small: Path, opened: Open, started: list[int]
) -> None:
    with started_ahead(str(small)):
        assert len(started) == 1
        system = opened(small)
        assert len(started) == 1
        opened(small)
        assert len(started) == 2
    assert answers(system) == answers(OnnxSystem(small, "ner", "cpu")), "it lives on"


def test_a_process_started_ahead_ends_where_no_checkpoint_is_opened(
    small: Path, started: list[int]
) -> None:
    with pytest.raises(ZeroDivisionError), started_ahead(str(small)):
        raise ZeroDivisionError
    assert [resident(process) for process in started] == [0]


def test_a_process_started_ahead_is_told_by_its_checkpoint(
    small: Path, opened: Open, started: list[int]
) -> None:
    with started_ahead(str(small)):
        system = opened(small)
    os.kill(started[0], signal.SIGKILL)
    with pytest.raises(CannotJudge, match=r"^checkpoint bert: was ended by signal 9 "):
        answers(system)


def test_a_process_started_ahead_that_has_ended_is_not_used(
    small: Path, opened: Open, started: list[int]
) -> None:
    with started_ahead(str(small)):
        os.kill(started[0], signal.SIGKILL)
        assert ended(started[0])
        system = opened(small)
    assert len(started) == 2
    assert answers(system) == answers(OnnxSystem(small, "ner", "cpu"))


def test_one_process_is_started_ahead(small: Path, opened: Open, started: list[int]) -> None:
    with started_ahead(str(small)), started_ahead(str(small)) as waits:
        assert waits
        opened(small)
    assert len(started) == 1


def test_it_loads_while_the_run_goes_on(small: Path, opened: Open, started: list[int]) -> None:
    with started_ahead(str(small)):
        load_ahead(str(small), "ner", "cpu")
        load_ahead(str(small), "ner", "cuda")  # too late: it loads already
        system = opened(small)
    assert len(started) == 1
    here = OnnxSystem(small, "ner", "cpu")
    assert (system.head, system.cache_key) == (here.head, here.cache_key)
    assert answers(system) == answers(here)


def test_it_loads_nothing_unless_one_waits(small: Path, started: list[int]) -> None:
    load_ahead(str(small), "ner", "cpu")
    assert not started


@pytest.mark.parametrize(
    "otherwise",
    [
        {"asked": CheckpointOptions(max_length=32)},
        {"asked": CheckpointOptions(threads=1)},
        {"allowed": Allowed(timeout=30)},
    ],
)
def test_what_was_loaded_otherwise_is_not_used(
    small: Path, opened: Open, started: list[int], otherwise: dict[str, Any]
) -> None:
    with started_ahead(str(small)):
        load_ahead(str(small), "ner", "cpu")
        opened(small, **otherwise)
        assert len(started) == 2
        assert ended(started[0])


def test_what_is_unfit_is_told_where_it_is_opened(
    checkpoint: Path, opened: Open, started: list[int]
) -> None:
    (checkpoint / "tokenizer.json").write_text("{}")
    with started_ahead(str(checkpoint)):
        load_ahead(str(checkpoint), "ner", "cpu")
        with pytest.raises(CannotJudge, match=r"tokenizer\.json: is not the file that"):
            opened(checkpoint)
    assert len(started) == 1


def test_what_is_asked_of_it_and_unfit_is_told_where_it_is_opened(
    small: Path, opened: Open, started: list[int]
) -> None:
    asked = CheckpointOptions(max_length=9999)
    with started_ahead(str(small)):
        load_ahead(str(small), "ner", "cpu", asked)
        with pytest.raises(UsageError, match=r"--max-length 9999"):
            opened(small, asked=asked)
    assert len(started) == 1


def test_limits_hold_while_it_loads(
    endless: Path, tmp_path: Path, opened: Open, started: list[int]
) -> None:
    short = Allowed(timeout=0.5)
    with started_ahead(str(endless)):
        load_ahead(str(endless), "ner", "cpu", allowed=short)
        assert ended(started[0]), "though nobody has asked for it yet"
        with pytest.raises(CannotJudge, match=r"^checkpoint loop: no answer within 0\.5 seconds"):
            opened(endless, allowed=short)
    greedy = save_checkpoint(tmp_path / "hungry", hungry(scores(WORDS, LABELS)))
    small = Allowed(max_memory=0.3)
    with started_ahead(str(greedy)):
        load_ahead(str(greedy), "ner", "cpu", allowed=small)
        assert ended(started[1])
        with pytest.raises(CannotJudge, match=r"0\.3 GiB of memory|[Aa]lloc"):
            opened(greedy, allowed=small)


def test_it_ends_in_the_middle_of_loading(endless: Path, started: list[int]) -> None:
    with started_ahead(str(endless)):
        load_ahead(str(endless), "ner", "cpu")
        time.sleep(0.5)
    assert [resident(process) for process in started] == [0]


def test_an_interrupt_ends_it_while_it_is_waited_for(
    endless: Path, opened: Open, started: list[int]
) -> None:
    def interrupted() -> None:
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        opened(endless)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    try:
        with started_ahead(str(endless)):
            load_ahead(str(endless), "ner", "cpu")
            with pytest.raises(KeyboardInterrupt):
                interrupted()
            assert resident(started[0]) == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_one_that_ended_before_it_was_told_is_not_used(
    small: Path, opened: Open, started: list[int]
) -> None:
    with started_ahead(str(small)):
        os.kill(started[0], signal.SIGKILL)
        assert ended(started[0])
        load_ahead(str(small), "ner", "cpu")
        opened(small)
    assert len(started) == 2
