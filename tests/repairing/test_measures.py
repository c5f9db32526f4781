from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.repairing.repair import Label, measure
from mt_gate.results.result import RepairMeasures


def counted(answers: Iterable[tuple[Label, Label, Label]]) -> RepairMeasures:
    return measure("labels.jsonl", 1, answers)


def test_the_four_counts() -> None:
    answers = [
        ("LOC", "ORG", "ORG"),
        ("ORG", "LOC", "ORG"),
        (None, None, None),
        ("LOC", "PER", None),
        (None, "LOC", "LOC"),
    ]
    counts = counted(answers)
    assert (counts.ft, counts.tf, counts.tt, counts.ff) == (2, 1, 1, 1)


def test_the_rates_of_the_paper() -> None:
    ft, tf, tt, ff = ("LOC", "ORG", "ORG"), ("ORG", "LOC", "ORG"), ("A", "A", "A"), ("A", "B", "C")
    counts = counted([ft] * 6 + [tf] + [tt] * 3 + [ff] * 2)
    assert (counts.err2cor, counts.cor2err, counts.error_reduction) == (0.75, 0.25, 0.625)


def test_over_nothing_there_is_no_rate() -> None:
    counts = counted([])
    assert (counts.err2cor, counts.cor2err, counts.error_reduction) == (None, None, None)
    right = counted([("LOC", "LOC", "LOC")])
    assert (right.err2cor, right.cor2err, right.error_reduction) == (None, 0, None)
    wrong = counted([("LOC", "LOC", "ORG")])
    assert (wrong.err2cor, wrong.cor2err, wrong.error_reduction) == (0, None, 0)


labels = st.sampled_from([None, "LOC", "ORG"])


@given(st.lists(st.tuples(labels, labels, labels)))
def test_every_answer_counts_once(answers: list[tuple[Label, Label, Label]]) -> None:
    counts = counted(answers)
    assert counts.ft + counts.tf + counts.tt + counts.ff == len(answers)
    wrong = sum(said != right for said, _, right in answers)
    assert counts.ft + counts.ff == wrong
    after = sum(repaired != right for _, repaired, right in answers)
    if counts.error_reduction is not None:
        assert abs(counts.error_reduction - (wrong - after) / wrong) < 1e-12


@given(st.lists(st.tuples(labels, labels)))
def test_without_repair_nothing_is_fixed_or_broken(
    answers: list[tuple[str | None, str | None]],
) -> None:
    counts = counted((said, said, right) for said, right in answers)
    assert counts.ft == counts.tf == 0
