from __future__ import annotations

import csv
import io
import re

from hypothesis import example, given
from hypothesis import strategies as st

from history.making import history
from mt_gate.history.runs import History
from mt_gate.history.views import COLUMNS, csv_table
from reporting.xss_corpus import NAMES, PAYLOADS

FORMULAS = [
    "=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\u200b=1",
    "\ufeff=1", "＝1", "“=1", '"=1', "'=1", ";=1", "|x", "%0a=1", "\x00=1", "−1", "﹦1",
]  # fmt: skip


def parsed(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text, newline=""))]


def named(text: str) -> History:
    """Return a history in which a stranger chose every text."""
    whole = history()
    suites = []
    for of in whole.suites:
        runs = tuple(
            run._replace(
                place=text, checkpoint=type(run.checkpoint)(name=text, fingerprint=text,
                                                            runtime=run.checkpoint.runtime),
                rerecorded=run.rerecorded and run.rerecorded._replace(reason=text),
            )
            for run in of.runs
        )  # fmt: skip
        suites.append(of._replace(runs=runs))
    return whole._replace(suites=tuple(suites))


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet computes a cell: its sign may stand behind what cannot be seen."""
    bare = re.sub(r"^[\s\x00-\x1f\u200b\ufeff\"“;]+", "", cell)
    return bare[:1] in tuple("=+-@|%＝＋－＠﹢﹣﹦−\t\r")


@given(st.text(min_size=1, max_size=40) | st.sampled_from(FORMULAS))
@example('=HYPERLINK("https://example.org")')
def test_no_text_is_a_formula(text: str) -> None:
    found = parsed(csv_table(named(text)))
    assert len(found) == 6 * 5 + 2
    for row in found:
        for column in ("place", "checkpoint", "fingerprint", "reason"):
            assert not is_formula(row[column]), row[column]
            assert not re.search(r"[\x00-\x1f\x7f]", row[column])


def test_payloads_stay_in_their_cells() -> None:
    for text in (*NAMES, *(payload.text for payload in PAYLOADS)):
        found = parsed(csv_table(named(text)))
        assert len(found) == 6 * 5 + 2
        assert {len(row) for row in found} == {len(COLUMNS)}
        assert not any(is_formula(row["place"]) for row in found)


def test_numbers_stand_bare() -> None:
    rows = parsed(csv_table(history()))
    assert [*rows[0]] == [*COLUMNS]
    lows = [row["delta_low"] for row in rows]
    assert "-0.01" in lows
    assert "" in lows
    gap = next(row for row in rows if row["applicable"] == "0")
    assert (gap["violation_rate"], gap["violation_rate_low"]) == ("", "")
