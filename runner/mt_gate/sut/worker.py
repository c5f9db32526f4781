"""The process of a checkpoint, the only one that loads and runs an untrusted model and tokenizer.

Requests and replies are lines of JSON. A library may raise any exception, abort, never return, or
exhaust the memory. That ends this process at most, and the run reports it in one line.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from mt_gate.base.errors import CANNOT_JUDGE, MtGateError, reported
from mt_gate.sut import wire
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.session import runtime
from mt_gate.tasks.table import named_in_table

_DIE_WITH_PARENT, _KILLED = 1, 9


Exporter = Callable[[wire.Export], wire.Exported]


def main(export: Exporter | None = None, system: Callable[..., OnnxSystem] = OnnxSystem) -> None:
    """Reply to the lines on standard input until it ends; ``system`` opens checkpoints."""
    warnings.simplefilter("ignore")
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        call: Callable[..., int] = ctypes.CDLL(None).prctl
        call(_DIE_WITH_PARENT, _KILLED, 0, 0, 0)
    # If the run has ended already, do not spend its time on the request that waits in the pipe.
    waiting = select.poll()
    waiting.register(0, 0)  # poll always reports that the other end is closed
    if waiting.poll(0):
        return
    # Standard output is only for replies; output of libraries goes to standard error.
    sys.stdout.flush()
    own = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(own, "wb") as out:
        if export is None:
            # Import slow libraries now, while the run may not have named a checkpoint yet.
            with contextlib.suppress(Exception):
                runtime()
            with contextlib.suppress(Exception):
                import tokenizers  # noqa: F401
        worker = _Worker(export, system)
        for text in sys.stdin.buffer:
            for reply in worker.answer(wire.REQUESTS.decode(text)):
                out.write(msgspec.json.encode(reply) + b"\n")
                out.flush()


class _Worker:
    """The opened system, and the requests that it handles."""

    def __init__(self, export: Exporter | None, system: Callable[..., OnnxSystem]) -> None:
        self._export, self._open = export, system
        self._system: OnnxSystem | None = None

    def answer(self, request: wire.Request) -> Iterator[wire.Reply]:
        """Yield the replies to a request; a failure is a reply, too."""
        what, why = "", ""
        try:
            if isinstance(request, wire.Open):
                task = named_in_table(request.task).id
                folder = Path(request.folder)
                opened = self._open(folder, task, request.device, request.name, request.options)
                self._system = opened
                yield wire.Opened(opened.head, opened.cache_key, opened.card, opened.reads_types)
            elif isinstance(request, wire.Export):
                assert self._export is not None
                yield self._export(request)
            elif self._system is not None and isinstance(request, wire.MeasureNoise):
                yield wire.MeasuredNoise(self._system.noise(request.inputs))
            else:
                assert self._system is not None
                for batch in self._system.predict(request.inputs):
                    for start in range(0, len(batch) or 1, wire.AT_ONCE):
                        yield wire.Answers(batch[start : start + wire.AT_ONCE])
                yield wire.Answers(last=True)
        except MtGateError as error:
            yield wire.Failed(str(error), error.exit_code)
        except MemoryError:
            what = "not enough memory"
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            import traceback

            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
            why = f" ({reason})" if (reason := reported(error)) else ""
        if what:
            text = f"cannot be loaded and run: {what}{why}. Export the checkpoint again, or pass "
            yield wire.Failed(f"{text}another one", CANNOT_JUDGE, bare=True)
