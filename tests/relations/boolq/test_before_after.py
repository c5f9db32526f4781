"""The answer to the follow-up is a no after a yes."""

from __future__ import annotations

import pytest

from making_answers import judged
from mt_gate.relations.boolq.before_after import RELATION


@pytest.mark.parametrize(
    ("source", "follow_up", "verdict"),
    [
        ("yes", "no", "satisfied"),
        ("yes", "yes", "violated"),
        ("no", "no", "not-applicable"),
        ("no", "yes", "not-applicable"),
    ],
)
def test_the_follow_up_is_a_no_after_a_yes(source: str, follow_up: str, verdict: str) -> None:
    assert judged(RELATION, source, follow_up).verdict == verdict
