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
from mt_gate.running.evaluation import evaluate
from mt_gate.running.predicting import Cache, Predictor
from mt_gate.running.preparing import context_of, load_suite
from mt_gate.settings.record import Settings
from mt_gate.sut.protocol import Noise, Prediction

RELATIONS = ("per:spouse", "per:children", "per:employee_of", "no_relation")


class Hashed:
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
    def __init__(self, task: str, folder: Path) -> None:
        self.loaded = load_suite(
            Settings(checkpoint="made", task=task, suite=f"{task}-default", sources=60)
        )
        self.system = Hashed(task)
        self.predictor = Predictor(self.system, Cache(folder, task), lambda *_: None)
        context = context_of(task, "tacred" if task == "re" else "", self.system)
        self.rows, _ = evaluate(self.loaded.suite, self.loaded.relations, self.predictor, context)


@pytest.mark.parametrize("task", ["ner", "re"])
def test_rows_are_the_same_for_any_number_at_once(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[tuple[list[bytes], Predictions, int]] = []
    for number in (10_000, 7):
        monkeypatch.setattr(evaluation, "AT_ONCE", number)
        asked = Asked(task, tmp_path / str(number))
        rows = [canonical(row) for row in asked.rows]
        found.append((rows, asked.predictor.counts, len(asked.system.asked)))
        assert len(set(asked.system.asked)) == len(asked.system.asked), "each input is asked once"
    assert found[0] == found[1]
    assert len(found[0][0]) > 60


@pytest.mark.parametrize("task", ["ner", "re"])
def test_what_hangs_on_answers_is_asked_for_all_relations_together(
    task: str, tmp_path: Path
) -> None:
    asked = Asked(task, tmp_path)
    before = asked.system.rounds
    rows = list(asked.rows)
    hanging = {one.id for one in asked.loaded.relations if one.when or one.at_run_time}
    answered = {row.relation for row in rows if row.relation in hanging and row.follow_up_output}
    assert len(answered) > 1 or task == "ner"
    combined = any(one.combine for one in asked.loaded.relations)
    assert asked.system.rounds - before == 1 + (2 if combined else 1)


def test_the_closest_call_may_be_the_second_source_s(tmp_path: Path) -> None:
    """Its label decides as the source's does, and noise may turn it."""
    asked = Asked("re", tmp_path)
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
