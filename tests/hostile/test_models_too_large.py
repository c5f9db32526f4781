"""Models that would take all time, or all memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.models import CASES, SIZE
from hostile.running import Case


@pytest.mark.parametrize("case", SIZE, ids=[case.id for case in SIZE])
def test_model(case: Case, attack: Callable) -> None:
    attack(case)


def test_there_are_enough() -> None:
    assert len({case.id for case in (*CASES, *SIZE)}) == len(CASES) + len(SIZE) >= 60
