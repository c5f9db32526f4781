"""Whatever becomes of a file, a regression does not become a pass.

A part of ``benchmarks/mutate_files.py``, which runs longer, and has the fields that are exempt.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mt_gate import gate
from mt_gate.baselines import anchoring
from mt_gate.judging import permutation
from mt_gate.judging.comparison import Outcome, compare
from mutate_files import KINDS, World, fault, judged, made

SHARES = {
    "baseline": 5500,
    "baseline sealed": 3500,
    "result": 4500,
    "result sealed": 3000,
    "rows": 2000,
    "rows sealed": 1500,
    "settings": 2000,
}
AT_ONCE = 500


def comparing_each_once() -> Callable[..., Outcome]:
    """Return ``compare``, which is given the same by all mutations of what it does not look at."""
    known: dict[bytes, Outcome] = {}

    def compared(*given: Any) -> Outcome:
        key = pickle.dumps(given)
        if key not in known:
            known[key] = compare(*given)
        return known[key]

    return compared


@pytest.fixture(scope="module", autouse=True)
def _less_to_compute() -> Iterator[None]:
    """Files are what is mutated: what is computed of equal ones is computed once."""
    comparing = comparing_each_once()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "compare", comparing)
        patch.setattr(anchoring, "compare", comparing)
        # A regression as sure as this one needs no more permutations.
        patch.setattr(permutation, "DRAWS", 500)
        yield


def test_there_are_enough_of_every_kind() -> None:
    assert set(SHARES) == set(KINDS)
    assert sum(SHARES.values()) >= 20_000


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return made(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize(
    ("kind", "seed"),
    [(kind, seed) for kind, count in SHARES.items() for seed in range(count // AT_ONCE)],
)
def test_no_mutation_turns_a_regression_into_a_pass(kind: str, seed: int, world: World) -> None:
    found = [*judged(world, kind, AT_ONCE, seed)]
    assert len(found) == AT_ONCE
    assert [told for item in found if (told := fault(kind, item))] == []
