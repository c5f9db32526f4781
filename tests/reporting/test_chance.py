from __future__ import annotations

import msgspec
import pytest

from mt_gate.reporting.chance import chance
from mt_gate.result import Decision, GateVerdict, Result
from reporting import made_up


def with_p(verdict: GateVerdict, p: float) -> Result:
    result = made_up.result(verdict)
    decision = Decision(verdict.value)
    first = msgspec.structs.replace(
        result.relations[0],
        comparison=made_up.comparison(decision, 0.05, p_adjusted=p, p_value=p / 2),
    )
    overall = msgspec.structs.replace(result.overall, comparison=None)
    return msgspec.structs.replace(result, relations=(first,), overall=overall)


def test_a_regression_is_hardly_chance() -> None:
    assert chance(with_p(GateVerdict.REGRESSION, 0.016)) == (
        "Hardly chance: had nothing got worse, a rise this large would turn up in 1.6 % of runs "
        "(adjusted p 0.016, alpha 0.05)."
    )
    assert "fewer than 1 of 1,000 runs" in chance(with_p(GateVerdict.REGRESSION, 0.0002))


def test_an_inconclusive_run_may_be_chance() -> None:
    assert chance(with_p(GateVerdict.INCONCLUSIVE, 0.084)).startswith("It may be chance: ")


def test_a_limit_that_does_not_hold_claims_no_evidence() -> None:
    assert chance(with_p(GateVerdict.REGRESSION, 0.3)).startswith("It may be chance: ")


@pytest.mark.parametrize("verdict", [GateVerdict.PASS, GateVerdict.MEASURED, GateVerdict.IMPROVED])
def test_other_verdicts_say_nothing_of_it(verdict: GateVerdict) -> None:
    assert chance(made_up.result(verdict)) == ""
