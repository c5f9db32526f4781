from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.made import DEFAULTS, bound, moves_of, rows
from mt_gate.base.figures import percent
from mt_gate.base.files import canonical
from mt_gate.domain import AnswerChange
from mt_gate.judging import churn
from mt_gate.judging.churn import BothAnswers, flips, group_flips, labelled_flips
from mt_gate.judging.comparison import Outcome, RunFacts, compare
from mt_gate.judging.statistics import rate_interval
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import (
    AnswerChurn,
    Change,
    Flips,
    GateVerdict,
    GroupRow,
    LabelledAnswers,
)
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS

NER, BOOLQ, RE = TASKS["ner"], TASKS["boolq"], TASKS["re"]


def entities(*spans: tuple[int, int, str]) -> Mapping[str, Any]:
    return {"entities": [[*one] for one in spans]}


def answer(text: str, score: float = 0.5) -> Mapping[str, Any]:
    return {"answer": text, "score": score}


def relation(label: str, score: float = 0.5) -> Mapping[str, Any]:
    return {"relation": label, "score": score}


def answer_churn(spec: TaskSpec, answers: list[BothAnswers]) -> AnswerChurn:
    return churn.answer_churn(spec, answers, msgspec.json.decode)


def both_answers(cluster: str, *outputs: Any) -> BothAnswers:
    before, after = (None if of is None else canonical(of) for of in outputs)
    return BothAnswers(cluster, before, after)


def both(*pairs: tuple[Any, Any], per_cluster: int = 1) -> list[BothAnswers]:
    return [both_answers(f"c{at // per_cluster}", *pair) for at, pair in enumerate(pairs)]


def moves(churn: AnswerChurn) -> dict[tuple[str, str, str], int]:
    return {(move.how.value, move.before, move.after): move.number for move in churn.moves}


PLACES = st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from(["LOC", "ORG", "PER"]))
ANSWERS = st.lists(PLACES, max_size=3).map(lambda places: entities(*places))


def _add(counts: dict[str, list[int]], cluster: str, turned: bool) -> None:
    of = counts.setdefault(cluster, [0, 0])
    of[0] += turned
    of[1] += 1


def _flips(counts: dict[str, list[int]]) -> Flips:
    ordered = sorted(counts.values())
    turned, wholes = np.array(ordered, np.int64).reshape(-1, 2).T
    return flips(zip(turned, wholes, strict=True))


class TestAnswers:
    def test_of_entities(self) -> None:
        actual = answer_churn(
            NER,
            both(
                (entities((0, 4, "PER")), entities((0, 4, "PER"))),
                (entities((0, 4, "PER"), (9, 12, "LOC")), entities((0, 4, "ORG"))),
                (entities(), entities((0, 4, "PER"))),
                (entities((0, 9, "LOC")), entities((5, 9, "LOC"))),
                (entities(), entities()),
            ),
        )
        assert moves(actual) == {
            ("kept", "PER", "PER"): 1,
            ("relabelled", "PER", "ORG"): 1,
            ("lost", "LOC", ""): 1,
            ("found", "", "PER"): 1,
            ("moved", "LOC", "LOC"): 1,
        }
        assert (actual.inputs.number, actual.inputs.of, actual.inputs.clusters) == (3, 5, 5)
        by_label = {of.label: (of.flips.number, of.flips.of) for of in actual.labels}
        assert by_label == {"PER": (1, 2), "LOC": (2, 2)}
        assert actual.drift is None

    def test_scores_of_two_relations_are_not_compared(self) -> None:
        pairs = both(
            (relation("a", 0.9), relation("b", 0.1)), (relation("a", 0.9), relation("a", 0.5))
        )
        actual = answer_churn(RE, pairs)
        assert actual.drift is not None
        assert (actual.drift.inputs, actual.drift.mean) == (1, pytest.approx(0.4))

    def test_what_one_side_alone_answered_is_counted_separately(self) -> None:
        actual = answer_churn(BOOLQ, both((answer("yes"), None), (None, answer("no"))))
        assert (actual.one_side, actual.inputs.of, actual.inputs.rate) == (2, 0, None)
        assert actual.inputs.ci95 is None
        assert actual.moves == ()

    @given(st.lists(st.tuples(st.sampled_from("abc"), ANSWERS, ANSWERS), max_size=12))
    def test_counted_together_is_counted_one_by_one(
        self, answers: list[tuple[str, Any, Any]]
    ) -> None:
        inputs: dict[str, list[int]] = {}
        labels: dict[str, dict[str, list[int]]] = {}
        for cluster, before, after in answers:
            made = [*NER.moves(before, after)]
            turned = [move.how is not AnswerChange.KEPT for move in made]
            _add(inputs, cluster, any(turned))
            for move, has_turned in zip(made, turned, strict=True):
                if move.before:
                    _add(labels.setdefault(move.before, {}), cluster, has_turned)
        actual = answer_churn(NER, [both_answers(*one) for one in answers])
        assert actual.inputs == _flips(inputs)
        assert {of.label: of.flips for of in actual.labels} == {
            label: _flips(of) for label, of in labels.items()
        }


def judged(now: list[GroupRow], before: list[list[GroupRow]], **facts: Any) -> Outcome:
    runs = [verdicts_from_rows(run) for run in before]
    return compare(verdicts_from_rows(now), runs, DEFAULTS, RunFacts(**facts))


class TestGroups:
    def test_satisfied_before_and_violated_now(self) -> None:
        actual = judged(rows("vvssn" * 8), [rows("svvss" * 8)])
        assert (actual.churn.groups.number, actual.churn.groups.of) == (8, 32)
        assert actual.churn.groups.number == actual.overall.new_violations
        assert Counter(moves_of(actual).values())[Change.NEW] == 8
        assert actual.churn.answers is actual.churn.labelled is None

    def test_groups_built_at_run_time_are_others_and_have_not_turned(self) -> None:
        now, before = (bound(["sv", "vs", "v"] * 8, run=run) for run in ("x", "y"))
        actual = judged([*now, *rows("v" + "s" * 39)], [[*before, *rows("s" * 40)]])
        assert actual.overall.new_violations > 1
        assert (actual.churn.groups.number, actual.churn.groups.of) == (1, 40)

    @pytest.mark.parametrize(("runs", "turned"), [("sv", 0), ("ss", 1), ("vv", 0), ("ssv", 1)])
    def test_a_group_was_satisfied_where_it_was_in_most_runs(self, runs: str, turned: int) -> None:
        """With as many runs on either side, the candidate is like one of them."""
        before = [rows(code + "s" * 19) for code in runs]
        actual = judged(rows("v" + "s" * 19), before)
        assert actual.churn.groups.number == actual.overall.new_violations == turned
        assert moves_of(actual)["r:0"] is (Change.NEW if turned else Change.STILL)
        fixed = moves_of(judged(rows("s" * 20), before))["r:0"]
        assert fixed is (Change.FIXED if runs == "vv" else Change.OK)

    def test_a_group_without_a_source_is_not_counted(self) -> None:
        """As a study's file may name one, edited by hand."""
        strange = RelationVerdicts(id="r", satisfied=frozenset({"a"}), source_of={"a": "s0"})
        changes = {"a": Change.OK, "g1": Change.NEW}
        actual = group_flips({"r": changes}, [strange])
        assert (actual.number, actual.of, actual.clusters) == (0, 1, 1)


def labelled(wrong: tuple[int, ...], **more: Any) -> LabelledAnswers:
    fields = {"labels": "gold.jsonl", "sha256": "a" * 64, "inputs": 10, "wrong": wrong}
    return LabelledAnswers(**{**fields, **more})


class TestLabels:
    def test_where_as_many_runs_were_right_as_wrong_nothing_turned(self) -> None:
        runs = [labelled((1, 2)), labelled((2, 3))]
        actual = labelled_flips(labelled((1,)), runs)
        assert actual is not None
        assert (actual.negative.number, actual.positive) == (0, 1)

    def test_right_before_and_wrong_now(self) -> None:
        actual = labelled_flips(labelled((1, 2, 3)), [labelled((2, 7, 8))])
        assert actual is not None
        assert (actual.negative.number, actual.negative.of, actual.positive) == (2, 10, 2)
        assert actual.negative.ci95 == rate_interval([1, 1] + [0] * 8, [1] * 10)

    @pytest.mark.parametrize(
        "other", [None, labelled((1,), sha256="b" * 64), labelled((1,), inputs=11)]
    )
    def test_of_other_labels_nothing_is_known(self, other: LabelledAnswers | None) -> None:
        assert labelled_flips(labelled((1,)), [labelled((1,)), other]) is None
        assert labelled_flips(other, [labelled((1,))]) is None


def churn_of(changed: int, of: int) -> AnswerChurn:
    pairs = [(answer("yes"), answer("no"))] * changed
    pairs += [(answer("yes"), answer("yes"))] * (of - changed)
    return answer_churn(BOOLQ, both(*pairs))


class TestLimits:
    def verdict(self, now: str, before: str, facts: RunFacts, **settings: Any) -> Outcome:
        chosen = msgspec.structs.replace(DEFAULTS, **settings)
        return compare(
            verdicts_from_rows(rows(now)), [verdicts_from_rows(rows(before))], chosen, facts
        )

    @pytest.mark.parametrize(
        ("changed", "limit", "verdict"),
        [
            (40, 0.01, GateVerdict.REGRESSION),
            (40, 0.10, GateVerdict.PASS),  # 10 % were seen
            (40, 0.08, GateVerdict.PASS),  # and may be 8: noise does not fail
            (40, 1.0, GateVerdict.PASS),
            (0, 0.0, GateVerdict.PASS),
        ],
    )
    def test_the_lower_end_is_compared_with_the_limit(
        self, changed: int, limit: float, verdict: GateVerdict
    ) -> None:
        facts = RunFacts(answers=churn_of(changed, 400))
        actual = self.verdict("s" * 40, "s" * 40, facts, max_churn=limit)
        assert actual.verdict is verdict
        reasons = [reason for reason in actual.reasons if "max-churn" in reason]
        assert bool(reasons) is (verdict is GateVerdict.REGRESSION)
        assert actual.reasons[:1] == tuple(reasons) or not reasons, (
            "what fails the build comes first"
        )
        assert all(f"above the max-churn limit of {percent(limit)}" in reason for reason in reasons)
        assert actual.exit_code == (1 if reasons else 0)

    def test_groups_that_turned_without_a_rise_may_be_too_many(self) -> None:
        now, before = "vs" * 60, "sv" * 60
        assert self.verdict(now, before, RunFacts()).verdict is GateVerdict.PASS
        actual = self.verdict(now, before, RunFacts(), max_negative_flips=0.1)
        assert actual.verdict is GateVerdict.REGRESSION
        assert any("60 cases newly violated" in r for r in actual.reasons)

    def test_groups_do_not_replace_labels_that_only_the_run_has(self) -> None:
        facts = RunFacts(labelled=True)
        actual = self.verdict("vs" * 60, "sv" * 60, facts, max_negative_flips=0.1)
        assert actual.verdict is GateVerdict.INCONCLUSIVE
        assert not any("newly violated" in reason for reason in actual.reasons)


@given(
    st.lists(
        st.tuples(
            st.sets(st.tuples(st.integers(0, 4), st.sampled_from("AB")), max_size=3),
            st.sets(st.tuples(st.integers(0, 4), st.sampled_from("AB")), max_size=3),
        ),
        max_size=6,
    )
)
def test_every_entity_is_counted_once(pairs: list[tuple[set, set]]) -> None:
    sides = [
        tuple(entities(*((at * 3, at * 3 + 4, label) for at, label in side)) for side in pair)
        for pair in pairs
    ]
    actual = answer_churn(NER, both(*sides))
    before, after = Counter(), Counter()
    for move in actual.moves:
        if move.before:
            before[move.before] += move.number
        if move.after:
            after[move.after] += move.number
    for number, counted in enumerate((before, after)):
        expected = Counter(label for pair in pairs for _, label in pair[number])
        assert counted == expected
    assert actual.inputs.number == sum(one != other for one, other in pairs)
    unchanged = sum(move.number for move in actual.moves if move.how is AnswerChange.KEPT)
    assert unchanged == sum(len(one & other) for one, other in pairs)


@given(ANSWERS)
def test_the_same_answer_in_another_order_is_no_change(answer: Mapping[str, Any]) -> None:
    turned = {"entities": answer["entities"][::-1]}
    assert [*NER.moves(answer, answer)] == [*NER.moves(answer, turned)]
