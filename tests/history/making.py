"""A history in which all that may be there is there: no checkpoint ever said any of this."""

from __future__ import annotations

import msgspec

from mt_gate.history.runs import TIME, History, PastRate, PastRun, Rerecorded, SuiteHistory
from mt_gate.results.result import AgainstAnchor, ComparisonFigures, Decision, GateVerdict
from reporting import made_up

DAYS = ("01", "03", "04", "09", "30")
VERDICTS = (
    GateVerdict.MEASURED,
    GateVerdict.PASS,
    GateVerdict.INCONCLUSIVE,
    GateVerdict.REGRESSION,
    GateVerdict.IMPROVED,
)


def anchor(delta: float | None, verdict: GateVerdict = GateVerdict.PASS) -> AgainstAnchor:
    """Return a run against its anchor."""
    figures = ComparisonFigures(
        pairs=400,
        clusters=200,
        new_violations=30,
        fixed_violations=9,
        delta=delta,
        ci95=None if delta is None else (delta - 0.01, delta + 0.01),
        p_value=None,
        p_adjusted=None,
        minimum_detectable_effect=None,
    )
    return AgainstAnchor(
        name="ner", recorded="2025-12-01T08:00:00Z", figures=figures, verdict=verdict, sentence="s"
    )


def rate(name: str, value: float | None, decision: Decision | None = Decision.PASS) -> PastRate:
    """Return a rate whose interval reaches two points to both sides."""
    known = value is not None
    return PastRate(
        name,
        200,
        100 if known else 0,
        round(100 * value) if value is not None else 0,
        value,
        (value - 0.02, value + 0.02) if value is not None else None,
        decision,
        0.004 if decision else None,
        (-0.01, 0.018) if decision else None,
        decision.value if decision else "measured",
    )


def runs(names: tuple[str, ...]) -> tuple[PastRun, ...]:
    """Return five runs, of each kind of verdict."""
    whole = made_up.result()
    past = []
    for number, (day, verdict) in enumerate(zip(DAYS, VERDICTS, strict=True)):
        compared = verdict is not GateVerdict.MEASURED
        decision = Decision.REGRESSION if verdict is GateVerdict.REGRESSION else Decision.PASS
        rates = [
            rate(name, None if number == 2 and at == 1 else 0.1 + 0.01 * number + 0.05 * at)
            for at, name in enumerate(names)
        ]
        overall = rate("", 0.12 + 0.01 * number, decision if compared else None)
        past.append(
            PastRun(
                f"2026-01-{day}-3f2a9c{number}",
                f"{number:032x}",
                f"2026-01-{day}T12:00:00+00:00",
                whole.checkpoint,
                verdict,
                0.01,
                (*rates, overall),
                whole.baseline if compared else None,
                Rerecorded("ner", "2026-01-02T00:00:00Z", (None, "", "why")[number % 3])
                if number > 1
                else None,
                anchor(0.008 * number, verdict) if number else None,
            )
        )
    return tuple(past)


def history() -> History:
    """Return a history of two suites, with results that could not be read."""
    whole = made_up.result()
    other = msgspec.structs.replace(whole.suite, sha256="0" * 64)
    names = (*made_up.CATALOGUE, "own/relation")
    return History(
        (
            SuiteHistory(whole.suite, runs(names), names),
            SuiteHistory(other, runs(names[:1])[:1], names[:1]),
        ),
        TIME,
        ("runs/broken/result.json is not as expected",),
        ("a note",),
    )
