"""Models that would take all time, or all memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.models import SIZE
from hostile.running import Case


@pytest.mark.parametrize("case", SIZE, ids=[case.id for case in SIZE])
def test_model(case: Case, attack: Callable) -> None:
    attack(case)
