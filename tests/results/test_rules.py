from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from judging.made import DEFAULTS
from mt_gate.judging.family import LOOKS, share_predicted
from mt_gate.judging.findings import judge_limits
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.reporting.words.texts import signature
from mt_gate.results import rules
from mt_gate.results.result import OwnFlips, Rule, Runtime, runtime_text, short_fingerprint
from reporting import made_up

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
    pooled = rules.make_pool_settings(part, {})
    assert pooled.max_applicability_loss == pytest.approx(limit / share / 2)
    again = rules.at_part(pooled, 1 / share)
    assert again.max_applicability_loss == pytest.approx(limit / 2)


@given(st.integers(0, 1000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_rate_at_its_limit_is_not_over_it(counts: tuple[int, int]) -> None:
    violated, applicable = counts
    if applicable:
        assert not is_over(violated, applicable, violated / applicable)
        assert is_over(violated, applicable, (violated - 1) / applicable)
    assert not is_over(29, 100, 0.29)
    assert is_over(30, 100, 0.29)


def is_over(violated: int, applicable: int, limit: float) -> bool:
    ids = [*map(str, range(applicable))]
    verdicts = RelationVerdicts(
        id="r", violated=frozenset(ids[:violated]), satisfied=frozenset(ids[violated:])
    )
    settings = msgspec.structs.replace(DEFAULTS, max_violation_rate={"r": limit})
    return bool([*judge_limits(verdicts, settings)])


EMPTY = {"provider": "", "precision": "", "device": "", "onnxruntime": "", "cpu": ""}
ONNX = Runtime(
    provider="CPUExecutionProvider", precision="int8", device="cpu", onnxruntime="1.31", cpu="EPYC"
)


@pytest.mark.parametrize(
    ("fingerprint", "shown"), table(__file__, "hashes_are_cut_and_names_are_not")
)
def test_hashes_are_cut_and_names_are_not(fingerprint: str, shown: str) -> None:
    assert short_fingerprint(fingerprint, 8) == shown


def shown_in_signature(runtime: Runtime) -> str:
    result = made_up.tiered()
    checkpoint = msgspec.structs.replace(result.checkpoint, runtime=runtime)
    return signature(msgspec.structs.replace(result, checkpoint=checkpoint)).split("|")[3]


def test_a_checkpoint() -> None:
    assert runtime_text(ONNX) == "ONNX Runtime 1.31, CPUExecutionProvider, int8, on cpu (EPYC)"
    assert shown_in_signature(ONNX) == "cpu int8 ort1.31"


@pytest.mark.parametrize(
    ("parts", "text", "short"), table(__file__, "other_systems_say_what_they_have")
)
def test_other_systems_say_what_they_have(parts: dict, text: str, short: str) -> None:
    runtime = Runtime(**{**EMPTY, **parts})
    assert runtime_text(runtime) == text
    assert shown_in_signature(runtime) == short


@pytest.mark.parametrize(
    ("now", "before", "allowed"),
    [
        (None, None, 0.0),
        ((0.0, 1 / 64), (0.0, 1 / 64), 1 / 64),
        ((0.05, 0.12), (0.0, 1 / 64), 0.12),
        ((0.05, 0.12), None, 0.12),
        ((0.05, 0.12), (0.05, 0.12), 0.07),
        ((0.0, 1 / 64), (0.05, 0.12), 0.0),
        (None, (0.05, 0.12), 0.0),
    ],
)
def test_a_model_s_own_flips_are_no_regression(
    now: tuple[float, float] | None, before: tuple[float, float] | None, allowed: float
) -> None:
    one, other = (
        msgspec.structs.replace(DEFAULTS, flips=OwnFlips(*flips)) if flips else DEFAULTS
        for flips in (now, before)
    )
    settings = rules.with_allowed_flips(one, other)
    paired = rules.Paired(100, 0.2)
    assert rules.allowed_rise(settings, "r", paired) == pytest.approx(DEFAULTS.margin + allowed)
