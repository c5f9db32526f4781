"""Verdicts come out of a study's files as they were, and what they cannot be is refused."""

from __future__ import annotations

import msgspec
import pytest

from fault_bench.kept_verdicts import KeptVerdicts, as_judged, to_keep
from judging.made import bound, rows
from mt_gate.base.jsonio import canonical
from mt_gate.judging.verdicts import verdicts_from_rows


def test_they_come_back_as_they_were() -> None:
    run = verdicts_from_rows(rows("vsnVo", per_source=2) + bound(["vs", "", "o"]))
    kept = msgspec.json.decode(canonical(to_keep(run)), type=dict[str, KeptVerdicts])
    assert as_judged(kept) == run


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"source_of": {}}, "a group without its source"),
        ({"sources": {"s0": {"applicable": 3_000_000_000}}}, "<= 1000000000"),
    ],
)
def test_what_they_cannot_be_is_refused(changes: dict[str, object], match: str) -> None:
    (kept,) = msgspec.to_builtins(to_keep(verdicts_from_rows(rows("vs")))).values()
    with pytest.raises(msgspec.ValidationError, match=match):
        msgspec.convert(kept | changes, KeptVerdicts)
