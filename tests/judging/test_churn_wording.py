"""What changed, in the sentences that the verdict and the reports share."""

from __future__ import annotations

from mt_gate.judging.churn import (
    answers_differ,
    churn_unchecked,
    groups_turned,
    labelled_turned,
    negative_flips_unchecked,
    no_group_in_both,
    over_churn,
)
from mt_gate.results.result import AnswerChurn, Churn, Flips, LabelledFlips

FOUND = Flips(number=30, of=1000, clusters=1000, rate=0.03, ci95=(0.0206, 0.0425))
SURELY = "(3.0 %, 95 % interval 2.1 % to 4.2 %)"
LABELLED = LabelledFlips(labels="names", negative=FOUND, positive=3)


def test_answers_groups_and_labelled_inputs_are_counted_of_all() -> None:
    assert answers_differ(FOUND) == f"30 of 1,000 answers differ from the baseline's {SURELY}"
    assert groups_turned(FOUND) == f"30 of 1,000 groups turned from held to violated {SURELY}"
    told = f"30 of 1,000 labelled inputs turned from right to wrong {SURELY}"
    assert labelled_turned(LABELLED) == told


def test_what_is_over_a_limit_is_told_of_labels_where_there_are_any() -> None:
    churn = Churn(answers=AnswerChurn(inputs=FOUND), groups=FOUND)
    assert over_churn("max_churn", churn, 0.02) == (
        f"{answers_differ(FOUND)}, surely above max-churn 2.0 %"
    )
    assert over_churn("max_negative_flips", churn, 0.02) == (
        f"{groups_turned(FOUND)}, surely above max-negative-flips 2.0 %"
    )
    assert over_churn("max_churn", churn, 0.0205).endswith(
        "surely above max-churn 2.05 % (from 2.06 % on)"
    )
    labelled = Churn(answers=None, groups=FOUND, labelled=LABELLED)
    assert over_churn("max_negative_flips", labelled, 0.02) == (
        f"{labelled_turned(LABELLED)}, surely above max-negative-flips 2.0 %"
    )


def test_what_was_not_checked_says_what_to_record() -> None:
    assert churn_unchecked() == (
        "max-churn was not checked: the baseline's answers are not known; record it with them"
    )
    assert negative_flips_unchecked() == (
        "max-negative-flips was not checked: the baseline was not asked these labelled inputs; "
        "record one of a run with the same --labels"
    )
    assert no_group_in_both() == (
        "max-negative-flips was not checked: no group of the suite has a verdict in both runs "
        "(groups built at run time do not count)"
    )
