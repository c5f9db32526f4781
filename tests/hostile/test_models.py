"""Models that a stranger made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.models import CASES
from hostile.running import Case


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_model(case: Case, attack: Callable) -> None:
    attack(case)
