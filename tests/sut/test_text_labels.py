"""Logits of sequence classifiers read as labels and scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making_text import save_bag
from mt_gate.running.operating import OperatingPoint, read
from mt_gate.sut.card import read_card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.reader import EncodedText, TextReader, longest

LABELS = ("a", "b", "c")
ITEM = EncodedText([0], [0])
LOGITS = st.lists(st.floats(-1e4, 1e4, width=32), min_size=3, max_size=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bag(tmp_path_factory.mktemp("bag") / "made", LABELS, {"good": (1, 0, 0)})


def reader(folder: Path, **card: Any) -> TextReader:
    import msgspec

    return TextReader(CheckpointFolder(folder), msgspec.structs.replace(read_card(folder), **card))


def decoded(one: TextReader, *logits: float) -> Prediction:
    (result,) = one.decode([ITEM], np.array([logits], np.float32))
    return result


@given(LOGITS)
def test_one_label_of_several(folder: Path, logits: list[float]) -> None:
    actual = decoded(reader(folder), *logits)
    assert actual.output is not None
    assert actual.output["labels"] == [LABELS[int(np.argmax(logits))]]
    assert sum(actual.output["scores"].values()) == pytest.approx(1, abs=2e-6)
    assert actual.margin == pytest.approx(sorted(logits)[2] - sorted(logits)[1], abs=1e-2)


@given(LOGITS)
def test_any_number_of_labels(folder: Path, logits: list[float]) -> None:
    actual = decoded(reader(folder, activation="sigmoid"), *logits)
    assert actual.output is not None
    assert {*actual.output["labels"]} == {
        label for label, logit in zip(LABELS, logits, strict=True) if logit >= 0
    }
    scores = [actual.output["scores"][label] for label in actual.output["labels"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in actual.output["scores"].values())
    assert actual.margin == pytest.approx(min(map(abs, logits)))


FORTY = tuple(f"label {number}" for number in range(40))


@given(
    st.lists(st.sampled_from([-3.0, 0.0, 0.1, 0.100001, 2.0, 7.5]), min_size=40, max_size=40),
    st.sets(st.sampled_from([*FORTY, "none of them"]), max_size=3),
    st.sampled_from(["softmax", "sigmoid"]),
)
def test_of_many_labels_a_run_reads_the_likeliest_and_those_compared(
    folder: Path, logits: list[float], scored: set[str], activation: str
) -> None:
    one = reader(folder, activation=activation, labels=FORTY)
    point = OperatingPoint({}, {}, activation, tuple(sorted(scored)))
    result = read(decoded(one, *logits), point)
    assert result.output is not None
    assert {*scored} & {*FORTY} <= {*result.output["scores"]}
    assert len(result.output["scores"]) <= 10 + len({*result.output["labels"], *scored})


@given(st.integers(3, 600), st.integers(3, 600), st.integers(3, 600))
def test_the_longest_that_fits(first: int, second: int, third: int) -> None:
    least, limit, most = sorted((first, second, third))
    tried = []

    def fits(length: int) -> bool:
        tried.append(length)
        return length <= limit

    assert longest(fits, least, most) == limit
    assert all(least < length <= most for length in tried) or tried == [most]
    assert len(tried) == len({*tried})


@given(
    st.lists(
        st.lists(st.floats(-20, 20, width=32), min_size=40, max_size=40), min_size=1, max_size=5
    ),
    st.sampled_from(["softmax", "sigmoid"]),
)
def test_answers_are_the_same_in_any_batch(
    folder: Path, rows: list[list[float]], activation: str
) -> None:
    one = reader(folder, activation=activation, labels=FORTY)
    together = one.decode([ITEM] * len(rows), np.array(rows, np.float32))
    assert together == [decoded(one, *logits) for logits in rows]
