from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.made import DEFAULTS
from mt_gate.judging.family import LOOKS, share_predicted
from mt_gate.results import rules
from mt_gate.results.result import Rule

VERDICTS = Path(__file__).parents[2] / "docs" / "verdicts.md"


def test_every_rule_is_explained() -> None:
    text = VERDICTS.read_text(encoding="utf-8")
    assert [rule for rule in Rule if f"| `{rule}` |" not in text] == []


@pytest.mark.parametrize("look", range(1, LOOKS))
@pytest.mark.parametrize("limit", [0.0, 0.05, 0.5, 0.99, "share", "twice the share"])
def test_a_limit_of_the_whole_is_one_of_each_part(limit: float | str, look: int) -> None:
    """Also where it comes to exactly 1 in a part, which elsewhere says that there is none."""
    share = share_predicted(look)
    if isinstance(limit, str):
        limit = min(0.99, share * (1 + limit.startswith("twice")))
    names = ("max_applicability_loss", "max_applicability_drop")
    whole = msgspec.structs.replace(DEFAULTS, **dict.fromkeys(names, limit))
    part = rules.at_part(whole, share)
    again = rules.at_part(part, 1 / share)
    for name in names:
        assert getattr(part, name) == pytest.approx(limit / share)
        assert getattr(part, name) != 1.0
        assert getattr(again, name) == pytest.approx(limit)
    pooled = rules.of_pool(part, {})
    assert pooled.max_applicability_loss == pytest.approx(limit / share / 2)
    again = rules.at_part(pooled, 1 / share)
    assert again.max_applicability_loss == pytest.approx(limit / 2)


@given(st.integers(0, 1000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_rate_at_its_limit_is_not_over_it(counts: tuple[int, int]) -> None:
    violated, applicable = counts
    if applicable:
        assert not rules.over_limit(violated, applicable, violated / applicable)
        assert rules.over_limit(violated, applicable, (violated - 1) / applicable) is True
    assert not rules.over_limit(29, 100, 0.29)
    assert rules.over_limit(30, 100, 0.29)
