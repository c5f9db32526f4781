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
from mt_gate.sut.noise import LENGTHS, NEIGHBOURS, Array, NoiseFigures, batches, check, measure
from mt_gate.sut.onnx import MOST_NOISE, OnnxSystem

INPUTS = [{"text": text} for text in SENTENCES] + [
    {"text": f"{text} in Oslo"} for text in SENTENCES
]
LENGTHS_OF = st.lists(st.tuples(st.integers(1, 40)) | st.tuples(*[st.integers(1, 9)] * 2))


@given(LENGTHS_OF)
def test_a_sample_is_small_covers_lengths_and_pads_nothing(lengths: list[tuple[int, ...]]) -> None:
    found = batches(lengths)
    assert len(found) == min(LENGTHS, len(set(lengths)))
    of = [{lengths[index] for index in batch} for batch in found]
    assert all(len(some) == 1 for some in of)
    assert len(set[tuple[int, ...]]().union(*of)) == len(found)
    assert all(len(batch) == NEIGHBOURS for batch in found)
    for batch in found:
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
    assert measure(sample, scores, scores) == NoiseFigures(0, 0, 0, 8)
    moved = measure(sample, lambda items: scores(items) + next(calls), scores)
    assert moved.repeated > 0
    beside = measure(sample, lambda items: scores(items) + len(items), lambda _: scores([1]) + 1)
    assert (beside.repeated, beside.neighbours) == (0, 3)
    other = measure(sample, scores, lambda items: scores(items) + 0.5)
    assert other == NoiseFigures(0, 0, 0.5, 8)
    assert other.largest == 0.5
    assert measure([], scores, scores).largest == 0


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        (
            NoiseFigures(0.5, 0.5, 0.5, 3),
            "asked the same twice .* up to 0.5; .* at most 0.001,.* dropout",
        ),
        (
            NoiseFigures(0, 0.5, 0.5, 0.1),
            "in a batch with others of its length .* at most 0.001,.* int8",
        ),
        (
            NoiseFigures(0, 0, 0.5, 100),
            "another number of threads .* at most 0.01.* standard operators",
        ),
    ],
)
def test_too_much_is_refused_with_the_likely_mistake(noise: NoiseFigures, words: str) -> None:
    with pytest.raises(CannotJudge, match=rf"^checkpoint ner: .*{words}"):
        check(noise, 1e-3, "ner")
    check(noise, 0.5, "ner")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    return tmp_path_factory.mktemp("taggers")


def test_a_checkpoint_that_ignores_its_mask_has_no_noise(folder: Path) -> None:
    """Nothing is padded in a run, so that nothing is padded here."""
    system = OnnxSystem(save_checkpoint(folder / "right", maskless_tagger()), "ner", "cpu")
    assert system.noise(INPUTS) < 1e-6
    assert system.noise([]) == 0
    assert system.noise(INPUTS[:1]) < 1e-6


@pytest.mark.parametrize(
    ("mistake", "words"), [("random", "in eval mode"), ("batch", "quantised per batch")]
)
def test_mistakes_of_an_export_are_named(folder: Path, mistake: str, words: str) -> None:
    made = save_checkpoint(folder / mistake, maskless_tagger(mistake=mistake))
    system = OnnxSystem(made, "ner", "cpu")
    with pytest.raises(CannotJudge, match=words) as caught:
        system.noise(INPUTS)
    assert "\n" not in str(caught.value)


def test_scores_of_any_size_are_measured_by_their_size(folder: Path) -> None:
    """A network's rounding grows with its scores; a bag of large ones is no mistake."""
    made = save_checkpoint(folder / "large", maskless_tagger(adds={"was": 1e5}))
    system = OnnxSystem(made, "ner", "cpu")
    assert system.noise(INPUTS) < MOST_NOISE * 1e5
