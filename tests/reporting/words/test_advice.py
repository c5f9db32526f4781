"""What to do now is said for every verdict, and names what is there."""

from __future__ import annotations

import msgspec
import pytest

from mt_gate.reporting.words.advice import advice
from mt_gate.reporting.words.texts import sentence
from mt_gate.reporting.writers import junit_xml
from mt_gate.results.result import EarlyStop, GateVerdict
from reporting import made_up
from reporting.judging import judged

HELD = "s" * 400


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (GateVerdict.REGRESSION, 'baseline record RUN --name {name} --accept "reason"'),
        (GateVerdict.COLLAPSE, "labels or tokenizer may be exported wrongly"),
        (GateVerdict.INCONCLUSIVE, "read the groups of what is named"),
        (GateVerdict.PASS, "If a loss of less than 3.1 pp matters to you, record several runs"),
        (GateVerdict.IMPROVED, "mt-gate baseline record RUN --name {name}"),
        (GateVerdict.MEASURED, "mt-gate baseline record RUN --name ner"),
    ],
)
def test_every_verdict_says_what_to_do(verdict: GateVerdict, words: str) -> None:
    result = made_up.result(verdict)
    name = result.baseline.name if result.baseline else ""
    assert words.format(name=name) in " ".join(advice(result))


@pytest.mark.parametrize(
    "verdict", [GateVerdict.REGRESSION, GateVerdict.COLLAPSE, GateVerdict.IMPROVED]
)
def test_a_run_that_stopped_early_is_not_recorded(verdict: GateVerdict) -> None:
    result = made_up.result(verdict)
    early = EarlyStop(look=2, looks=10, asked=20, clusters=100)
    told = advice(msgspec.structs.replace(result, early=early))
    assert "run it again without --early-stop" in told.words
    whole = msgspec.structs.replace(early, look=10, asked=100)
    assert advice(msgspec.structs.replace(result, early=whole)) == advice(result)


def test_where_the_reasons_say_it_nothing_is_added() -> None:
    assert advice(made_up.result(GateVerdict.CANNOT_JUDGE)) == ("", "")


def test_a_checkpoint_held_against_itself_needs_no_larger_suite() -> None:
    result = judged({"r": HELD}, {"r": HELD})
    assert "larger suite" in advice(result).words
    compared = result.overall.comparison
    assert compared is not None
    same = msgspec.structs.replace(compared, unchanged=True)
    overall = msgspec.structs.replace(result.overall, comparison=same)
    told = advice(msgspec.structs.replace(result, overall=overall))
    assert told == ("Nothing stands against a release.", "")


@pytest.mark.parametrize(
    ("more", "missed"),
    [
        ({"minimum_detectable_effect": 0.88}, "Over all relations even a rise to 100 % could have"),
        ({"delta": 0.04, "ci95": (0.01, 0.07)}, "A loss of 4.0 pp over all relations could have"),
    ],
)
def test_a_loss_that_would_pass_is_not_called_detectable(
    more: dict[str, object], missed: str
) -> None:
    result = made_up.result(GateVerdict.PASS)
    pooled = result.overall.comparison
    assert pooled is not None
    result = msgspec.structs.replace(
        result,
        overall=msgspec.structs.replace(
            result.overall, comparison=msgspec.structs.replace(pooled, **more)
        ),
    )
    said = sentence(result, made_up.CATALOGUE)
    assert f"{missed} been missed." in said
    assert "4 times in 5" not in said
    assert "To find losses that could have been missed" in advice(result).words
    rows = made_up.again(made_up.rows())
    assert "minimum detectable effect n/a" in junit_xml.junit(result, rows, made_up.CATALOGUE)
