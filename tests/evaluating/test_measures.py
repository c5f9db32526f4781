from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mt_gate.evaluating.evaluate import Answered, measures
from mt_gate.evaluating.labelled import Labelled


def answered(gold: Any, output: Any) -> Answered:
    return Answered(Labelled("0" * 32, {}, gold), output, gold == output)


def entities(*items: tuple[int, int, str]) -> dict[str, Any]:
    return {"entities": [[*item] for item in items]}


def counts(task: str, answers: list[Answered]) -> dict[str, list[tuple[int, int]]]:
    result: dict[str, list[tuple[int, int]]] = {}
    for item in measures(task, answers):
        result.setdefault(item.label, []).append((item.share.count, item.share.of))
    return result


def test_entities_count_by_exact_span_and_label() -> None:
    gold = entities((0, 4, "PER"), (9, 13, "LOC"))
    answers = [
        answered(gold, entities((0, 4, "PER"), (9, 12, "LOC"))),
        answered(entities((0, 3, "PER")), entities((0, 3, "LOC"))),
        answered(entities(), entities()),
        answered(entities((5, 6, "PER")), None),
    ]
    assert counts("ner", answers) == {
        "": [(1, 3), (1, 4), (2, 7)],
        "LOC": [(0, 2), (0, 1), (0, 3)],
        "PER": [(1, 1), (1, 3), (2, 4)],
    }


def test_answers_count_by_answer_and_have_no_pool() -> None:
    yes, no = {"answer": "yes", "score": 0.9}, {"answer": "no", "score": 0.1}
    answers = [answered({"answer": "yes"}, yes), answered({"answer": "no"}, yes)]
    answers += [answered({"answer": "no"}, no), answered({"answer": "yes"}, None)]
    expected = {"no": [(1, 1), (1, 2), (2, 3)], "yes": [(1, 2), (1, 2), (2, 4)]}
    assert counts("boolq", answers) == expected


ENTITIES = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["A", "B"])), max_size=4)


@given(st.lists(st.tuples(ENTITIES, ENTITIES), max_size=12))
def test_rates_lie_in_their_intervals(pairs: list[Any]) -> None:
    answers = [
        answered(*(entities(*((at, at + 1, label) for at, label in side)) for side in pair))
        for pair in pairs
    ]
    actual = {(m.label, m.name): m.share for m in measures("ner", answers)}
    for share in actual.values():
        assert 0 <= share.count <= share.of
        if share.rate is not None and share.ci95 is not None:
            assert 0 <= share.ci95[0] <= share.ci95[1] <= 1
            if share.rate in (0, 1):
                assert share.ci95[0] <= share.rate <= share.ci95[1]
    by_label = [share for (label, name), share in actual.items() if label and name == "F1"]
    assert sum(share.of for share in by_label) == actual["", "F1"].of
