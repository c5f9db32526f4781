"""What decisions rest on, told from the figures of decisions that the gate itself made."""

from __future__ import annotations

import pytest

from mt_gate.reporting.words.grounds import Ground, ground, risen
from mt_gate.results.result import Decision
from reporting.judging import judged

HELD = "s" * 100
RISEN = "v" * 7 + "s" * 93
NOISY = "V" + "v" * 5 + "s" * 94
"""Five of the six rises are stable, too few for a regression: adjusted p 2 * 2**-5."""
UNSTABLE = "V" * 3 + "v" * 4 + "s" * 93
"""More of it unstable than noise may excuse (``MOST_EXCUSED``)."""
STILL = "v" * 20 + "s" * 80


@pytest.mark.parametrize(
    ("candidate", "baseline", "settings", "expected"),
    [
        (RISEN, HELD, {}, Ground.RISE),
        (RISEN, HELD, {"must_hold": ("r:0",)}, Ground.RISE),
        ("v" * 5 + "s" * 95, HELD, {}, Ground.MANY),
        ("v" * 5 + "s" * 95, HELD, {"strict": True}, Ground.MANY),
        (NOISY, HELD, {}, Ground.NOISE),
        (NOISY, HELD, {"strict": True}, Ground.NOISE),
        ("V" * 2 + "v" * 5 + "s" * 93, HELD, {}, Ground.NOISE),
        (UNSTABLE, HELD, {}, Ground.RISE),
        (UNSTABLE, HELD, {"strict": True}, Ground.RISE),
        (STILL, STILL, {"strict": True}, Ground.STRICT),
        (HELD, RISEN, {"strict": True, "margin": 0.0}, None),
        ("s" * 5, "s" * 5, {"strict": True}, Ground.STRICT),
        (STILL, STILL, {"must_hold": ("r:0",)}, Ground.RULE),
        (HELD, HELD, {"must_hold": ("r:0",)}, None),
        ("n" + "s" * 99, HELD, {"must_hold": ("r:0",)}, Ground.RULE),
        (STILL, STILL, {"max_violation_rate": {"*": 0.1}}, Ground.RULE),
        (RISEN, HELD, {"margin": 0.2, "must_hold": ("r:0",)}, Ground.RULE),
        ("n" * 40 + "s" * 60, HELD, {}, Ground.FALL),
        (HELD, STILL, {}, None),
        (STILL, STILL, {}, None),
    ],
)
def test_what_a_decision_rests_on(
    candidate: str, baseline: str, settings: dict[str, object], expected: Ground | None
) -> None:
    result = judged({"r": candidate}, {"r": baseline}, **settings)
    comparison = result.relations[0].comparison
    assert comparison is not None
    assert ground(comparison, result.settings) is expected
    assert risen(comparison, result.settings) == (expected in (Ground.RISE, Ground.NOISE))
    silent = comparison.decision in (Decision.PASS, Decision.IMPROVED, Decision.NOT_COMPARABLE)
    assert silent == (expected is None)
