"""Groups of relations that a suite states: noise of scores, and sources that were refused."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making import make_suite
from making_stated import write_stated
from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import canonical
from mt_gate.domain import Block, Entity, EntityError, ErrorCategory, NotApplicable, Verdict
from mt_gate.results.result import (
    CheckpointHead,
    GroupRow,
    Precision,
    Predictions,
    RelationWords,
    Runtime,
)
from mt_gate.running import evaluation, predicting
from mt_gate.running.evaluation import evaluate
from mt_gate.running.measuring import count_all, overall
from mt_gate.running.predicting import Cache, Predictor
from mt_gate.running.preparing import context_of, load_suite
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite, group_id, read_suite, relations_in, write_suite
from mt_gate.sut.protocol import Noise, Prediction

RELATIONS = ("per:spouse", "per:children", "per:employee_of", "no_relation")
WITHIN = {"text/near": {"kind": "within", "label": "toxic", "by": 0.1}}


class Made:
    def __init__(self, answer: Callable[[Any], Prediction], noise: float = 0.1) -> None:
        runtime = Runtime(provider="made", precision="", device="", onnxruntime="", cpu="")
        self.head = CheckpointHead(name="made", fingerprint="made", runtime=runtime)
        self.cache_key = "made"
        self.answer, self._noise = answer, noise
        self.inputs: list[bytes] = []
        self.rounds: list[int] = []

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        self.inputs += map(canonical, inputs)
        self.rounds.append(len(inputs))
        yield [(at, self.answer(value)) for at, value in enumerate(inputs)]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002
        return {"threads": self._noise}

    def close(self) -> None:
        pass


def named(value: Mapping[str, Any]) -> Prediction:
    if value["text"] not in NAMES:
        return Prediction(None, reason=NotApplicable.TRUNCATED)
    return Prediction(NAMES[value["text"]], 0.5)


def scored(value: Mapping[str, Any]) -> Prediction:
    """The score of "toxic" is the text's number; one without is refused."""
    if value["text"] == "long":
        return Prediction(None, reason=NotApplicable.TRUNCATED)
    # A decision that is close: of what compares scores it must decide nothing.
    return Prediction({"labels": [], "scores": {"toxic": float(value["text"])}}, 0.0)


def hashed(value: Mapping[str, Any]) -> Prediction:
    """Drawn by the digest of the input."""
    drawn = zlib.crc32(canonical(value))
    if drawn % 13 == 0:
        return Prediction(None, reason="truncated")
    if "head" in value:
        return Prediction({"relation": RELATIONS[drawn % 4]}, drawn % 7 / 10)
    words = value["text"].split(" ")
    ends = [sum(map(len, words[: n + 1])) + n for n in range(len(words))]
    spans = [
        Entity(end - len(word), end, "PER")
        for word, end in zip(words, ends, strict=True)
        if word.isalpha() and word.istitle()
    ]
    return Prediction({"entities": spans[drawn % 3 == 0 :]}, drawn % 7 / 10)


def predictor_of(system: Made, folder: Path) -> Predictor:
    return Predictor(system, Cache(folder, system.cache_key), lambda *_: None)


def judged(folder: Path, before: str, after: str, noise: float, second: str = "") -> GroupRow:
    pairs = [({"text": before}, {"text": after})]
    pairs += [({"text": second}, {"text": after})] if second else []
    write_stated(folder / "suite", "text", WITHIN, pairs, labels=("toxic",))
    suite = read_suite(folder / "suite")
    if second:
        groups = [msgspec.structs.replace(suite.groups[0], second=suite.sources[1].id)]
        head = msgspec.structs.replace(
            suite.head, relations=(msgspec.structs.replace(suite.head.relations[0], groups=1),)
        )
        write_suite(folder / "suite", head, suite.sources, groups)
        suite = read_suite(folder / "suite")
    predictor = predictor_of(Made(scored, noise), folder / "cache")
    rows, _ = evaluate(suite, [*relations_in(suite.head).values()], predictor)
    return next(rows)


@pytest.mark.parametrize(
    ("after", "noise", "unstable"),
    [("0.395", 0.01, True), ("0.395", 0.001, False), ("0.31", 0.01, False)],
)
def test_a_difference_as_near_as_noise_is_unstable(
    tmp_path: Path, after: str, noise: float, unstable: bool
) -> None:
    row = judged(tmp_path, "0.3", after, noise)
    assert (row.verdict, row.unstable) == (Verdict.SATISFIED, unstable)


@pytest.mark.parametrize(("before", "second"), [("long", ""), ("0.3", "long"), ("long", "0.3")])
def test_a_source_that_was_refused_says_why(tmp_path: Path, before: str, second: str) -> None:
    row = judged(tmp_path, before, "0.3", 0.0, second)
    assert (row.verdict, row.reason) == (Verdict.NOT_APPLICABLE, "truncated")
    assert row.follow_up_output is None


TWO = {f"text/{name}": {**WITHIN["text/near"], "by": by} for name, by in (("a", 0.1), ("b", 0.3))}
PAIRS = [({"text": "0.3"}, {"text": after}) for after in ("0.35", "0.5", "0.9", "long")]


@pytest.fixture
def two(tmp_path: Path) -> Suite:
    return read_suite(write_stated(tmp_path / "two", "text", TWO, PAIRS, labels=("toxic",)))


def test_rows_of_a_run_are_those_that_are_judged(two: Suite, tmp_path: Path) -> None:
    relations = [*relations_in(two.head).values()]
    rows, noise = evaluate(two, relations, predictor_of(Made(scored, 0.01), tmp_path / "1"))
    assert noise == {"threads": 0.01}
    actual = [*rows]
    again = evaluation.rows_of(two, relations, predictor_of(Made(scored, 9), tmp_path / "2"), noise)
    assert [*again] == actual
    assert [row.verdict.value[0] for row in actual] == [*"svvn", *"ssvn"]
    of_one = evaluation.rows_of(
        two, relations[1:], predictor_of(Made(scored, 9), tmp_path / "3"), noise
    )
    assert [*of_one] == actual[4:]


def test_built_relations_are_predicted_together(two: Suite, tmp_path: Path) -> None:
    """The sources first, then the follow-ups of both: batches of one length are fuller so."""
    system = Made(scored, 0.01)
    groups = two.groups[:2] + two.groups[-2:]  # of each relation two, no follow-up of both
    separate = msgspec.structs.replace(two, groups=groups)
    evaluation.ask(
        separate, [*relations_in(two.head).values()], predictor_of(system, tmp_path / "c")
    )
    assert system.rounds == [1, 4]


NAMES = {
    "Anna met Boris.": {"entities": [[0, 4, "PER"], [9, 14, "PER"]]},
    "Boris met Anna.": {"entities": [[0, 5, "PER"], [10, 14, "ORG"]]},
    "It rained.": {"entities": []},
    "Carl slept.": {"entities": [[0, 4, "PER"]]},
}
"""Answers; the sentence that is not among them is refused."""
SENTENCES = ["Anna met Boris.", "It rained.", "Carl slept.", "Too long."]


@pytest.fixture
def shuffled(tmp_path: Path) -> list[GroupRow]:
    suite = read_suite(make_suite(tmp_path / "suite", SENTENCES))
    relation = relations_in(suite.head)["ner/entity-shuffle"]
    rows, _ = evaluate(suite, [relation], predictor_of(Made(named), tmp_path / "cache"))
    return [*rows]


def test_a_built_group_is_stored_whole(shuffled: list[GroupRow]) -> None:
    row = shuffled[0]
    before, after = ({"text": text} for text in ("Anna met Boris.", "Boris met Anna."))
    assert row.id == group_id("ner/entity-shuffle", before, after)
    assert (row.source, row.follow_up) == (before, after)
    assert row.source_output == NAMES["Anna met Boris."]
    assert row.follow_up_output == NAMES["Boris met Anna."]
    assert row.alignment == (Block(0, 10, 4), Block(4, 5, 5), Block(9, 0, 5), Block(14, 14, 1))
    assert (row.verdict, row.reason, row.bound) == (Verdict.VIOLATED, "", True)
    assert row.unmatched == {"source": [[0, 4, "PER"]], "follow_up": [[10, 14, "ORG"]]}
    assert [error.category for error in row.errors] == [ErrorCategory.INCORRECT_CATEGORY]
    assert (row.margin, row.unstable) == (0.5, False)
    assert (row.second, row.second_output) == (None, None)


def test_a_source_that_binds_nothing_says_why(shuffled: list[GroupRow]) -> None:
    _, *unbound = shuffled
    assert [row.reason for row in unbound] == [
        NotApplicable.VACUOUS,
        NotApplicable.NO_FOLLOW_UP,
        NotApplicable.TRUNCATED,
    ]
    for row, text in zip(unbound, SENTENCES[1:], strict=True):
        assert (row.verdict, row.bound) == (Verdict.NOT_APPLICABLE, True)
        assert row.id == group_id("ner/entity-shuffle", {"text": text}, {})
        assert (row.source, row.source_output) == ({"text": text}, NAMES.get(text))
        assert row.follow_up is None


STATED = {name: {"kind": "within", "label": "toxic", "by": 0.1} for name in ("text/a", "text/b")}


def test_counts_have_what_the_suite_says_of_its_own_relations(tmp_path: Path) -> None:
    pairs = [({"text": "One."}, {"text": "Two."})]
    suite = read_suite(write_stated(tmp_path / "suite", "text", STATED, pairs, labels=("toxic",)))
    precision = Precision(read=10, acceptable=9, interval=(0.6, 1.0), sheet="a sheet")
    stated, read = suite.head.relations
    head = msgspec.structs.replace(
        suite.head,
        relations=(stated, msgspec.structs.replace(read, precision=precision, output=None)),
    )
    first, second = count_all(["text/a", "text/b"], [], head)
    assert (first.id, first.precision) == ("text/a", None)
    assert first.words == RelationWords(
        title="Title of text/a",
        description="What text/a asks.",
        before="before it",
        after="after it",
    )
    assert (second.id, second.precision, second.words) == ("text/b", precision, None)


def row(verdict: Verdict, reason: str = "", **named: Any) -> GroupRow:
    return GroupRow(
        id="1f",
        relation="ner/entity-shuffle",
        source_id="a",
        verdict=verdict,
        source={"text": "Anna met Boris."},
        reason=reason,
        **named,
    )


def test_a_relation_counts_verdicts_reasons_and_errors() -> None:
    error = EntityError(category=ErrorCategory.INCORRECT_CATEGORY)
    satisfied = row(Verdict.SATISFIED, unstable=True)
    reasons = (NotApplicable.VACUOUS, NotApplicable.NO_FOLLOW_UP, NotApplicable.TRUNCATED)
    unbuilt = [row(Verdict.NOT_APPLICABLE, reason) for reason in reasons]
    rows = [row(Verdict.VIOLATED, errors=(error,)), *unbuilt, satisfied, satisfied]
    counted, nothing = count_all(["ner/entity-shuffle", "ner/other"], rows)
    assert (counted.groups, counted.applicable, counted.violated) == (6, 3, 1)
    assert counted.violation_rate == pytest.approx(1 / 3)
    assert counted.not_applicable == {"no-follow-up": 1, "truncated": 1, "vacuous": 1}
    assert [*counted.not_applicable] == sorted(counted.not_applicable)
    assert counted.errors == {"incorrect-category": 1}
    assert counted.unstable == 2
    assert (nothing.groups, nothing.violation_rate, nothing.errors) == (0, None, {})
    total = overall([counted, counted, nothing])
    assert (total.applicable, total.violated, total.errors) == (6, 2, {"incorrect-category": 2})
    assert total.violation_rate == pytest.approx(1 / 3)
    assert overall([nothing]).violation_rate is None


class Evaluated:
    def __init__(self, task: str, folder: Path, sources: int = 60) -> None:
        self.loaded = load_suite(
            Settings(checkpoint="made", task=task, suite=f"{task}-default", sources=sources)
        )
        self.system = Made(hashed)
        self.predictor = Predictor(self.system, Cache(folder, task), lambda *_: None)
        context = context_of(task, "tacred" if task == "re" else "", self.system)
        self.rows, _ = evaluate(self.loaded.suite, self.loaded.relations, self.predictor, context)


@pytest.mark.parametrize("task", ["ner", "re"])
def test_rows_are_the_same_for_any_number_at_once(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actual: list[tuple[list[bytes], Predictions, int]] = []
    for number in (10_000, 7):
        monkeypatch.setattr(evaluation, "AT_ONCE", number)
        evaluated = Evaluated(task, tmp_path / str(number))
        rows = [canonical(row) for row in evaluated.rows]
        actual.append((rows, evaluated.predictor.counts, len(evaluated.system.inputs)))
        assert len(set(evaluated.system.inputs)) == len(evaluated.system.inputs), (
            "each input is predicted once"
        )
    assert actual[0] == actual[1]
    assert len(actual[0][0]) > 60


@pytest.mark.parametrize("task", ["ner", "re"])
def test_follow_ups_of_answers_are_predicted_for_all_relations_together(
    task: str, tmp_path: Path
) -> None:
    evaluated = Evaluated(task, tmp_path)
    before = len(evaluated.system.rounds)
    rows = list(evaluated.rows)
    hanging = {one.id for one in evaluated.loaded.relations if one.when or one.at_run_time}
    answered = {row.relation for row in rows if row.relation in hanging and row.follow_up_output}
    assert len(answered) > 1 or task == "ner"
    combined = any(one.combine for one in evaluated.loaded.relations)
    assert len(evaluated.system.rounds) - before == 1 + (2 if combined else 1)


def test_the_closest_call_may_be_the_second_source_s(tmp_path: Path) -> None:
    """Its label decides as the source's does, and noise may turn it."""
    evaluated = Evaluated("re", tmp_path, sources=400)
    combined = [row for row in evaluated.rows if row.second and row.margin is not None]
    nearer = 0
    for row in combined:
        both, second = (
            min(evaluated.system.answer(value).margin for value in some)
            for some in ((row.source, row.follow_up or {}), (row.second or {},))
        )
        assert row.margin == pytest.approx(min(both, second))
        assert row.unstable is (min(both, second) < 0.2)
        nearer += second < both
    assert nearer > 1


def test_answers_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "MOST_BYTES", 1_000)
    inputs = [{"text": f"Anna met {'Bo ' * number}."} for number in range(50)]
    with closing(Cache(tmp_path, "ner")) as cache:
        predictor = Predictor(Made(hashed), cache, lambda *_: None)
        with pytest.raises(CannotJudge, match=r"The first \d+ predictions take more than 1,000"):
            predictor.learn(inputs)
