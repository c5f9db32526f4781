"""``mt-gate`` and ``python -m mt_gate``."""

from __future__ import annotations

import signal
import sys

_INTERRUPTED = 130
"""As ``base.guarding`` has it, which may be what is being imported."""


def main() -> None:
    """Run the command line; an interrupt while it is imported is a line, too.

    Who cancels a job, evicts a container or preempts a node sends SIGTERM: it is an interrupt.
    As a container's first process there would even be no heed paid to it.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from mt_gate.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("mt-gate: interrupted\n")
        sys.exit(_INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
