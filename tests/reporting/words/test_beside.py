"""The baseline's answers beside this run's: what differs is said in words, task by task."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mt_gate.domain import Verdict
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.beside import NOT_KNOWN, AnswersInColumns, AnswerWords, beside, was
from mt_gate.reporting.words.outputs import renderer
from mt_gate.reporting.writers.html import report
from mt_gate.reporting.writers.junit_xml import junit
from mt_gate.reporting.writers.markdown import summary
from mt_gate.results.result import BaselineOutputs, Change, GateVerdict, GroupRow
from reporting import hostile, made_up, made_up_re

NER, BOOLQ, RE = renderer("ner"), renderer("boolq"), renderer("re")
TEXTS = ("Rome is near Oslo.", "Is Rome near Oslo?")
ROW = made_up.row(1, "ner/structural", TEXTS, ((("Oslo", "LOC"),), (("Oslo", "ORG"),)))
ROME = {"entities": [[3, 7, "LOC"], [13, 17, "LOC"]]}


def ner(source: Any, follow_up: Any, change: Change | None = Change.NEW) -> GroupRow:
    before = BaselineOutputs(source=source, follow_up=follow_up)
    return msgspec.structs.replace(ROW, before=before, change=change)


def found(row: GroupRow, render: Any = NER) -> AnswersInColumns:
    both = beside(row, render)
    assert both is not None
    return both


def test_without_answers_of_the_baseline_there_is_nothing_beside() -> None:
    assert beside(ROW, NER) is None
    assert was(ROW, NER) == ()


def test_entities_that_one_answer_alone_has_are_signed() -> None:
    source, follow_up = found(ner(ROW.source_output, ROME)).sentences
    assert (source.changed, follow_up.changed) == (False, True)
    signs = [
        [(s.text, s.label, s.sign) for s in marked.segments if s.label]
        for marked in (source.before, source.now, follow_up.before, follow_up.now)
    ]
    assert signs == [
        [("Oslo", "LOC", "")],
        [("Oslo", "LOC", "")],
        [("Rome", "LOC", "−"), ("Oslo", "LOC", "−")],
        [("Oslo", "ORG", "+")],
    ]
    assert [s.unmatched for s in follow_up.now.segments if s.label] == [True]
    assert not any(s.unmatched for s in follow_up.before.segments)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (ROME, "follow-up: was LOC “Rome”, LOC “Oslo”; now ORG “Oslo”"),
        ({"entities": []}, "follow-up: now also ORG “Oslo”"),
        ({"entities": [[3, 7, "LOC"], [13, 17, "ORG"]]}, "follow-up: no longer LOC “Rome”"),
        (None, f"follow-up: was {NOT_KNOWN}; now ORG “Oslo”"),
    ],
)
def test_what_was_answered_otherwise_in_words(before: Any, line: str) -> None:
    assert was(ner(ROW.source_output, before), NER) == (line,)


def test_the_same_answers_need_no_second_column() -> None:
    row = ner(ROW.source_output, ROW.follow_up_output, Change.STILL)
    assert found(row).alike
    assert was(row, NER) == ()
    page = report(made_up.result(), made_up.again([row]), made_up.CATALOGUE)
    assert "The baseline answered the same." in page
    assert 'class="two"' not in page


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        (Change.NEW, ("held", "violated")),
        (Change.FIXED, ("violated", "holds")),
        (Change.STILL, ("violated", "violated")),
        (None, ("", "")),
    ],
)
def test_verdicts_are_those_of_the_change(change: Change | None, verdicts: tuple[str, str]) -> None:
    assert found(ner(ROME, ROME, change)).verdicts == verdicts


def bound(source: Any, follow_up: Any, change: Change) -> GroupRow:
    return msgspec.structs.replace(ner(source, follow_up, change), bound=True)


@pytest.mark.parametrize(
    ("row", "before"),
    [
        (bound(ROW.source_output, ROME, Change.NEW), "held"),
        (bound(ROW.source_output, None, Change.NEW), ""),
        (bound(None, ROME, Change.NEW), ""),
        # Asked by another group: from this answer the baseline built others.
        (bound(ROME, ROME, Change.NEW), ""),
        (bound(ROME, ROME, Change.OK), ""),
        (bound(ROME, None, Change.STILL), "violated"),
        (bound(ROME, None, Change.FIXED), "violated"),
        (ner(ROME, None, Change.NEW), "held"),
    ],
)
def test_of_a_group_that_the_baseline_never_built_nothing_is_claimed(
    row: GroupRow, before: str
) -> None:
    assert found(row).verdicts[0] == before
    page = report(made_up.result(), made_up.again([row]), made_up.CATALOGUE)
    assert ("Baseline: held" in page) == (before == "held")


def test_a_pair_combined_with_another_second_is_not_known_to_the_baseline() -> None:
    example = next(e for e in made_up_re.EXAMPLES if e.second)
    said = made_up_re.said
    now = made_up_re.row(example)
    assert now.second_output is not None
    for second, verdict in ((now.second_output, "held"), (said("per:other"), ""), (None, "")):
        before = BaselineOutputs(
            source=now.source_output, second=second, follow_up=said(example.expected)
        )
        row = msgspec.structs.replace(now, before=before, bound=True, change=Change.NEW)
        assert found(row, RE).verdicts[0] == verdict


def test_what_the_baseline_was_not_asked_is_said() -> None:
    follow_up = found(ner(ROW.source_output, None)).sentences[1]
    assert marks.plain(follow_up.before) == f"Is Rome near Oslo? ({NOT_KNOWN})"
    assert follow_up.changed
    assert not any(s.sign for s in follow_up.now.segments)


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


def test_answers_to_questions_stand_in_a_table_and_texts_once() -> None:
    both = found(QUESTION, BOOLQ)
    assert both.words == (
        AnswerWords("source", "yes, P(yes) 0.80", "yes, P(yes) 0.75", False),
        AnswerWords("follow-up", "no, P(yes) 0.10", "yes, P(yes) 0.50", True),
    )
    source, second, follow_up = both.texts
    assert second is None
    assert source is not None
    assert follow_up is not None
    assert (marks.plain(source), marks.plain(follow_up)) == ("is it big", "is it small")
    assert was(QUESTION, BOOLQ) == ("follow-up: was no, P(yes) 0.10; now yes, P(yes) 0.50",)


def test_relations_of_two_sources() -> None:
    example = next(e for e in made_up_re.EXAMPLES if e.second)
    said = made_up_re.said
    before = BaselineOutputs(
        source=said(example.before), second=said("per:other"), follow_up=said(example.expected)
    )
    row = made_up_re.row(example, before=before)
    names = [words.name for words in found(row, RE).words]
    assert names == ["source", "second source", "follow-up"]
    assert [line.partition(":")[0] for line in was(row, RE)] == ["second source", "follow-up"]
    assert found(row, RE).texts[1] is not None


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


def test_poisoned_answers_stay_text() -> None:
    poisoned = BaselineOutputs(
        source={"entities": [[0, 4, hostile.PAYLOAD]]}, follow_up={"answer": hostile.PAYLOAD}
    )
    rows = [msgspec.structs.replace(row, before=poisoned) for row in made_up.rows()]
    page = report(made_up.result(), made_up.again(rows), made_up.CATALOGUE)
    assert "<script>document" not in page
    assert "<img" not in page


def test_the_most_telling_flips_say_what_was_answered_before() -> None:
    row = ner(ROW.source_output, ROME)
    text = summary(made_up.result(), made_up.again([row]), made_up.CATALOGUE)
    assert "follow-up: was LOC “Rome”, LOC “Oslo”; now ORG “Oslo”" in text
    xml = junit(made_up.result(), made_up.again([row]), made_up.CATALOGUE)
    assert "baseline:  follow-up: was LOC “Rome”, LOC “Oslo”; now ORG “Oslo”" in xml


def test_the_legend_explains_the_signs_only_where_runs_are_compared() -> None:
    rows = made_up.again([ner(ROME, ROME)])
    legend = "in the baseline’s answer only"
    assert legend in report(made_up.result(), rows, made_up.CATALOGUE)
    measured = made_up.result(GateVerdict.MEASURED)
    assert legend not in report(measured, made_up.again([ROW]), made_up.CATALOGUE)
