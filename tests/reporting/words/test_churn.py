from __future__ import annotations

import msgspec
import pytest

from mt_gate.domain import AnswerChange
from mt_gate.reporting.words.churn import (
    churn_line,
    churn_rates,
    churn_tables,
    over_limits,
)
from mt_gate.results.result import AnswerChurn, Churn, GateVerdict, MovedAnswers
from reporting import made_up


def with_moves(*moves: tuple[str, str, int]) -> Churn:
    """Return what changed of answers that are one label."""
    found = tuple(
        MovedAnswers(
            how=AnswerChange.KEPT if before == after else AnswerChange.CHANGED,
            before=before,
            after=after,
            number=number,
        )
        for before, after, number in moves
    )
    answers = AnswerChurn(inputs=made_up.flips(10, 100, 50), moves=found)
    return msgspec.structs.replace(made_up.churn(), answers=answers)


def test_one_line_says_it_all() -> None:
    assert churn_line(made_up.churn()) == (
        "What changed: 118 of 2,345 answers differ from the baseline's (5.0 %, 95 % interval 3.0 % "
        "to 7.0 %); 30 of 400 groups turned from held to violated (7.5 %, 95 % interval 5.5 % to "
        "9.5 %); 12 of 500 labelled inputs turned from right to wrong (2.4 %, 95 % interval 0.4 % "
        "to 4.4 %), 7 back; scores moved by 0.012 in the mean and by 0.31 or less in 99 % of "
        "2,200 inputs."
    )


def test_what_is_not_known_is_not_told() -> None:
    alone = msgspec.structs.replace(made_up.churn(), answers=None, labelled=None)
    assert churn_line(alone).startswith("What changed: 30 of 400 groups")
    assert "label" not in churn_line(alone)
    assert churn_tables(alone) == churn_tables(None) == ()


def test_rates_carry_the_limit_that_is_set_on_them() -> None:
    result = made_up.result(
        settings=msgspec.structs.replace(made_up.settings(), max_churn=0.2, max_negative_flips=0.1)
    )
    limits = {rate.words: rate.limit for rate in churn_rates(result)}
    assert limits == {
        "Answers that differ": 0.2,
        "Groups held, now violated": None,
        "Labelled right, now wrong": 0.1,
        "Answered PER before": None,
        "Answered LOC before": None,
    }
    assert churn_rates(made_up.result(GateVerdict.MEASURED)) == ()


def test_without_labels_the_limit_is_of_groups() -> None:
    result = made_up.result(
        churn=msgspec.structs.replace(made_up.churn(), labelled=None),
        settings=msgspec.structs.replace(made_up.settings(), max_negative_flips=0.01),
    )
    of_groups = {rate.words: rate.limit for rate in churn_rates(result)}[
        "Groups held, now violated"
    ]
    assert of_groups is None  # the run was asked labels, its baseline was not
    assert over_limits(result) == ""
    unlabelled = msgspec.structs.replace(result, labelled=None)
    assert {rate.limit for rate in churn_rates(unlabelled) if "Groups" in rate.words} == {0.01}
    assert over_limits(unlabelled) == "inputs or groups that turned"


def test_entities_by_what_became_of_them() -> None:
    [table] = churn_tables(made_up.churn())
    assert table.columns == ("kept", "relabelled", "moved", "lost", "found")
    assert table.rows == (
        ("PER", (800, 0, 9, 41, 0), 0),
        ("LOC", (500, 60, 0, 0, 0), 0),
        ("MISC", (0, 0, 0, 0, 17), 0),
    )


def test_answers_from_label_to_label() -> None:
    [table] = churn_tables(with_moves(("no", "no", 20), ("no", "yes", 7), ("yes", "yes", 50)))
    assert table.columns == ("no", "yes")
    assert table.rows == (("no", (20, 7), 0), ("yes", (0, 50), 1))


def test_of_many_labels_those_that_moved_most_are_shown() -> None:
    moves = [(f"l{n:02}", f"l{n + 1:02}", 100 - n) for n in range(30)]
    [table] = churn_tables(with_moves(*moves))
    assert len(table.rows) == 12
    assert table.columns[-1] == "another"
    assert all(len(cells) == len(table.columns) for _, cells, _ in table.rows)
    assert sum(sum(cells) for _, cells, _ in table.rows) == sum(
        number for before, _, number in moves if before in {row[0] for row in table.rows}
    )


def test_nothing_changed_needs_no_table() -> None:
    assert churn_tables(with_moves(("no", "no", 20), ("yes", "yes", 50))) == ()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, ""),
        ({"max_churn": 0.01}, "answers that differ"),
        ({"max_churn": 0.04}, ""),
        (
            {"max_churn": 0.01, "max_negative_flips": 0.0},
            "answers that differ and inputs or groups that turned",
        ),
    ],
)
def test_what_is_above_its_limit_is_named(settings: dict[str, float], words: str) -> None:
    used = msgspec.structs.replace(made_up.settings(), **settings)
    assert over_limits(made_up.result(settings=used)) == words
