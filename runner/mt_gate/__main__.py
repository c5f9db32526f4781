"""``mt-gate`` and ``python -m mt_gate``."""

from __future__ import annotations

import sys

_INTERRUPTED = 130
"""As ``base.guarding`` has it, which may be what is being imported."""


def main() -> None:
    """Run the command line; an interrupt while it is imported is a line, too."""
    try:
        from mt_gate.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("mt-gate: interrupted\n")
        sys.exit(_INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
