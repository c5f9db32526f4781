from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.repairing.repair import Counts, EntityAnswers, measure


def test_the_four_counts() -> None:
    answers = [
        EntityAnswers("LOC", "ORG", "ORG"),
        EntityAnswers("ORG", "LOC", "ORG"),
        EntityAnswers(None, None, None),
        EntityAnswers("LOC", "PER", None),
        EntityAnswers(None, "LOC", "LOC"),
    ]
    assert measure(answers) == Counts(ft=2, tf=1, tt=1, ff=1)


def test_the_rates_of_the_paper() -> None:
    counts = Counts(ft=6, tf=1, tt=3, ff=2)
    assert (counts.err2cor, counts.cor2err, counts.error_reduction) == (0.75, 0.25, 0.625)


def test_over_nothing_there_is_no_rate() -> None:
    counts = measure([])
    assert (counts.err2cor, counts.cor2err, counts.error_reduction) == (None, None, None)
    right = measure([EntityAnswers("LOC", "LOC", "LOC")])
    assert (right.err2cor, right.cor2err, right.error_reduction) == (None, 0, None)
    wrong = measure([EntityAnswers("LOC", "LOC", "ORG")])
    assert (wrong.err2cor, wrong.cor2err, wrong.error_reduction) == (0, None, 0)


labels = st.sampled_from([None, "LOC", "ORG"])


@given(st.lists(st.builds(EntityAnswers, labels, labels, labels)))
def test_every_answer_counts_once(answers: list[EntityAnswers]) -> None:
    counts = measure(answers)
    assert sum(counts) == len(answers)
    wrong = sum(answer.said != answer.right for answer in answers)
    assert counts.ft + counts.ff == wrong
    after = sum(answer.repaired != answer.right for answer in answers)
    if counts.error_reduction is not None:
        assert abs(counts.error_reduction - (wrong - after) / wrong) < 1e-12


@given(st.lists(st.tuples(labels, labels)))
def test_without_repair_nothing_is_fixed_or_broken(
    answers: list[tuple[str | None, str | None]],
) -> None:
    counts = measure(EntityAnswers(said, said, right) for said, right in answers)
    assert counts.ft == counts.tf == 0
