"""The process of a checkpoint: a strange model and tokenizer are loaded and run here alone.

It is told what to do line by line, and answers so. Whatever a library does (an exception of any
kind, an abort, endless work, memory without end) ends this process at the most, and the run that
started it says so in a line.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from mt_gate.base.errors import CANNOT_JUDGE, MtGateError, reported
from mt_gate.sut import wire
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.session import runtime
from mt_gate.tasks.table import named_in_table

_DIE_WITH_PARENT, _KILLED = 1, 9


Exporter = Callable[[wire.Export], wire.Exported]


def main(export: Exporter | None = None) -> None:
    """Answer the lines on standard input until it ends."""
    warnings.simplefilter("ignore")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        call: Callable[..., int] = ctypes.CDLL(None).prctl
        call(_DIE_WITH_PARENT, _KILLED, 0, 0, 0)
    if _is_alone():
        return
    with _replies() as out:
        if export is None:
            # The run may not have named a checkpoint yet: what takes long is imported meanwhile.
            with contextlib.suppress(Exception):
                runtime()
            with contextlib.suppress(Exception):
                import tokenizers  # noqa: F401
        worker = _Worker(export)
        for text in sys.stdin.buffer:
            for reply in worker.answer(wire.read_request(text)):
                out.write(wire.line(reply))
                out.flush()


class _Worker:
    """What is open, and what can be asked of it."""

    def __init__(self, export: Exporter | None) -> None:
        self._export = export
        self._system: OnnxSystem | None = None

    def answer(self, request: wire.Request) -> Iterator[wire.Reply]:
        """Yield the replies; what fails is a reply, too."""
        try:
            yield from self._reply(request)
        except MtGateError as error:
            yield wire.Failed(str(error), error.exit_code)
        except MemoryError:
            yield wire.Failed(_unforeseen("not enough memory", ""), CANNOT_JUDGE, bare=True)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            text = _unforeseen(f"{type(error).__name__} in {_place(error)}", reported(error))
            yield wire.Failed(text, CANNOT_JUDGE, bare=True)

    def _reply(self, request: wire.Request) -> Iterator[wire.Reply]:
        if isinstance(request, wire.Open):
            yield self._open(request)
        elif isinstance(request, wire.Export):
            assert self._export is not None
            yield self._export(request)
        else:
            assert self._system is not None
            yield from _asked(self._system, request)

    def _open(self, request: wire.Open) -> wire.Opened:
        system = self._system = OnnxSystem(
            Path(request.folder),
            named_in_table(request.task).id,
            request.device,
            request.name,
            request.asked,
        )
        return wire.Opened(system.head, system.cache_key, system.card, system.reads_types)


def _asked(system: OnnxSystem, request: wire.Predict | wire.MeasureNoise) -> Iterator[wire.Reply]:
    if isinstance(request, wire.MeasureNoise):
        yield wire.MeasuredNoise(system.noise(request.inputs))
        return
    for batch in system.predict(request.inputs):
        yield from wire.answers(batch)
    yield wire.Answers(last=True)


def _unforeseen(what: str, why: str) -> str:
    shown = f" ({why})" if why else ""
    return f"cannot be loaded and run: {what}{shown}; export the checkpoint again, or name another"


def _place(error: BaseException) -> str:
    import traceback

    found = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(found.filename).name}:{found.lineno}"


@contextlib.contextmanager
def _replies() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(own, "wb") as out:
        yield out


def _is_alone() -> bool:
    """Say whether the run ended before this process was set to end with it.

    What it asked may wait in the pipe all the same, and could take all of the allowed time.
    """
    waiting = select.poll()
    waiting.register(0, 0)  # that the other end is closed is told unasked
    return bool(waiting.poll(0))
