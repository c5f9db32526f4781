"""Output relations as data: what each kind says of answers, and what is refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.relations.base import AnsweredInput, Context, ExecutedGroup, Judgement, PendingGroup
from mt_gate.relations.stated import (
    KINDS,
    Becomes,
    OutputRelation,
    condition,
    fault,
    judge,
    kinds_of,
    labels_in,
    unknown_kind,
)
from mt_gate.tasks import boolq, ner, relation_extraction
from mt_gate.tasks.spec import Output, TaskSpec

HELD, VIOLATED, NOT = Verdict.SATISFIED, Verdict.VIOLATED, Verdict.NOT_APPLICABLE
TOPICS = TaskSpec(
    module=__name__,
    id="topics",
    texts=("text",),
    probe={"text": "Hello."},
    profile=lambda _: {},
    is_right=lambda gold, output: gold == output,
    forms={},
    default_suite="",
    decided=lambda output: output["labels"],
    scores=lambda output: output["scores"],
)
"""A task whose answers are some labels, or none, each with a score."""


def stated(**fields: Any) -> Any:
    """Return an output relation as it is read from a suite."""
    return msgspec.convert(fields, OutputRelation)


def answer(*labels: str, **scores: float) -> dict[str, Any]:
    return {"labels": labels, "scores": scores}


def group(
    before: Output, after: Output, second: Output | None = None, gold: tuple[str, ...] | None = None
) -> ExecutedGroup:
    text = {"text": "Hello."}
    other = None if second is None else AnsweredInput(text, second)
    return ExecutedGroup(text, text, before, after, (), other, Context(), gold)


def judged(output: OutputRelation, *answers: Output, **more: Any) -> Judgement:
    return judge(output, TOPICS)(group(*answers, **more))


A, B, C, AB, NONE = answer("a"), answer("b"), answer("c"), answer("a", "b"), answer()


@pytest.mark.parametrize(
    ("output", "before", "after", "verdict"),
    [
        ({"kind": "same"}, A, A, HELD),
        ({"kind": "same"}, A, B, VIOLATED),
        ({"kind": "same"}, A, AB, VIOLATED),
        ({"kind": "same"}, A, NONE, VIOLATED),
        ({"kind": "same"}, NONE, A, VIOLATED),
        ({"kind": "same"}, NONE, NONE, NOT),
        ({"kind": "same", "labels": ["a"]}, A, AB, HELD),
        ({"kind": "same", "labels": ["a"]}, AB, B, VIOLATED),
        ({"kind": "same", "labels": ["c"]}, A, B, NOT),
        ({"kind": "same", "when": {"label": "a"}}, A, A, HELD),
        ({"kind": "same", "when": {"label": "a"}}, B, B, NOT),
        ({"kind": "differs"}, A, B, HELD),
        ({"kind": "differs"}, A, AB, HELD),
        ({"kind": "differs"}, A, A, VIOLATED),
        ({"kind": "becomes", "labels": {"a": "b"}}, A, B, HELD),
        ({"kind": "becomes", "labels": {"a": "b"}}, A, A, VIOLATED),
        ({"kind": "becomes", "labels": {"a": "b"}}, A, AB, VIOLATED),
        ({"kind": "becomes", "labels": {"a": "b"}}, A, C, VIOLATED),
        ({"kind": "becomes", "labels": {"a": "b"}}, C, C, NOT),
        ({"kind": "becomes", "labels": {"a": "b", "b": "a"}}, AB, AB, HELD),
        ({"kind": "not", "labels": {"a": ["b", "c"]}}, A, A, HELD),
        ({"kind": "not", "labels": {"a": ["b", "c"]}}, A, C, VIOLATED),
        ({"kind": "not", "labels": {"a": ["b", "c"]}}, A, AB, VIOLATED),
        ({"kind": "not", "labels": {"a": ["b", "c"]}}, B, C, NOT),
    ],
)
def test_labels(output: dict[str, Any], before: Output, after: Output, verdict: Verdict) -> None:
    assert judged(stated(**output), before, after).verdict is verdict


@pytest.mark.parametrize(
    ("kind", "by", "before", "after", "verdict"),
    [
        ("rises", 0.1, 0.2, 0.3, HELD),
        ("rises", 0.1, 0.2, 0.29, VIOLATED),
        ("rises", 0.1, 0.95, 1.0, NOT),
        ("rises", 0.0, 1.0, 1.0, HELD),
        ("falls", 0.1, 0.3, 0.2, HELD),
        ("falls", 0.1, 0.3, 0.21, VIOLATED),
        ("falls", 0.1, 0.05, 0.0, NOT),
        ("within", 0.1, 0.3, 0.2, HELD),
        ("within", 0.1, 0.3, 0.4, HELD),
        ("within", 0.1, 0.3, 0.41, VIOLATED),
        ("within", 0.1, 0.3, 0.19, VIOLATED),
    ],
)
def test_scores(kind: str, by: float, before: float, after: float, verdict: Verdict) -> None:
    found = judged(stated(kind=kind, label="a", by=by), answer(a=before), answer(a=after))
    assert found.verdict is verdict
    assert found.reason == (NotApplicable.NO_ROOM if verdict is NOT else "")
    if verdict is VIOLATED:
        assert found.unmatched == {"label": "a"}


@pytest.mark.parametrize(
    ("kind", "after", "verdict"),
    [
        ("rises", 0.45, HELD),
        ("rises", 0.44, VIOLATED),
        ("falls", 0.55, HELD),
        ("falls", 0.56, VIOLATED),
        ("falls", 0.1, HELD),
    ],
)
def test_a_score_may_move_the_wrong_way_by_its_slack(
    kind: str, after: float, verdict: Verdict
) -> None:
    output = stated(kind=kind, label="a", by=0, slack=0.05)
    assert judged(output, answer(a=0.5), answer(a=after)).verdict is verdict


def test_a_score_that_must_move_has_no_slack() -> None:
    wrong = fault(stated(kind="falls", label="a", by=0.1, slack=0.05), TOPICS, ("a",))
    assert wrong.startswith("output relation falls has by 0.1 and slack 0.05")


def test_a_difference_of_scores_tells_how_near_its_verdict_is_to_turning() -> None:
    found = judged(stated(kind="within", label="a", by=0.1), answer(a=0.3), answer(a=0.36))
    assert found.margin == pytest.approx(0.04)
    assert judged(stated(kind="same"), A, A).margin is None


@pytest.mark.parametrize("answers", [(answer("a"), answer(a=0.5)), (answer(a=0.5), answer("a"))])
def test_no_score_is_no_verdict(answers: tuple[Output, Output]) -> None:
    found = judged(stated(kind="within", label="a", by=0.1), *answers)
    assert (found.verdict, found.reason) == (NOT, NotApplicable.NO_SCORE)


@pytest.mark.parametrize(
    ("gold", "after", "verdict"),
    [(("a",), A, HELD), (("a",), AB, VIOLATED), ((), NONE, HELD), ((), A, VIOLATED)],
)
def test_equals_reads_the_groups_gold(
    gold: tuple[str, ...], after: Output, verdict: Verdict
) -> None:
    found = judged(stated(kind="equals"), B, after, gold=gold)
    assert found.verdict is verdict
    if verdict is VIOLATED:
        assert found.unmatched == {"expected": [*gold]}


def test_gold_labels_say_nothing_of_labels_outside_the_label_set() -> None:
    of_the_suite = judge(stated(kind="equals"), TOPICS, ("a", "b"))
    assert of_the_suite(group(A, answer("a", "c"), gold=("a",))).verdict is HELD
    assert of_the_suite(group(A, C, gold=())).verdict is HELD
    assert of_the_suite(group(A, AB, gold=("a",))).verdict is VIOLATED


@pytest.mark.parametrize(
    ("output", "first", "second", "after", "verdict"),
    [
        ({"kind": "same"}, A, A, A, HELD),
        ({"kind": "same"}, A, A, B, VIOLATED),
        ({"kind": "same"}, A, B, B, NOT),
        ({"kind": "same", "labels": ["a"]}, A, AB, A, HELD),
        ({"kind": "same", "when": {"label": "a"}}, A, B, A, NOT),
        ({"kind": "differs"}, A, B, A, NOT),
        ({"kind": "becomes", "labels": {"a": "b"}}, A, AB, B, HELD),
        ({"kind": "becomes", "labels": {"a": "b"}}, A, C, B, NOT),
        ({"kind": "within", "label": "a", "by": 0.1}, {"a": 0.2}, {"a": 0.3}, {"a": 0.25}, HELD),
        ({"kind": "within", "label": "a", "by": 0.1}, {"a": 0.1}, {"a": 0.9}, {"a": 0.5}, VIOLATED),
        (
            {"kind": "within", "label": "a", "by": 0.1},
            {"a": 0.2},
            {"a": 0.3},
            {"a": 0.35},
            VIOLATED,
        ),
        ({"kind": "rises", "label": "a", "by": 0.1}, {"a": 0.2}, {"a": 0.6}, {"a": 0.65}, VIOLATED),
        ({"kind": "rises", "label": "a", "by": 0.1}, {"a": 0.2}, {"a": 0.6}, {"a": 0.7}, HELD),
        ({"kind": "falls", "label": "a", "by": 0.1}, {"a": 0.2}, {"a": 0.6}, {"a": 0.15}, VIOLATED),
    ],
)
def test_two_sources(
    output: dict[str, Any], first: Output, second: Output, after: Output, verdict: Verdict
) -> None:
    answers = [item if "labels" in item else answer("a", **item) for item in (first, after, second)]
    assert judged(stated(**output), *answers).verdict is verdict


def test_what_hangs_on_the_source_alone_is_known_before_the_follow_up_is_asked() -> None:
    rule = stated(kind="becomes", labels={"a": "b"}, when={"label": "c"})
    when = condition(rule, TOPICS)
    text = {"text": "Hello."}
    assert when(PendingGroup(text, text, A, Context())) == NotApplicable.SOURCE_ANSWER
    assert when(PendingGroup(text, text, answer("a", "c"), Context())) == ""
    both = PendingGroup(text, text, answer("a", "c"), Context(), AnsweredInput(text, A))
    assert when(both) == NotApplicable.SOURCE_ANSWER


def test_spans_are_mapped_through_the_edit() -> None:
    before, after = {"text": "Anna met Boris."}, {"text": "Now Anna met Boris."}
    same = (Block(0, 4, 15),)
    anna, shifted = {"entities": [[0, 4, "PER"]]}, {"entities": [[4, 8, "PER"]]}
    extra = {"entities": [[0, 3, "DATE"], [4, 8, "PER"]]}
    everywhere = judge(stated(kind="spans-mapped"), ner.TASK)
    assert everywhere(ExecutedGroup(before, after, anna, shifted, same)).verdict is HELD
    found = everywhere(ExecutedGroup(before, after, anna, extra, same))
    assert (found.verdict, found.unmatched) == (
        VIOLATED,
        {"source": [], "follow_up": [[0, 3, "DATE"]]},
    )
    kept = judge(stated(kind="spans-mapped", only_kept=True), ner.TASK)
    assert kept(ExecutedGroup(before, after, anna, extra, same)).verdict is HELD
    asked = judge(stated(kind="spans-mapped", when={"label": "ORG"}), ner.TASK)
    assert asked(ExecutedGroup(before, after, anna, shifted, same)).reason == "source-answer"


def test_an_edit_that_was_not_read_is_no_verdict() -> None:
    question = {"question": "is it", "passage": "It is so. Not."}
    longer = {"question": "is it", "passage": "It is so. Not. Indeed."}
    cut = {"answer": "yes", "score": 0.9, "read": 5}
    found = judge(stated(kind="same"), boolq.TASK)(ExecutedGroup(question, longer, cut, cut, ()))
    assert found.reason == NotApplicable.EDIT_CUT_OFF


def test_yes_and_no_have_a_score_each() -> None:
    rule = judge(stated(kind="falls", label="no", by=0.2), boolq.TASK)
    text = {"question": "is it", "passage": "It is."}
    low, high = {"answer": "no", "score": 0.2}, {"answer": "yes", "score": 0.7}
    assert rule(ExecutedGroup(text, text, low, high, ())).verdict is HELD


def test_no_relation_is_no_label() -> None:
    rule = judge(stated(kind="same"), relation_extraction.TASK)
    text = {"text": "Anna lives in Oslo.", "head": [0, 4, ""], "tail": [14, 18, ""]}
    none, lives = {"relation": "no_relation"}, {"relation": "per:city"}
    assert rule(ExecutedGroup(text, text, none, none, ())).reason == NotApplicable.VACUOUS
    assert rule(ExecutedGroup(text, text, lives, none, ())).verdict is VIOLATED


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"kind": "same", "labels": [""]}, "length >= 1"),
        ({"kind": "becomes", "labels": {}}, "length >= 1"),
        ({"kind": "not", "labels": {"a": []}}, "length >= 1"),
        ({"kind": "rises", "label": "a", "by": 1.5}, "<= 1"),
        ({"kind": "falls", "label": "a", "by": -0.1}, ">= 0"),
        ({"kind": "within", "label": "a"}, "missing required field `by`"),
        ({"kind": "same", "wen": {"label": "a"}}, "unknown field `wen`"),
        ({"kind": "same", "when": {"lable": "a"}}, "unknown field `lable`"),
    ],
)
def test_malformed_data_are_refused(output: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        stated(**output)


def test_an_unknown_kind_is_told_with_the_known_ones() -> None:
    told = unknown_kind({"kind": "vanishes"})
    assert "'vanishes'" in told
    assert all(kind in told for kind in KINDS)
    assert "no kind" in unknown_kind({})
    assert "no kind" in unknown_kind("same")
    assert not any(unknown_kind({"kind": kind}) for kind in KINDS)


def test_labels_must_be_of_the_label_set() -> None:
    rule = stated(kind="becomes", labels={"a": "b"}, when={"label": "c"})
    assert labels_in(rule) == ("c", "a", "b")
    assert fault(rule, TOPICS, ["a", "b", "c"]) == ""
    assert "names label 'c'; labels of the suite: a, b" in fault(rule, TOPICS, ["a", "b"])
    assert "none; state them" in fault(rule, TOPICS, [])
    assert fault(stated(kind="same"), TOPICS, []) == ""


def test_kinds_must_fit_the_answers_of_the_task() -> None:
    assert kinds_of(ner.TASK) == ("spans-mapped",)
    assert "rises" not in kinds_of(relation_extraction.TASK)
    assert {"same", "rises"} <= {*kinds_of(boolq.TASK)}
    told = fault(stated(kind="same"), ner.TASK, [])
    assert told == "output relation same does not fit task ner; expected one of spans-mapped"


def test_data_are_read_as_they_are_written() -> None:
    rule = Becomes(labels={"a": "b"})
    text = msgspec.json.encode(rule)
    assert text == b'{"kind":"becomes","labels":{"a":"b"}}'
    assert msgspec.json.decode(text, type=OutputRelation) == rule
