"""``mt-gate`` and ``python -m mt_gate``."""

from __future__ import annotations

import sys

from mt_gate.base import interrupts


def main() -> None:
    """Run the command line; report an interrupt during imports in one line, too."""
    interrupts.watch()
    try:
        from mt_gate.cli import exit_code

        code = exit_code()
        interrupts.ended(code)
    except BaseException as error:
        if not (interrupts.came() or isinstance(error, KeyboardInterrupt)):
            raise
        interrupts.ended(code := interrupts.INTERRUPTED)
        sys.stderr.write("mt-gate: interrupted\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
