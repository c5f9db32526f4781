"""Answers of task text at an operating point: which labels, which scores, how close a call."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_text import save_bag
from mt_gate.base.errors import CannotJudge
from mt_gate.relations.stated import Equals, Falls, Same, When, Within
from mt_gate.results.result import GateVerdict
from mt_gate.running.operating import Needs, OperatingPoint, check_named, needs_of, read
from mt_gate.running.systems import open_named
from mt_gate.settings.record import Settings
from mt_gate.suites.format import FORMAT, Suite, SuiteFile, SuiteRelation
from mt_gate.sut.protocol import Prediction, System
from mt_gate.tasks.text import NONE, SIGMOID, SOFTMAX
from reporting import made_up

SCORES = st.dictionaries(
    st.sampled_from("abcdef"), st.floats(0, 1, allow_subnormal=False), min_size=2
)


def point(label_map: dict | None = None, threshold: dict | None = None, activation: str = SIGMOID):
    return OperatingPoint(label_map or {}, threshold or {}, activation)


def answer(labels: tuple[str, ...], **scores: float) -> Prediction:
    return Prediction({"labels": [*labels], "scores": scores}, 0.25)


@given(SCORES)
def test_without_map_and_threshold_answers_are_the_systems_own(scores: dict[str, float]) -> None:
    best = max(sorted(scores), key=lambda label: scores[label])
    actual = read(answer((best,), **scores), point(activation=SOFTMAX))
    assert actual.output is not None
    assert actual.output["labels"] == [best]
    assert actual.output["scores"] == {label: round(s, 6) for label, s in scores.items()}
    assert actual.margin == 0.25


def test_a_label_whose_name_the_map_gives_to_another_is_renamed() -> None:
    actual = read(answer(("toxic",), toxic=0.9, hate=0.2), point({"toxic": ("hate",)}))
    assert actual.output == {
        "labels": ["toxic (own)"],
        "scores": {"toxic": 0.2, "toxic (own)": 0.9},
    }


def test_answers_without_a_label_of_the_suite_are_refused_with_what_own_means() -> None:
    head = made_up.result(GateVerdict.MEASURED).checkpoint
    system = msgspec.structs.replace(
        head, runtime=msgspec.structs.replace(head.runtime, onnxruntime="")
    )
    named = [{"labels": ["fair"], "scores": {"fair (own)": 0.9}}]
    with pytest.raises(CannotJudge) as error:
        check_named(system, Needs("mine", ("hateful",)), named)
    assert str(error.value) == (
        "Suite mine needs label 'hateful', but the model never predicts it. Its predictions have "
        "'fair, fair (own)' [(own): the label map uses this name for another label]. Fix the "
        "model's labels, or map them: --label-map 'hateful=LABEL' (see "
        "https://org.github.io/mt-gate/labels.html#label-map)"
    )
    check_named(system, Needs("mine", ("fair",)), named)


@given(SCORES, st.floats(0, 1))
def test_one_of_several_labels_by_a_threshold(scores: dict[str, float], bound: float) -> None:
    first = min(scores)
    best = max(sorted(scores), key=lambda label: scores[label])
    actual = read(answer((best,), **scores), point(None, {first: bound}, SOFTMAX))
    assert actual.output is not None
    [label] = actual.output["labels"]
    if round(scores[first], 6) >= bound:
        assert label == first
    else:
        others = [round(score, 6) for name, score in scores.items() if name != first]
        assert round(scores[label], 6) == max(others)
    assert 0 <= actual.margin < math.inf


@given(SCORES, st.floats(0, 1))
def test_any_number_of_labels_by_a_threshold(scores: dict[str, float], bound: float) -> None:
    own = tuple(label for label, score in scores.items() if score >= 0.5)
    first = min(scores)
    actual = read(answer(own, **scores), point(None, {first: bound}))
    assert actual.output is not None
    assert (first in actual.output["labels"]) is (actual.output["scores"][first] >= bound)
    assert {*actual.output["labels"]} - {first} == {*own} - {first}


def test_a_mere_score_decides_by_its_threshold() -> None:
    actual = read(answer((), likeness=0.7), point(None, {"likeness": 0.6}, NONE))
    assert actual.output == {"labels": ["likeness"], "scores": {"likeness": 0.7}}
    assert actual.margin == pytest.approx(0.1)


def suite(**outputs: object) -> Suite:
    relations = tuple(
        SuiteRelation(id=f"text/{name}", groups=1, sources=1, title=name, output=output)
        for name, output in outputs.items()
    )
    head = SuiteFile(
        format=FORMAT, name="made", task="text", version="1", seed=1, description="",
        relations=relations, sources=(), tools={}, thresholds={}, files={}, labels=("a", "b"),
    )  # fmt: skip
    return Suite(head=head, sources=(), groups=())


@pytest.mark.parametrize(
    ("output", "labels", "decides", "scored"),
    [
        (Same(), (), True, ()),
        (Same(labels=("a",)), ("a",), True, ()),
        (Equals(), ("a", "b"), True, ()),
        (Within(label="a", by=0.1), ("a",), False, ("a",)),
        (Falls(label="a", by=0.1, when=When(label="b")), ("a", "b"), True, ("a",)),
    ],
)
def test_what_a_suite_needs(
    output: object, labels: tuple[str, ...], decides: bool, scored: tuple[str, ...]
) -> None:
    made = suite(one=output)
    needed = Needs("made", labels, "text/one" if decides else "", scored)
    assert needs_of(made.head, {"text/one"}) == needed
    assert needs_of(made.head, ()) == Needs("made", (), "")


FORTY = [f"l{number:02}" for number in range(40)]


@pytest.mark.parametrize(
    ("settings", "needs", "expected"),
    [
        ({}, Needs(), 10),
        ({}, Needs(scored=("l39",)), 11),
        ({"label_map": {"rest": tuple(FORTY[5:])}}, Needs(), 6),
        ({"threshold": {"l39": 0.001}}, Needs(), 11),
    ],
)
def test_of_many_labels_the_likeliest_and_needed_scores_are_shown(
    tmp_path: Path, settings: dict[str, Any], needs: Needs, expected: int
) -> None:
    folder = save_bag(tmp_path / "made", FORTY, {"good": [-0.1 * at for at in range(40)]})
    named = Settings(
        checkpoint=str(folder), task="text", suite="any", out=tmp_path, device="cpu", **settings
    )
    inputs = [{"text": "good"}, {"text": "good good"}]

    def answers(system: System) -> list[Prediction]:
        with closing(system):
            return [p for batch in system.predict(inputs) for _, p in sorted(batch)]

    actual = answers(open_named(named, tmp_path, inputs, lambda _: None, needs=needs))
    assert actual[0].output is not None
    assert len(actual[0].output["scores"]) == expected
    if "label_map" in settings:
        assert sum(actual[0].output["scores"].values()) == pytest.approx(1, abs=1e-4)


ROUNDED_ALIKE = st.integers(0, 60).map(lambda number: number * 3e-8)


@given(
    st.lists(st.floats(0, 1) | ROUNDED_ALIKE, min_size=2, max_size=60),
    st.sampled_from((SOFTMAX, SIGMOID)),
)
def test_a_map_that_calls_each_label_itself_changes_nothing(
    values: list[float], activation: str
) -> None:
    scores = {f"l{number:02}": round(score, 8) for number, score in enumerate(values)}
    original = answer((max(scores, key=lambda label: scores[label]),), **scores)
    mapped = point({label: (label,) for label in scores}, activation=activation)
    assert read(original, mapped) == read(original, point(activation=activation))
