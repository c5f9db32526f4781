"""What is claimed of the baseline's answers, and that any JSON may stand in their place."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mt_gate.domain import Verdict
from mt_gate.reporting.words.rendering import both_answers, renderer
from mt_gate.results.result import BaselineOutputs, Change, GroupRow
from reporting import made_up, made_up_re
from reporting.made_up import junit, report, summary

NER, BOOLQ, RE = renderer("ner"), renderer("boolq"), renderer("re")
TEXTS = ("Rome is near Oslo.", "Is Rome near Oslo?")
ROW = made_up.row(1, "ner/structural", TEXTS, ((("Oslo", "LOC"),), (("Oslo", "ORG"),)))
ROME = {"entities": [[3, 7, "LOC"], [13, 17, "LOC"]]}


def ner(source: Any, follow_up: Any, change: Change | None = Change.NEW) -> GroupRow:
    before = BaselineOutputs(source=source, follow_up=follow_up)
    return msgspec.structs.replace(ROW, before=before, change=change)


def found(row: GroupRow, render: Any = NER) -> Any:
    both = both_answers(row, render)
    assert both is not None
    return both


def bound(source: Any, follow_up: Any, change: Change) -> GroupRow:
    return msgspec.structs.replace(ner(source, follow_up, change), bound=True)


@pytest.mark.parametrize(
    ("row", "before"),
    [
        (bound(ROW.source_output, ROME, Change.NEW), "satisfied"),
        (bound(ROW.source_output, None, Change.NEW), ""),
        (bound(None, ROME, Change.NEW), ""),
        # Asked by another group: from this answer the baseline built others.
        (bound(ROME, ROME, Change.NEW), ""),
        (bound(ROME, ROME, Change.OK), ""),
        (bound(ROME, None, Change.STILL), "violated"),
        (bound(ROME, None, Change.FIXED), "violated"),
        (ner(ROME, None, Change.NEW), "satisfied"),
    ],
)
def test_of_a_group_that_the_baseline_never_built_nothing_is_claimed(
    row: GroupRow, before: str
) -> None:
    assert found(row).verdicts[0] == before
    page = report(made_up.result(), made_up.again([row]), made_up.CATALOGUE)
    assert ("Baseline: satisfied" in page) == (before == "satisfied")


def test_a_pair_combined_with_another_second_is_not_known_to_the_baseline() -> None:
    example = next(e for e in made_up_re.EXAMPLES if e.second)
    said = made_up_re.said
    now = made_up_re.row(example)
    assert now.second_output is not None
    for second, verdict in ((now.second_output, "satisfied"), (said("per:other"), ""), (None, "")):
        before = BaselineOutputs(
            source=now.source_output, second=second, follow_up=said(example.expected)
        )
        row = msgspec.structs.replace(now, before=before, bound=True, change=Change.NEW)
        assert found(row, RE).verdicts[0] == verdict


QUESTION = GroupRow(
    id="1f",
    relation="boolq/antonym-adjective",
    source_id="s",
    verdict=Verdict.VIOLATED,
    source={"question": "is it big", "passage": "It is big."},
    follow_up={"question": "is it small", "passage": "It is big."},
    source_output={"answer": "yes", "score": 0.75},
    follow_up_output={"answer": "yes", "score": 0.5},
    change=Change.NEW,
    before=BaselineOutputs(
        source={"answer": "yes", "score": 0.8}, follow_up={"answer": "no", "score": 0.1}
    ),
)


@pytest.mark.parametrize("task", ["ner", "boolq", "re", "no-such-task"])
@pytest.mark.parametrize(
    "odd", [{}, {"entities": 3}, {"entities": [[0, 10**9, "x"], [1], None]}, [], "x", 3, {"a": {}}]
)
def test_any_json_can_stand_in_a_row(task: str, odd: Any) -> None:
    row = {"ner": ROW, "boolq": QUESTION, "re": made_up_re.rows()[0]}.get(task, ROW)
    before = BaselineOutputs(source=odd, second=odd, follow_up=odd)
    row = msgspec.structs.replace(row, before=before)
    clean = made_up.result()
    head = msgspec.structs.replace(clean.suite, task=task)
    result = msgspec.structs.replace(clean, suite=head)
    for write in (report, junit, summary):
        assert write(result, made_up.again([row]), made_up.CATALOGUE)
