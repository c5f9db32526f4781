from __future__ import annotations

from typing import Any

import pytest

from mt_gate.base.files import canonical
from mt_gate.baselines.outputs import OutputsFault, StoredOutputs, changed_answers, digest
from mt_gate.domain import Verdict
from mt_gate.results.result import AnswerChurn, GroupRow
from mt_gate.results.store import as_rows
from mt_gate.tasks.table import TASKS

YES, NO = {"answer": "yes", "score": 0.9}, {"answer": "no", "score": 0.2}


def question(number: int) -> dict[str, str]:
    return {"question": f"is it {number}", "passage": "It is."}


def group(number: int, follow_up: int, answers: tuple[Any, Any], **more: Any) -> GroupRow:
    return GroupRow(
        id=f"{number}-{follow_up}",
        relation="r",
        source_id=f"s{number}",
        verdict=Verdict.SATISFIED,
        source=question(number),
        follow_up=question(follow_up),
        source_output=answers[0],
        follow_up_output=answers[1],
        **more,
    )


def stored(answers: dict[int, Any]) -> StoredOutputs:
    return StoredOutputs(
        {
            digest(canonical(question(number))): canonical(output)
            for number, output in answers.items()
        }
    )


def changed(rows: list[GroupRow], outputs: StoredOutputs, task: str = "boolq") -> AnswerChurn:
    return changed_answers(TASKS[task], as_rows(rows), outputs)[0]


def test_each_distinct_input_is_counted_once() -> None:
    rows = [group(1, 10, (YES, NO)), group(1, 11, (YES, YES)), group(2, 11, (NO, YES))]
    actual = changed(rows, stored({1: YES, 2: YES, 10: NO, 11: NO}))
    assert (actual.inputs.number, actual.inputs.of, actual.inputs.clusters) == (2, 4, 2)
    again = changed(rows[::-1], stored({1: YES, 2: YES, 10: NO, 11: NO}))
    assert again == actual


def test_an_input_of_several_clusters_counts_in_the_first_by_name() -> None:
    rows = [group(2, 10, (YES, NO)), group(1, 10, (YES, NO)), group(1, 11, (YES, YES))]
    known = stored({1: YES, 2: YES, 10: YES, 11: YES})
    in_one = changed(rows[1:] + rows[:1], known)
    assert changed(rows, known) == in_one
    (whole,) = [actual for actual in [in_one.inputs] if actual.number == 1]
    assert (whole.of, whole.clusters) == (4, 2)


def test_where_one_row_does_not_ask_another_may() -> None:
    unasked = group(2, 10, (None, None))
    rows = [unasked, group(1, 10, (YES, NO))]
    known = stored({1: YES, 10: YES})
    actual = changed(rows, known)
    assert (actual.inputs.number, actual.inputs.of, actual.one_side) == (1, 2, 0)
    assert changed(rows[::-1], known) == actual


@pytest.mark.parametrize(
    ("task", "output"),
    [
        ("boolq", {"entities": []}),
        ("boolq", {"answer": "yes", "score": "high"}),
        ("boolq", {"answer": "yes", "score": 10**400}),
        ("ner", {"entities": 1}),
        ("ner", {"entities": [[1]]}),
        ("ner", {"entities": [[0, "x", "PER"], [1, 2, "PER"]]}),
    ],
)
def test_an_answer_of_another_form_is_a_fault(task: str, output: dict[str, Any]) -> None:
    now = YES if task == "boolq" else {"entities": [[0, 2, "PER"]]}
    with pytest.raises(OutputsFault, match="not fit the task"):
        changed([group(1, 2, (now, now))], stored({1: output}), task)
