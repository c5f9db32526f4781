"""The answer to the follow-up is the same."""

from __future__ import annotations

import pytest

from making_answers import judged
from mt_gate.relations.boolq.synonym_adjective import RELATION


@pytest.mark.parametrize(
    ("source", "follow_up", "verdict"),
    [
        ("yes", "yes", "satisfied"),
        ("no", "no", "satisfied"),
        ("yes", "no", "violated"),
        ("no", "yes", "violated"),
    ],
)
def test_the_follow_up_is_the_same(source: str, follow_up: str, verdict: str) -> None:
    assert judged(RELATION, source, follow_up).verdict == verdict
