"""What moves a score where no input has changed, and when that is too much."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import SENTENCES
from making_onnx import maskless_tagger, save_checkpoint
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.onnx import (
    LENGTHS,
    NEIGHBOURS,
    Array,
    OnnxSystem,
    check_noise,
    choose_sample,
    measure_noise,
)
from mt_gate.sut.protocol import Noise, largest_noise

INPUTS = [{"text": text} for text in SENTENCES] + [
    {"text": f"{text} in Oslo"} for text in SENTENCES
]
LENGTHS_OF = st.lists(st.tuples(st.integers(1, 40)) | st.tuples(*[st.integers(1, 9)] * 2))


@given(LENGTHS_OF)
def test_a_sample_is_small_covers_lengths_and_pads_nothing(lengths: list[tuple[int, ...]]) -> None:
    actual = choose_sample(lengths)
    assert len(actual) == min(LENGTHS, len(set(lengths)))
    of = [{lengths[index] for index in batch} for batch in actual]
    assert all(len(some) == 1 for some in of)
    assert len(set[tuple[int, ...]]().union(*of)) == len(actual)
    assert all(len(batch) == NEIGHBOURS for batch in actual)
    for batch in actual:
        alike = lengths.count(lengths[batch[0]])
        assert len(set(batch)) == min(NEIGHBOURS, alike)
    shared = {length for length in lengths if lengths.count(length) > 1}
    taken = set[tuple[int, ...]]().union(*of)
    assert shared <= taken or taken <= shared
    if shared and taken <= shared:
        assert {min(shared), max(shared)} <= taken


def scores(items: Sequence[int]) -> Array:
    return np.array([[item, 2 * item] for item in items], np.float32)


def test_each_way_of_asking_is_measured_by_itself() -> None:
    sample = [[1, 2, 3, 3], [4, 4, 4, 4]]
    calls = iter(range(100))
    still = {"repeated": 0.0, "neighbours": 0.0}
    assert measure_noise(sample, scores, {}) == (still, 8)
    moved = measure_noise(sample, lambda items: scores(items) + next(calls), {})
    assert moved[0]["repeated"] > 0
    in_batches = measure_noise(sample, lambda items: scores(items) + len(items), {})
    assert in_batches[0] == {"repeated": 0, "neighbours": 3}
    otherwise = {"threads": lambda i: scores(i) + 0.5, "graph": lambda i: scores(i) - 0.25}
    other = measure_noise(sample, scores, otherwise)
    assert other == ({**still, "threads": 0.5, "graph": 0.25}, 8)
    assert measure_noise([], scores, otherwise) == ({}, 0)


def by(way: str, noise: float, size: float) -> tuple[Noise, float]:
    ways = ("repeated", "neighbours", "threads")
    return dict.fromkeys(ways[ways.index(way) :], noise), size


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        (by("repeated", 0.5, 3), "run twice .* up to 0.5 .limit 0.001.* dropout"),
        (by("neighbours", 0.5, 0.1), "in a batch with others .* .limit 0.001.* int8"),
        (by("threads", 0.5, 100), "another number of threads .* .limit 0.01.* standard operators"),
    ],
)
def test_too_much_is_refused_with_the_likely_mistake(
    noise: tuple[Noise, float], words: str
) -> None:
    with pytest.raises(CannotJudge, match=rf"^Checkpoint ner: .*{words}"):
        check_noise(*noise, 1e-3, "ner")
    check_noise(*noise, 0.5, "ner")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    return tmp_path_factory.mktemp("taggers")


@pytest.mark.parametrize(
    ("mistake", "words"), [("random", "in eval mode"), ("batch", "quantised per batch")]
)
def test_mistakes_of_an_export_are_named(folder: Path, mistake: str, words: str) -> None:
    made = save_checkpoint(folder / mistake, maskless_tagger(mistake=mistake))
    system = OnnxSystem(made, "ner", "cpu")
    with pytest.raises(CannotJudge, match=words) as caught:
        system.noise(INPUTS)
    assert "\n" not in str(caught.value)


def test_a_difference_by_padding_is_a_mistake_and_makes_groups_unstable() -> None:
    assert largest_noise({"repeated": 0.0, "padded": 0.25}) == 0.25
    with pytest.raises(CannotJudge, match="ignores attention_mask"):
        check_noise({"padded": 0.25}, 3, 0.1, "ner")
