"""How threads are shared out, and that what is asked side by side is answered in its order."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import SENTENCES
from making_onnx import maskless_tagger, save_checkpoint
from mt_gate.base.errors import CannotJudge
from mt_gate.sut.batching import MOST, MOST_TOKENS, MOST_WEIGHTS, Lanes, in_lanes, share
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.onnx import OnnxSystem

INPUTS = [{"text": text + " in Oslo" * (number % 7)} for number, text in enumerate(SENTENCES[:40])]


@given(st.integers(1, 1000))
def test_no_thread_is_idle_and_none_is_there_twice(threads: int) -> None:
    """A lane's own thread, and those that help any of them."""
    shared = share(threads, MOST_WEIGHTS, MOST_TOKENS)
    assert shared.at_once == min(threads, MOST)
    assert shared.at_once + shared.threads - 1 == threads


@pytest.mark.parametrize(
    ("weights", "tokens"), [(MOST_WEIGHTS + 1, MOST_TOKENS), (MOST_WEIGHTS, MOST_TOKENS + 1)]
)
def test_what_would_take_too_long_or_too_much_is_asked_by_itself(weights: int, tokens: int) -> None:
    assert share(4, weights, tokens) == Lanes(1, 4)


@given(st.lists(st.integers(), max_size=30), st.integers(1, 5))
def test_answers_come_in_the_order_of_what_was_asked(items: list[int], count: int) -> None:
    assert [*in_lanes(lambda item: -item, items, count)] == [-item for item in items]


def test_lanes_are_asked_at_once() -> None:
    """Each waits for the others: one after the other would never end."""
    together = threading.Barrier(3, timeout=60)
    assert len({*in_lanes(lambda _: together.wait(), range(3), 3)}) == 3


def test_one_lane_needs_no_thread() -> None:
    found = [*in_lanes(lambda _: threading.current_thread(), range(2), 1)]
    assert found == [threading.current_thread()] * 2


@pytest.mark.parametrize("count", [1, 3])
def test_what_fails_is_raised_in_its_place_and_no_more_is_asked(count: int) -> None:
    begun, after = [], threading.Event()

    def ask(item: int) -> int:
        begun.append(item)
        if item == 2:
            raise CannotJudge("two")
        assert item < 2 or after.wait(60)
        return item

    found = in_lanes(ask, range(100), count)
    answered: list[int] = []
    try:
        with pytest.raises(CannotJudge, match="two"):
            answered.extend(found)
    finally:
        after.set()
    assert answered == [0, 1]
    assert max(begun) <= 2 + count


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnx", reason="needs mt-gate[export]")
    return save_checkpoint(tmp_path_factory.mktemp("tagger"), maskless_tagger())


def test_answers_and_margins_are_the_same_by_any_number_of_threads(folder: Path) -> None:
    """To the last bit: what a batch comes to does not depend on what is asked beside it."""
    found = []
    for threads in (1, 2, 3, MOST + 3):
        system = OnnxSystem(folder, "ner", "cpu", asked=CheckpointOptions(threads=threads))
        assert system.head.runtime.threads == threads
        assert system.lanes == min(threads, MOST)
        found.append(dict(pair for batch in system.predict(INPUTS) for pair in batch))
    assert found[0].keys() == set(range(len(INPUTS)))
    assert all(other == found[0] for other in found)


def test_a_gpu_is_asked_one_batch_after_the_other(folder: Path) -> None:
    system = OnnxSystem(folder, "ner", "cpu", asked=CheckpointOptions(threads=4))
    assert system.lanes == 4
    system.session.device = "cuda"
    assert system.lanes == 1


def test_where_a_gpu_may_compute_all_threads_are_its_session_s(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CPU against which its noise is measured, too."""
    monkeypatch.setattr("mt_gate.sut.onnx.has_cuda", lambda: True)
    asked = CheckpointOptions(threads=4)
    assert OnnxSystem(folder, "ner", "auto", asked=asked).session.threads == 4
    on_cpu = OnnxSystem(folder, "ner", "cpu", asked=asked)
    assert (on_cpu.session.threads, on_cpu.lanes) == (1, 4)
