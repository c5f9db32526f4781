"""``python -m mt_gate``."""

from mt_gate.cli import main

main()
