"""What to do now is said for every verdict, and names what is there."""

from __future__ import annotations

import msgspec
import pytest

from mt_gate.reporting.words.advice import advice
from mt_gate.results.result import GateVerdict
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
