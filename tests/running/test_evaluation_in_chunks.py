"""Groups are asked and judged some at a time: rows and questions are the same for any number."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical
from mt_gate.domain import Entity
from mt_gate.results.result import CheckpointHead, Predictions, Runtime
from mt_gate.running import evaluation, predicting
from mt_gate.running.evaluation import evaluate, sources_predicted
from mt_gate.running.predicting import Answers, Cache, Predictor
from mt_gate.running.preparing import LoadedSuite, context_of, load_suite
from mt_gate.settings.record import Settings
from mt_gate.sut.protocol import Noise, Prediction

RELATIONS = ("per:spouse", "per:children", "per:employee_of", "no_relation")


class Hashed:
    """A system whose answers are drawn by the digest of the input."""

    def __init__(self, task: str) -> None:
        self.task = task
        self.cache_key = task
        self.asked: list[bytes] = []
        self.rounds = 0

    @property
    def head(self) -> CheckpointHead:
        runtime = Runtime(provider="made", precision="", device="", onnxruntime="", cpu="")
        return CheckpointHead(name="made", fingerprint="made", runtime=runtime)

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        self.asked += [canonical(value) for value in inputs]
        self.rounds += 1
        yield [(at, self._answer(value)) for at, value in enumerate(inputs)]

    def _answer(self, value: Mapping[str, Any]) -> Prediction:
        drawn = zlib.crc32(canonical(value))
        if drawn % 13 == 0:
            return Prediction(None, reason="truncated")
        if self.task == "re":
            return Prediction({"relation": RELATIONS[drawn % 4]}, drawn % 7 / 10)
        words = value["text"].split(" ")
        ends = [sum(map(len, words[: n + 1])) + n for n in range(len(words))]
        found = [
            Entity(end - len(word), end, "PER")
            for word, end in zip(words, ends, strict=True)
            if word.isalpha() and word.istitle()
        ]
        return Prediction({"entities": found[drawn % 3 == 0 :]}, drawn % 7 / 10)

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002
        return {"threads": 0.1}

    def close(self) -> None:
        pass


class Asked:
    """A suite asked of a system that is new to it."""

    def __init__(self, task: str, loaded: LoadedSuite, folder: Path, at_once: int) -> None:
        self.system = Hashed(task)
        self.predictor = Predictor(self.system, Cache(folder, task), lambda *_: None)
        context = context_of(task, "tacred" if task == "re" else "", self.system)
        self.rows, _ = evaluate(loaded.suite, loaded.relations, self.predictor, context, at_once)


@pytest.fixture(params=["ner", "re"])
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["as they are", "packed"])
def loaded(
    task: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> LoadedSuite:
    if request.param == "packed":
        monkeypatch.setattr(evaluation, "_SOURCES_AT_HAND", 2)
        monkeypatch.setattr(evaluation, "_JUDGED_TOGETHER", 5)
    return load_suite(Settings(checkpoint="made", task=task, suite=f"{task}-default", sources=60))


def test_rows_are_the_same_for_any_number_at_once(
    task: str, loaded: LoadedSuite, tmp_path: Path
) -> None:
    found: dict[int, tuple[list[bytes], Predictions, int]] = {}
    for at_once in (10_000, 1, 7):
        asked = Asked(task, loaded, tmp_path / str(at_once), at_once)
        rows = [canonical(row) for row in asked.rows]
        found[at_once] = rows, asked.predictor.counts, len(asked.system.asked)
        assert len(set(asked.system.asked)) == len(asked.system.asked), "each input is asked once"
    assert found[1] == found[7] == found[10_000]
    assert len(found[1][0]) > 60


def test_only_what_is_still_to_be_asked_is_held_together(
    task: str, loaded: LoadedSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what was asked beside the sources few groups are held as objects."""
    monkeypatch.setattr(evaluation, "_JUDGED_TOGETHER", 5)
    asked = Asked(task, loaded, tmp_path, 10_000)
    together: list[int] = []
    predict = asked.predictor.predict

    def counted(inputs: Sequence[Mapping[str, Any]]) -> list[Prediction]:
        together.append(len(inputs))
        return predict(inputs)

    monkeypatch.setattr(asked.predictor, "predict", counted)
    rows = list(asked.rows)
    hanging = [of.id for of in loaded.relations if of.when or of.at_run_time]
    of_hanging = sum(row.relation in hanging for row in rows)
    assert of_hanging > 5
    assert 5 < max(together) <= of_hanging + 5
    assert together.count(5) > (len(rows) - of_hanging) / 5 - 2


def test_what_needs_no_answer_is_asked_first_and_the_rest_as_rows_are_taken(
    task: str, loaded: LoadedSuite, tmp_path: Path
) -> None:
    suite, relations = loaded
    asked = Asked(task, loaded, tmp_path, 1)
    free = {one.id for one in relations if one.when is None and not one.at_run_time}
    inputs = [source.input for source in sources_predicted(suite, relations)]
    inputs += [group.follow_up for group in suite.groups if group.relation in free]
    first = len(asked.system.asked)
    assert {*asked.system.asked} == {*map(canonical, inputs)}
    next(asked.rows)
    soon = len(asked.system.asked)
    later = sum(row.relation not in free for row in asked.rows)
    assert first < len(asked.system.asked) <= first + 2 * later
    # Second sources are asked before any row, for all relations together.
    combined = any(one.combine for one in relations)
    assert soon < len(asked.system.asked) if combined else soon < first + 10


def test_what_hangs_on_answers_is_asked_for_all_relations_together(
    task: str, loaded: LoadedSuite, tmp_path: Path
) -> None:
    asked = Asked(task, loaded, tmp_path, 10_000)
    before = asked.system.rounds
    rows = list(asked.rows)
    hanging = {one.id for one in loaded.relations if one.when or one.at_run_time}
    answered = {row.relation for row in rows if row.relation in hanging and row.follow_up_output}
    assert len(answered) > 1 or task == "ner"
    combined = any(one.combine for one in loaded.relations)
    assert asked.system.rounds - before == (2 if combined else 1)


def test_the_closest_call_may_be_the_second_source_s(tmp_path: Path) -> None:
    """Its label decides as the source's does, and noise may turn it."""
    named = Settings(checkpoint="made", task="re", suite="re-default", sources=60)
    asked = Asked("re", load_suite(named), tmp_path, 100)
    combined = [row for row in asked.rows if row.second and row.margin is not None]
    nearer = 0
    for row in combined:
        both, second = (
            min(asked.system._answer(value).margin for value in some)
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
        predictor = Predictor(Hashed("ner"), cache, lambda *_: None)
        with pytest.raises(CannotJudge, match=r"answers: the first \d+ take more than 1,000 bytes"):
            predictor.learn(inputs)


def test_what_was_learnt_is_counted_once_it_is_predicted(tmp_path: Path) -> None:
    inputs = [{"text": f"Anna met {name}."} for name in ("Bo", "Cy", "Di")]
    system = Hashed("ner")
    with closing(Cache(tmp_path, "ner")) as cache:
        first = Predictor(system, cache, lambda *_: None)
        first.learn(inputs)
        assert first.counts == Predictions(requested=0, unique=3, cached=0)
        answers = first.predict([*inputs, inputs[0]])
        assert first.counts == Predictions(requested=4, unique=3, cached=0)
        again = Predictor(system, cache, lambda *_: None)
        again.learn(inputs)
        assert again.predict(inputs) == answers[:3]
        assert again.counts == Predictions(requested=3, unique=3, cached=3)
    assert len(system.asked) == 3


def test_answers_are_kept_as_they_were_given() -> None:
    given = {
        b"1": Prediction({"entities": [[0, 4, "PER"]]}, 0.1 + 0.2),
        b"2": Prediction({"entities": []}),
        b"3": Prediction(None, reason="truncated"),
    }
    answers = Answers()
    answers.add(given.items())
    answers.add([(b"2", given[b"2"])])
    assert dict(answers) == given
    assert len(answers) == 3
    assert b"4" not in answers
