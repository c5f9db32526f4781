"""Checkpoints in a process of their own: what they may take, and what ends them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from making import SENTENCES
from making_onnx import hungry, looping, save_checkpoint, scores, token_model
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.confined import ConfinedCheckpoint, Worker
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.processes import Allowed
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks import ner

WORDS, LABELS = 400, 7
Open = Callable[..., ConfinedCheckpoint]
INPUTS = [{"text": text} for text in SENTENCES]


@pytest.fixture
def table() -> np.ndarray:
    return scores(WORDS, LABELS)


@pytest.fixture
def made(tmp_path: Path, table: np.ndarray) -> Path:
    return save_checkpoint(tmp_path / "made", token_model({"table": table}))


@pytest.fixture
def opened() -> Iterator[Open]:
    with ExitStack() as stack:

        def open_(folder: Path, allowed: Allowed = Allowed(), **more: Any) -> ConfinedCheckpoint:  # noqa: B008
            system = ConfinedCheckpoint(folder, "ner", "cpu", allowed=allowed, **more)
            return stack.enter_context(closing(system))

        yield open_


def answers(system: ConfinedCheckpoint | OnnxSystem) -> list[Prediction]:
    result = {index: answer for batch in system.predict(INPUTS) for index, answer in batch}
    return [result[index] for index in range(len(INPUTS))]


def test_it_answers_as_in_this_process(small: Path, opened: Open) -> None:
    system, here = opened(small), OnnxSystem(small, "ner", "cpu")
    assert answers(system) == answers(here)
    assert (system.head, system.cache_key) == (here.head, here.cache_key)
    assert system.card == here.card
    assert system.noise(INPUTS) == pytest.approx(here.noise(INPUTS), abs=1e-6)
    assert answers(system) == answers(here)  # and goes on answering
    system.close()
    system.close()


def test_an_unfit_checkpoint_is_refused_as_in_this_process(made: Path, opened: Open) -> None:
    (made / "tokenizer.json").write_text("{}")
    with pytest.raises(CannotJudge, match=r"tokenizer\.json is not a tokenizer"):
        opened(made)
    with pytest.raises(UsageError, match=r"--max-length 9999 is too large: .* takes at most"):
        opened(made, options=CheckpointOptions(max_length=9999))


def test_endless_work_ends_in_time(tmp_path: Path, table: np.ndarray, opened: Open) -> None:
    folder = save_checkpoint(tmp_path / "loop", looping(table))
    with pytest.raises(CannotJudge, match=r"no reply within 2 seconds\. .* raise --timeout"):
        opened(folder, Allowed(timeout=2))


def test_memory_ends_where_it_may(tmp_path: Path, table: np.ndarray, opened: Open) -> None:
    folder = save_checkpoint(tmp_path / "hungry", hungry(table))
    with pytest.raises(CannotJudge, match=r"1\.0 GiB of memory.*--max-memory|[Aa]lloc"):
        opened(folder, Allowed(max_memory=1))


def test_an_ended_process_is_reported(
    small: Path, opened: Open, children: Callable[[], set[int]]
) -> None:
    system = opened(small)
    (child,) = children()
    os.kill(child, signal.SIGSEGV)
    with pytest.raises(CannotJudge, match=r"was ended by signal 11.*before it replied\. Expected"):
        answers(system)
    with pytest.raises(CannotJudge):
        answers(system)


def running() -> set[int]:
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return {int(number) for number in text.split()}


@pytest.fixture
def children() -> Callable[[], set[int]]:
    before = running()
    return lambda: running() - before


def test_a_worker_ends_when_its_caller_stops(
    small: Path, opened: Open, children: Callable[[], set[int]]
) -> None:
    system = opened(small)
    batches = system.predict(INPUTS)
    next(batches)
    batches.close()
    assert children() == set()


def test_a_worker_does_nothing_for_a_run_that_has_ended(small: Path) -> None:
    """The run was killed: its request is still in the pipe, and nobody reads the answer."""
    from mt_gate.sut import wire

    request = wire.Open(str(small), ner.TASK.path, "cpu", "x", CheckpointOptions())
    question = msgspec.json.encode(request) + b"\n"
    done = subprocess.run(
        [sys.executable, "-c", "from mt_gate.sut.worker import main; main()"],
        input=question,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=60,
    )
    assert done.stdout == b""


def test_a_process_out_of_turn_is_no_answer(small: Path) -> None:
    from mt_gate.sut import wire

    worker = Worker("x")
    request = wire.Open(str(small), ner.TASK.path, "cpu", "x", CheckpointOptions())
    with pytest.raises(CannotJudge, match="replied without a request"):
        worker.ask(request, wire.MeasuredNoise, Allowed().limits(small, loads=1))


@pytest.mark.parametrize(
    "items",
    [
        [(0, ({}, 1.0, "")), (0, ({}, 1.0, ""))],
        [(-1, ({}, 1.0, ""))],
        [(len(INPUTS), ({}, 1.0, ""))],
        [(0, ({}, 1.0, ""))],
    ],
)
def test_answers_to_other_inputs_are_dropped(
    small: Path,
    opened: Open,
    monkeypatch: pytest.MonkeyPatch,
    items: Sequence[Any],
    children: Callable[[], set[int]],
) -> None:
    """Twice the same, before the first, beyond the last, too few: a process gone astray."""
    from mt_gate.sut import wire

    system = opened(small)
    replies = iter([wire.Answers(items), wire.Answers(last=True)])
    monkeypatch.setattr(Worker, "reply", lambda *_: next(replies))
    with pytest.raises(CannotJudge, match="replied without a request"):
        answers(system)
    assert children() == set()


ROOT = Path(__file__).parents[2]


def test_the_checkout_s_modules_are_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name in ("click", "json", "msgspec"):
        (tmp_path / "src" / f"{name}.py").write_text("import os; os._exit(0)\n")
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'runner')!r})\n"
        "from mt_gate.sut import confined\n"
        "import subprocess\n"
        "code = 'import json, msgspec; print(json.__file__)'\n"
        "command = [sys.executable, '-P', '-c', code]\n"
        "def child(*of):\n"
        "    subprocess.run(command, env=of[2], check=True)\n"
        "    return subprocess.Popen\n"
        "confined.Child = child\n"
        "confined.Worker('x')\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": "src",
            "PYTHONHOME": "src",
            "PYTHONPYCACHEPREFIX": "src",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip().endswith("__init__.py")


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.full"])
def test_images_start_python_isolated(name: str) -> None:
    file = (ROOT / name).read_text()
    assert re.findall("^ENTRYPOINT .*", file, re.M) == [
        'ENTRYPOINT ["python", "-I", "-u", "-m", "mt_gate"]'
    ]
