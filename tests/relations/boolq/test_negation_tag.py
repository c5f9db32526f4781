"""The answer to the follow-up is the opposite."""

from __future__ import annotations

import pytest

from making_answers import judged
from mt_gate.relations.boolq.negation_tag import RELATION


@pytest.mark.parametrize(
    ("source", "follow_up", "verdict"),
    [
        ("yes", "no", "satisfied"),
        ("no", "yes", "satisfied"),
        ("yes", "yes", "violated"),
        ("no", "no", "violated"),
    ],
)
def test_the_follow_up_is_the_opposite(source: str, follow_up: str, verdict: str) -> None:
    assert judged(RELATION, source, follow_up).verdict == verdict
