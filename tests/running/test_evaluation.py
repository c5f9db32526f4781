"""Groups of relations that a suite states: noise of scores, and sources that were refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from making_stated import write_stated
from mt_gate.domain import NotApplicable, Verdict
from mt_gate.results.result import CheckpointHead, GroupRow, Runtime
from mt_gate.running import evaluation
from mt_gate.running.cache import Cache
from mt_gate.running.evaluation import evaluate
from mt_gate.running.predicting import Predictor
from mt_gate.suites.format import read_suite, write_suite
from mt_gate.suites.relations import relations_in
from mt_gate.sut.protocol import Noise, Prediction

WITHIN = {"text/near": {"kind": "within", "label": "toxic", "by": 0.1}}


class Scores:
    """A system whose score of "toxic" is the text's number; one without is refused."""

    cache_key = "scores"

    def __init__(self, noise: float) -> None:
        self._noise = noise

    @property
    def head(self) -> CheckpointHead:
        runtime = Runtime(provider="made", precision="", device="", onnxruntime="", cpu="")
        return CheckpointHead(name="made", fingerprint="made", runtime=runtime)

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        yield [(at, self._answer(value["text"])) for at, value in enumerate(inputs)]

    def _answer(self, text: str) -> Prediction:
        if text == "long":
            return Prediction(None, reason=NotApplicable.TRUNCATED)
        # A decision that is close: of what compares scores it must decide nothing.
        return Prediction({"labels": [], "scores": {"toxic": float(text)}}, 0.0)

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002
        return {"threads": self._noise}

    def close(self) -> None:
        pass


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
    system = Scores(noise)
    predictor = Predictor(system, Cache(folder / "cache", system.cache_key), lambda *_: None)
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


def test_a_difference_of_scores_has_no_margin_of_labels(tmp_path: Path) -> None:
    assert judged(tmp_path, "0.3", "0.31", 0.0).margin is None


@pytest.mark.parametrize(
    ("verdict", "margin", "kept"),
    [
        (Verdict.SATISFIED, 1.23456789, 1.235),
        (Verdict.VIOLATED, 0.000123456789, 0.0001235),
        (Verdict.SATISFIED, float("inf"), None),
        (Verdict.NOT_APPLICABLE, 1.0, None),
    ],
)
def test_a_row_keeps_the_first_digits_of_a_margin(
    verdict: Verdict, margin: float, kept: float | None
) -> None:
    assert evaluation.kept_margin(verdict, margin) == kept


@pytest.mark.parametrize(("before", "second"), [("long", ""), ("0.3", "long"), ("long", "0.3")])
def test_a_source_that_was_refused_says_why(tmp_path: Path, before: str, second: str) -> None:
    row = judged(tmp_path, before, "0.3", 0.0, second)
    assert (row.verdict, row.reason) == (Verdict.NOT_APPLICABLE, "truncated")
    assert row.follow_up_output is None


def test_both_sources_count(tmp_path: Path) -> None:
    row = judged(tmp_path / "near", "0.4", "0.45", 0.0, "0.5")
    assert row.verdict is Verdict.SATISFIED
    assert row.second == {"text": "0.5"}
    row = judged(tmp_path / "far", "0.1", "0.45", 0.0, "0.5")
    assert row.verdict is Verdict.VIOLATED
