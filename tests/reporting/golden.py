"""Compare a report with the file it should be.

``MT_GATE_GOLDEN=write`` writes the files anew; read the difference before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "golden"


def check(name: str, text: str) -> None:
    """Fail unless a report equals the golden file of that name."""
    path = FOLDER / name
    if os.environ.get("MT_GATE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path} differs; see {__file__}"
