"""Each operator changes what it says, no more, and the same way each time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from conftest import Answer
from mt_gate.base.errors import UsageError
from mt_gate.mutating.operators import Mutation, Neurons, Operator, mutated, mutation


def layer(neurons: int, inputs: int, biases: int = 1) -> Neurons:
    """Return neurons that are all unlike, and nowhere 0."""
    weights = np.arange(1, neurons * inputs + 1, dtype=np.float32).reshape(neurons, inputs)
    return Neurons(
        weights, -np.arange(1, neurons * biases + 1, dtype=np.float32).reshape(neurons, -1)
    )


def moved(before: Neurons, after: Neurons) -> np.ndarray:
    """Return the indices of the neurons that are not what they were."""
    changed = np.any(before.weights != after.weights, axis=1)
    return np.flatnonzero(changed | np.any(before.biases != after.biases, axis=1))


@given(
    st.sampled_from(Operator),
    st.integers(2, 40),
    st.integers(2, 6),
    st.floats(0.001, 1),
    st.integers(0, 2**32 - 1),
)
def test_the_share_of_neurons_is_the_ratio_and_one_at_least(
    operator: Operator, neurons: int, inputs: int, ratio: float, seed: int
) -> None:
    before = layer(neurons, inputs)
    (after,) = mutated([before], Mutation(operator=operator, ratio=ratio, seed=seed))
    number = max(1, round(ratio * neurons))
    if operator is Operator.NEURON_SWITCH:
        number = min(number + number % 2, neurons - neurons % 2)
    actual = moved(before, after)
    if operator is Operator.WEIGHT_SHUFFLE:  # a shuffle may leave all where it was
        assert len(actual) <= number
    else:
        assert len(actual) == number


@given(st.sampled_from(Operator), st.integers(0, 2**32 - 1))
def test_the_same_seed_makes_the_same_mutant(operator: Operator, seed: int) -> None:
    wanted = Mutation(operator=operator, ratio=0.3, seed=seed)
    first, second = (mutated([layer(20, 8), layer(10, 4)], wanted) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert one.weights.tobytes() == other.weights.tobytes()
        assert one.biases.tobytes() == other.biases.tobytes()


def test_another_seed_makes_another_mutant_and_layers_draw_independently() -> None:
    before = layer(50, 8)
    takes = [
        moved(before, item).tolist()
        for seed in (1, 2)
        for item in mutated(
            [before, before], Mutation(operator=Operator.NEURON_BLOCK, ratio=0.2, seed=seed)
        )
    ]
    assert len({tuple(item) for item in takes}) == 4


def test_noise_has_the_chosen_spread() -> None:
    before = layer(400, 250)
    wanted = Mutation(operator=Operator.GAUSSIAN_FUZZ, ratio=1, seed=7, sd=0.25)
    zeros = Neurons(np.zeros_like(before.weights), before.biases)
    (after,) = mutated([zeros], wanted)
    assert after.weights.std() == pytest.approx(0.25, rel=0.02)
    assert after.weights.mean() == pytest.approx(0, abs=0.01)
    assert np.array_equal(after.biases, before.biases)


@given(st.integers(0, 2**32 - 1))
def test_a_shuffle_keeps_each_neurons_weights(seed: int) -> None:
    before = layer(12, 9)
    (after,) = mutated([before], Mutation(operator=Operator.WEIGHT_SHUFFLE, ratio=0.5, seed=seed))
    assert np.array_equal(np.sort(after.weights, axis=1), before.weights)
    assert np.array_equal(after.biases, before.biases)


@given(st.integers(0, 2**32 - 1))
def test_a_blocked_neuron_says_nothing(seed: int) -> None:
    before = layer(12, 9, biases=2)
    (after,) = mutated([before], Mutation(operator=Operator.NEURON_BLOCK, ratio=0.5, seed=seed))
    blocked = moved(before, after)
    assert not after.weights[blocked].any()
    assert not after.biases[blocked].any()


@given(st.integers(0, 2**32 - 1))
def test_switched_neurons_change_places_whole(seed: int) -> None:
    before = layer(13, 9, biases=2)
    (after,) = mutated([before], Mutation(operator=Operator.NEURON_SWITCH, ratio=0.5, seed=seed))
    rows = {tuple(row): at for at, row in enumerate(before.weights.tolist())}
    came_from = [rows[tuple(row)] for row in after.weights.tolist()]
    assert [came_from[at] for at in came_from] == list(range(13))
    assert np.array_equal(after.biases, before.biases[came_from])


def test_the_originals_are_left_alone() -> None:
    before = layer(10, 5)
    original = before.weights.copy()
    for operator in Operator:
        mutated([before], Mutation(operator=operator, ratio=1, seed=1))
    assert np.array_equal(before.weights, original)


@pytest.mark.parametrize(("arguments", "expected"), table(__file__, "bad_arguments_are_refused"))
def test_bad_arguments_are_refused(arguments: tuple, expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        mutation(*arguments)


def test_a_taken_folder_is_left_alone(
    command: Callable[..., Answer], hugging_face: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine").write_text("mine")
    done = command("mutate", hugging_face, "--operator", "neuron-block", "--out", taken)
    assert done.code == 2
    assert "is not an empty folder" in done.err
    assert [path.name for path in taken.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_what_is_no_checkpoint_is_refused(
    command: Callable[..., Answer], tmp_path: Path, name: str
) -> None:
    (tmp_path / "empty").mkdir()
    done = command("mutate", tmp_path / name, "--operator", "neuron-block", "--out", "out")
    assert done.code == (2 if name == "nowhere" else 3)
    assert "Expected a Hugging Face folder" in done.err
