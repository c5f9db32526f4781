"""Output relations as data: what each kind says of answers, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from cases import cases, table
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

SATISFIED, VIOLATED, NOT = Verdict.SATISFIED, Verdict.VIOLATED, Verdict.NOT_APPLICABLE
TOPICS = TaskSpec(
    path=f"{__name__}:TASK",
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


def of_text(text: str) -> Output:
    """Return an answer from labels, or from the JSON of a score."""
    return answer("a", **json.loads(text)) if text.startswith("{") else answer(*text.split())


@cases("relations/stated-labels")
def test_labels(output: str, before: str, after: str, verdict: str) -> None:
    actual = judged(stated(**json.loads(output)), of_text(before), of_text(after))
    assert actual.verdict == verdict


@cases("relations/stated-scores")
def test_scores(kind: str, by: str, slack: str, before: str, after: str, verdict: str) -> None:
    room = {"slack": float(slack)} if float(slack) else {}
    output = stated(kind=kind, label="a", by=float(by), **room)
    actual = judged(output, answer(a=float(before)), answer(a=float(after)))
    assert actual.verdict == verdict
    assert actual.reason == (NotApplicable.NO_ROOM if actual.verdict is NOT else "")
    assert actual.unmatched == ({"label": "a"} if actual.verdict is VIOLATED else None)


def test_a_score_that_must_move_has_no_slack() -> None:
    wrong = fault(stated(kind="falls", label="a", by=0.1, slack=0.05), TOPICS, ("a",))
    assert wrong.startswith("output relation falls has both by (0.1) and slack (0.05)")


def test_a_difference_of_scores_tells_how_near_its_verdict_is_to_turning() -> None:
    actual = judged(stated(kind="within", label="a", by=0.1), answer(a=0.3), answer(a=0.36))
    assert actual.margin == pytest.approx(0.04)
    assert judged(stated(kind="same"), A, A).margin is None


@pytest.mark.parametrize("answers", [(answer("a"), answer(a=0.5)), (answer(a=0.5), answer("a"))])
def test_no_score_is_no_verdict(answers: tuple[Output, Output]) -> None:
    actual = judged(stated(kind="within", label="a", by=0.1), *answers)
    assert (actual.verdict, actual.reason) == (NOT, NotApplicable.NO_SCORE)


@pytest.mark.parametrize(
    ("gold", "after", "verdict"),
    [(("a",), A, SATISFIED), (("a",), AB, VIOLATED), ((), NONE, SATISFIED), ((), A, VIOLATED)],
)
def test_equals_reads_the_groups_gold(
    gold: tuple[str, ...], after: Output, verdict: Verdict
) -> None:
    actual = judged(stated(kind="equals"), B, after, gold=gold)
    assert actual.verdict is verdict
    if verdict is VIOLATED:
        assert actual.unmatched == {"expected": [*gold]}


def test_gold_labels_say_nothing_of_labels_outside_the_label_set() -> None:
    of_the_suite = judge(stated(kind="equals"), TOPICS, ("a", "b"))
    assert of_the_suite(group(A, answer("a", "c"), gold=("a",))).verdict is SATISFIED
    assert of_the_suite(group(A, C, gold=())).verdict is SATISFIED
    assert of_the_suite(group(A, AB, gold=("a",))).verdict is VIOLATED


@cases("relations/stated-two-sources")
def test_two_sources(output: str, first: str, second: str, after: str, verdict: str) -> None:
    answers = (of_text(text) for text in (first, after, second))
    assert judged(stated(**json.loads(output)), *answers).verdict == verdict


def test_conditions_on_the_source_are_known_before_the_follow_up() -> None:
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
    assert everywhere(ExecutedGroup(before, after, anna, shifted, same)).verdict is SATISFIED
    actual = everywhere(ExecutedGroup(before, after, anna, extra, same))
    assert (actual.verdict, actual.unmatched) == (
        VIOLATED,
        {"source": [], "follow_up": [[0, 3, "DATE"]]},
    )
    judge_of_shared = judge(stated(kind="spans-mapped", only_kept=True), ner.TASK)
    assert judge_of_shared(ExecutedGroup(before, after, anna, extra, same)).verdict is SATISFIED
    conditional = judge(stated(kind="spans-mapped", when={"label": "ORG"}), ner.TASK)
    assert conditional(ExecutedGroup(before, after, anna, shifted, same)).reason == "source-answer"


def test_an_edit_that_was_not_read_is_no_verdict() -> None:
    question = {"question": "is it", "passage": "It is so. Not."}
    longer = {"question": "is it", "passage": "It is so. Not. Indeed."}
    cut = {"answer": "yes", "score": 0.9, "read": 5}
    actual = judge(stated(kind="same"), boolq.TASK)(ExecutedGroup(question, longer, cut, cut, ()))
    assert actual.reason == NotApplicable.EDIT_CUT_OFF


def test_yes_and_no_have_a_score_each() -> None:
    rule = judge(stated(kind="falls", label="no", by=0.2), boolq.TASK)
    text = {"question": "is it", "passage": "It is."}
    low, high = {"answer": "no", "score": 0.2}, {"answer": "yes", "score": 0.7}
    assert rule(ExecutedGroup(text, text, low, high, ())).verdict is SATISFIED


def test_no_relation_is_no_label() -> None:
    rule = judge(stated(kind="same"), relation_extraction.TASK)
    text = {"text": "Anna lives in Oslo.", "head": [0, 4, ""], "tail": [14, 18, ""]}
    none, lives = {"relation": "no_relation"}, {"relation": "per:city"}
    assert rule(ExecutedGroup(text, text, none, none, ())).reason == NotApplicable.VACUOUS
    assert rule(ExecutedGroup(text, text, lives, none, ())).verdict is VIOLATED


@pytest.mark.parametrize(
    ("output", "message"),
    table(__file__, "malformed_data_are_refused"),
)
def test_malformed_data_are_refused(output: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        stated(**output)


def test_an_unknown_kind_is_reported_with_the_known_ones() -> None:
    message = unknown_kind({"kind": "vanishes"})
    assert "'vanishes'" in message
    assert all(kind in message for kind in KINDS)
    assert "no kind" in unknown_kind({})
    assert "no kind" in unknown_kind("same")
    assert not any(unknown_kind({"kind": kind}) for kind in KINDS)


def test_labels_must_be_of_the_label_set() -> None:
    rule = stated(kind="becomes", labels={"a": "b"}, when={"label": "c"})
    assert labels_in(rule) == ("c", "a", "b")
    assert fault(rule, TOPICS, ["a", "b", "c"]) == ""
    assert "names label 'c', which is not a label of the suite. Its labels: a, b" in fault(
        rule, TOPICS, ["a", "b"]
    )
    assert "no labels. List them" in fault(rule, TOPICS, [])
    assert fault(stated(kind="same"), TOPICS, []) == ""


def test_kinds_must_fit_the_answers_of_the_task() -> None:
    assert kinds_of(ner.TASK) == ("spans-mapped", "spans-found")
    assert "rises" not in kinds_of(relation_extraction.TASK)
    assert {"same", "rises"} <= {*kinds_of(boolq.TASK)}
    message = fault(stated(kind="same"), ner.TASK, [])
    assert (
        message
        == "output relation same does not fit task ner. Expected one of spans-mapped, spans-found"
    )


def test_data_are_read_as_they_are_written() -> None:
    rule = Becomes(labels={"a": "b"})
    text = msgspec.json.encode(rule)
    assert text == b'{"kind":"becomes","labels":{"a":"b"}}'
    assert msgspec.json.decode(text, type=OutputRelation) == rule
