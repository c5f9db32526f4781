"""What ``mt-gate suite audit`` was asked for, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mt_gate.audits import audit
from mt_gate.audits.show import precision_words
from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import one_line


def lines(
    suite: str,
    sheets: Sequence[Path],
    out: Path | None,
    read: bool,
    result: Path | None,
    drawn: Mapping[str, Any],
) -> Iterator[str]:
    """Draw sheets or read them, and yield what to tell.

    Args:
        suite: name or folder.
        sheets: marked sheets, with ``read``.
        out: folder of new sheets, without it.
        read: whether to read or to draw.
        result: a run of the suite whose groups are drawn, or were.
        drawn: ``groups``, ``relation`` and ``seed`` of a draw, None where left out.

    Raises:
        UsageError: flags that do not go together; and what ``audit`` raises.
        CannotJudge: what ``audit`` raises.
    """
    given = {name: value for name, value in drawn.items() if value is not None}
    if read:
        if not sheets or out is not None or given:
            raise UsageError("suite audit --read: give marked sheets, and no option of a draw")
        for relation, precision in audit.record(suite, sheets, result):
            yield one_line(f"{relation}: {precision_words(precision)}")
        return
    if sheets or out is None:
        raise UsageError("suite audit: give --out DIR for new sheets, or --read SHEET.csv")
    from mt_gate.reporting.words.texts import TEXTS

    paths = audit.draw(suite, out, TEXTS, result=result, **given)
    for path in paths:
        yield one_line(str(path))
    yield (
        f"mark in {paths[-1].name} or in the sheets, then: "
        "mt-gate suite audit SUITE --read SHEET.csv" + (" --result DIR" if result else "")
    )
