"""The table of faults: each has somebody who makes it, and one of two halves."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from fault_bench import making
from fault_bench.faults import Family, Half, kinds, planned
from mt_gate.base.errors import UsageError
from mt_gate.tasks.table import TASKS


def test_each_kind_stands_once_with_rising_or_falling_strengths() -> None:
    names = [kind.name for kind in kinds()]
    assert len(set(names)) == len(names)
    for kind in kinds():
        steps = [b - a for a, b in zip(kind.strengths, kind.strengths[1:], strict=False)]
        assert all(step > 0 for step in steps) or all(step < 0 for step in steps), kind.name
        assert set(kind.tasks) <= set(TASKS)


def test_what_is_not_trained_can_be_made() -> None:
    untrained = {kind.name for kind in kinds() if kind.family is not Family.TRAINING}
    assert untrained == set(making.KINDS)


def test_half_of_the_kinds_of_each_family_are_for_telling() -> None:
    halves = Counter((kind.family, kind.half) for kind in kinds())
    for family in {kind.family for kind in kinds()}:
        assert abs(halves[family, Half.CHOOSING] - halves[family, Half.TELLING]) <= 1, family
    assert {kind.half for kind in kinds() if kind.harmless} == {Half.CHOOSING, Half.TELLING}


def test_faults_are_named_by_kind_and_strength() -> None:
    assert [fault.name for fault in planned("ner", ["sister-tokenizer"])] == [
        "sister-tokenizer-0.003",
        "sister-tokenizer-0.01",
        "sister-tokenizer-0.03",
        "sister-tokenizer-0.1",
    ]


def test_a_task_has_the_faults_that_it_can_have() -> None:
    assert planned("boolq", ["forgotten-labels"]) == ()
    assert len(planned("ner", ["forgotten-labels"])) == 1


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="--kinds 'fuzz': unknown; known: int8-weights, "):
        planned("ner", ["fuzz"])


PAGE = Path(__file__).parents[2] / "docs" / "mutation.md"
MARK, END = "<!-- kinds -->\n", "<!-- end -->"


def test_the_page_has_the_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, mark, rest = text.partition(MARK)
    found, end, after = rest.partition(END)
    rows = ["| kind | family, half | strengths | what |\n", "| --- | --- | --- | --- |\n"]
    rows += [
        f"| `{kind.name}` | {kind.family.value}, {kind.half.value} | "
        f"{', '.join(f'{strength:g}' for strength in kind.strengths)} | {kind.what} |\n"
        for kind in kinds()
    ]
    if os.environ.get("MT_GATE_GOLDEN") == "write":
        PAGE.write_text(f"{before}{mark}{''.join(rows)}{end}{after}", encoding="utf-8")
    else:
        assert found == "".join(rows), "MT_GATE_GOLDEN=write puts the table into docs/mutation.md"
