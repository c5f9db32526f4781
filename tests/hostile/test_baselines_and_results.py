"""Baselines and results that a stranger made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.baselines_and_results import CASES
from hostile.running import Case


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_baseline_or_result(case: Case, attack: Callable) -> None:
    attack(case)
