"""``mt-gate`` and ``python -m mt_gate``."""

from __future__ import annotations

import sys

from mt_gate.base import interrupts


def main() -> None:
    """Run the command line; an interrupt while it is imported is a line, too."""
    interrupts.watch()
    try:
        from mt_gate.cli import exit_code
    except BaseException as error:
        if not (interrupts.came() or isinstance(error, KeyboardInterrupt)):
            raise
        sys.stderr.write("mt-gate: interrupted\n")
        code = interrupts.INTERRUPTED
    else:
        code = exit_code()
    interrupts.ended(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
