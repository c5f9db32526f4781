from __future__ import annotations

import msgspec

from mt_gate.domain import Verdict
from mt_gate.reporting.words.first_screen import Kind, gather
from mt_gate.results.result import Change, GateVerdict
from reporting import made_up


def test_counts_stay_whole_where_rows_are_dropped() -> None:
    gathered = gather(made_up.result(), made_up.many(1000), most=60)
    new = gathered["ner/structural", Kind.NEW]
    assert new.total == 1000
    assert len(new.rows) == 60
    assert [row.id for row in new.rows][:3] == ["00000000", "00000001", "00000002"]


def test_the_longest_lists_are_cut_to_one_length() -> None:
    rows = made_up.rows({Change.NEW: 400, Change.FIXED: 40, Change.STILL: 8})
    gathered = gather(made_up.result(), made_up.again(rows), most=100)
    sizes = {
        kind: {len(kept.rows) for (_, k), kept in gathered.items() if k is kind} for kind in Kind
    }
    assert sizes[Kind.STILL] == {2}
    assert sizes[Kind.FIXED] == {10}
    assert sizes[Kind.NEW] == {13}
    assert {kept.total for (_, k), kept in gathered.items() if k is Kind.NEW} == {100}


def test_without_a_baseline_violated_groups_are_shown() -> None:
    rows = made_up.rows({None: 8})
    gathered = gather(made_up.result(GateVerdict.MEASURED), made_up.again(rows))
    assert {kind for _, kind in gathered} == {Kind.VIOLATED}
    assert sum(kept.total for kept in gathered.values()) == 8


def test_a_violated_group_without_partner_is_no_new_violation() -> None:
    row = msgspec.structs.replace(made_up.rows()[0], change=None)
    assert row.verdict is Verdict.VIOLATED
    gathered = gather(made_up.result(), made_up.again([row]))
    assert {kind for _, kind in gathered} == {Kind.STILL}


def test_groups_that_must_hold_come_first_and_unstable_ones_last() -> None:
    texts, entities = made_up.EXAMPLES["ner/structural"][0]
    rows = [made_up.row(n, "ner/structural", texts, entities, unstable=n == 0) for n in range(4)]
    settings = msgspec.structs.replace(made_up.settings(), must_hold=(rows[2].id,))
    gathered = gather(made_up.result(settings=settings), made_up.again(rows))
    order = [row.id[-1] for row in gathered["ner/structural", Kind.NEW].rows]
    assert order == ["2", "1", "3", "0"]
