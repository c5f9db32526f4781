"""Kinds of edit in the reports, and in results of older releases that tell none."""

from __future__ import annotations

import io
import json

import msgspec
import pytest

from mt_gate.reporting.words.strata import strata_lines, stratum_in_words
from mt_gate.reporting.writers import html, junit_xml, terminal
from mt_gate.reporting.writers.markdown import summary
from mt_gate.results.result import GateVerdict, Result, Stratum
from reporting import made_up, made_up_re
from reporting.hostile import PAYLOAD

ROWS = made_up_re.rows(None)
FREQUENT = Stratum(groups=40, applicable=30, violated=3, violation_rate=0.1, ci95=(0.021, 0.187))
RARE = Stratum(groups=40, applicable=0, violated=0)


def result(verdict: GateVerdict = GateVerdict.MEASURED, **strata: Stratum) -> Result:
    clean = made_up_re.result(ROWS, verdict)
    first = msgspec.structs.replace(clean.relations[0], strata=strata)
    others = [msgspec.structs.replace(item, strata={}) for item in clean.relations[1:]]
    return msgspec.structs.replace(clean, relations=(first, *others))


def texts(found: Result) -> dict[str, str]:
    rows, out = made_up.again(ROWS), io.StringIO()
    terminal.show(found, made_up_re.CATALOGUE, out)
    return {
        "html": html.report(found, rows, made_up_re.CATALOGUE),
        "markdown": summary(found, rows, made_up_re.CATALOGUE),
        "junit": junit_xml.junit(found, rows, made_up_re.CATALOGUE),
        "terminal": out.getvalue(),
    }


@pytest.mark.parametrize("verdict", [GateVerdict.MEASURED, GateVerdict.REGRESSION])
def test_rates_stand_apart_in_every_report(verdict: GateVerdict) -> None:
    found = texts(result(verdict, frequent=FREQUENT, rare=RARE))
    title = made_up_re.CATALOGUE["re/same-type"].title
    row = f"| {title} | frequent replacement | 3 of 30 | 10.0 % | 2.1 % to 18.7 % |"
    assert row in found["markdown"]
    assert f"| {title} | rare replacement | 0 of 0 | n/a | n/a |" in found["markdown"]
    words = "3 of 30 applicable groups violated (10.0 %, 95 % interval 2.1 % to 18.7 %)"
    assert f"frequent replacement: {words}" in found["junit"]
    assert "Violation rates by kind of edit" in found["html"]
    assert "<td><strong>10.0 %</strong></td><td>2.1 % to 18.7 %</td>" in found["html"]
    for text in found.values():
        assert "2.1 % to 18.7 %" in text
        assert "n/a" in text


def test_nothing_is_said_where_there_are_none() -> None:
    found = texts(result())
    # The page's filter offers kinds of edit: they are the rows', and those have some.
    assert "by kind of edit" not in found.pop("html")
    for name, text in found.items():
        assert "kind of edit" not in text.lower(), name


def test_a_result_of_an_older_release_has_none() -> None:
    stored = json.loads(msgspec.json.encode(result(frequent=FREQUENT)))
    assert [bool(item.get("strata")) for item in stored["relations"]][:2] == [True, False]
    for item in stored["relations"]:
        item.pop("strata", None)
    assert texts(msgspec.convert(stored, Result)) == texts(result())


def test_a_result_comes_back_from_its_file() -> None:
    whole = result(frequent=FREQUENT, rare=RARE)
    assert msgspec.json.decode(msgspec.json.encode(whole), type=Result) == whole


def test_names_are_bounded_and_escaped() -> None:
    strata = {f"{number}{PAYLOAD}": FREQUENT for number in range(900)}
    found = result(**strata)
    assert len(strata_lines(found, made_up_re.CATALOGUE)) < 30
    assert len(stratum_in_words(PAYLOAD)) <= 40
    shown = texts(found)
    assert "<script>document" not in shown["html"] + shown["markdown"]
    assert "::error" not in shown["terminal"]


def test_odd_figures_are_shown_as_undefined() -> None:
    odd = Stratum(
        groups=1, applicable=1, violated=1, violation_rate=float("nan"), ci95=(float("inf"), 0)
    )
    for text in texts(result(frequent=odd)).values():
        assert "n/a" in text
