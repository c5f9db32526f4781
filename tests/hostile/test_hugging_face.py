"""Hugging Face folders that a stranger made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.hugging_face import CASES
from hostile.running import Case


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_folder(case: Case, attack: Callable) -> None:
    attack(case)
