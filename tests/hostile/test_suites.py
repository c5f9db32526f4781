"""Suites that a stranger made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.running import Case
from hostile.suites import CASES


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_suite(case: Case, attack: Callable) -> None:
    attack(case)
