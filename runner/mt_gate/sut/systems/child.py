"""A program on the other end of three pipes, none of which may block for ever.

One loop writes and reads whatever is ready, so that a program may answer while
it is still being asked, and may write to standard error as it likes.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from typing import IO

from mt_gate.child_environment import allowed, close_to_children
from mt_gate.errors import CannotJudge, UsageError

MAX_LINE = 4 << 20
"""Longest line taken, in bytes."""
KEPT = 4096
"""Last bytes of standard error that are kept for a message."""
LAST_WORDS = 200
GRACE = 2.0
"""Seconds that a program gets to end by itself once its pipe is closed."""
_PIECE = 1 << 16


class Child:
    """A running program and its children."""

    def __init__(self, arguments: Sequence[str], name: str, environment: Iterable[str]) -> None:
        """Start the program, in a process group of its own.

        Args:
            arguments: program and arguments.
            name: what messages call it.
            environment: names of the variables that it gets beside those of every program.

        Raises:
            UsageError: there is no such program, or it cannot be started.
        """
        self.name = name
        close_to_children()
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=allowed(os.environ, environment),
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(
                f"{name}: cannot be started ({reason}: {arguments[0]}); "
                "name a program that can, with its path"
            ) from None
        self._stdin, self._stdout, self._stderr = self._pipes()
        self._unwritten = bytearray()
        self._unread = bytearray()
        self._said = b""
        self._running, self._forced = True, False
        self._selector = selectors.DefaultSelector()
        # Reads follow a select and take what is there; only a write could block half-way.
        os.set_blocking(self._stdin.fileno(), False)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr, selectors.EVENT_READ)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        process = self._process
        assert process.stdin
        assert process.stdout
        assert process.stderr
        return process.stdin, process.stdout, process.stderr

    def send(self, line: bytes) -> None:
        """Put a line in the queue; it is written while ``lines`` waits."""
        if self._stdin.closed:
            return
        if not self._unwritten:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unwritten += line

    def lines(self, timeout: float) -> list[bytes]:
        """Write what is queued until at least one line has come; return the lines.

        Raises:
            CannotJudge: no line within ``timeout`` seconds, an over-long line, or
                the program has ended its output.
        """
        deadline = time.monotonic() + timeout
        while b"\n" not in self._unread:
            if len(self._unread) > MAX_LINE:
                raise CannotJudge(
                    f"{self.name}: wrote a line of more than {MAX_LINE} bytes; expected an "
                    "answer a line"
                )
            left = deadline - time.monotonic()
            if left <= 0:
                raise CannotJudge(
                    f"{self.name}: no answer within {timeout:g} seconds{self._last_words()}; "
                    "expected one line a request, flushed at once; mend it or raise --timeout"
                )
            if not self._transfer(left):
                raise self._ended()
        *whole, rest = bytes(self._unread).split(b"\n")
        self._unread = bytearray(rest)
        return whole

    def _transfer(self, seconds: float) -> bool:
        """Move what can be moved; False once the output has ended."""
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._stdin:
                self._write()
            elif key.fileobj is self._stderr:
                self._hear()
            elif not (piece := os.read(self._stdout.fileno(), _PIECE)):
                return False
            else:
                self._unread += piece
        return True

    def _write(self) -> None:
        try:
            written = os.write(self._stdin.fileno(), self._unwritten[:_PIECE])
        except BlockingIOError:
            return
        except OSError:  # it reads no more; what it has written may still come
            self._close_stdin()
            return
        del self._unwritten[:written]
        if not self._unwritten:
            self._selector.unregister(self._stdin)

    def _close_stdin(self) -> None:
        if self._stdin.closed:
            return
        if self._unwritten:
            self._selector.unregister(self._stdin)
            self._unwritten.clear()
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _hear(self) -> None:
        if piece := os.read(self._stderr.fileno(), _PIECE):
            self._said = (self._said + piece)[-KEPT:]
        else:
            self._selector.unregister(self._stderr)

    def _ended(self) -> CannotJudge:
        self.end()
        code = self._process.returncode
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        if self._forced:
            how = "closed its output"
        return CannotJudge(
            f"{self.name}: {how} before it had answered{self._last_words()}; expected an answer "
            "to every request; mend it and run again, what was answered is kept"
        )

    def _last_words(self) -> str:
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        return f", its last words: {lines[-1].strip()[-LAST_WORDS:]}" if lines else ""

    def end(self) -> None:
        """Close its input, give it a moment, and end it with all its children; once is enough."""
        if not self._running:
            return
        self._close_stdin()
        deadline = time.monotonic() + GRACE
        with contextlib.suppress(KeyError):
            self._selector.unregister(self._stdout)
        # It may still be writing to standard error: unread, that would keep it from ending.
        while self._selector.get_map() and (left := deadline - time.monotonic()) > 0:
            self._transfer(left)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        self.kill()

    def kill(self) -> None:
        """End the program and its children at once; safe to call again."""
        if not self._running:
            return
        self._running = False
        self._forced = self._process.poll() is None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._close_stdin()
        for pipe in (self._stdout, self._stderr):
            pipe.close()
        self._selector.close()
