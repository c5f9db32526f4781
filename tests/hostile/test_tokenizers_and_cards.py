"""Tokenizers, vocabularies and cards that a stranger made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.running import Case
from hostile.tokenizers_and_cards import CASES


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_tokenizer_or_card(case: Case, attack: Callable) -> None:
    attack(case)
