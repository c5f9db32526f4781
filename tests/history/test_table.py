"""``mt-gate compare`` of many results, on small, real runs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import check_refused
from history.making import anchor, history
from making import SENTENCES, make_suite
from mt_gate.base.errors import PASS, USAGE
from mt_gate.history.runs import TIME, History, SuiteHistory
from mt_gate.history.views import COLUMNS, csv_table, draw_suite
from mt_gate.judging.clustered import rates
from mt_gate.results.store import read_result, read_rows
from reporting import made_up
from reporting.xss_corpus import NAMES, PAYLOADS

FORMULAS = [
    "=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", "\u200b=1",
    "\ufeff=1", "＝1", "“=1", '"=1', "'=1", ";=1", "|x", "%0a=1", "\x00=1", "−1", "﹦1",
]  # fmt: skip


def parsed(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text, newline=""))]


def named(text: str) -> History:
    """Return a history in which a stranger chose every text."""
    whole = history()
    suites = []
    for of in whole.suites:
        runs = tuple(
            run._replace(
                place=text, checkpoint=type(run.checkpoint)(name=text, fingerprint=text,
                                                            runtime=run.checkpoint.runtime),
                rerecorded=run.rerecorded and run.rerecorded._replace(reason=text),
            )
            for run in of.runs
        )  # fmt: skip
        suites.append(of._replace(runs=runs))
    return whole._replace(suites=tuple(suites))


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet computes a cell: its sign may stand behind what cannot be seen."""
    bare = re.sub(r"^[\s\x00-\x1f\u200b\ufeff\"“;]+", "", cell)
    return bare[:1] in tuple("=+-@|%＝＋－＠﹢﹣﹦−\t\r")


@given(st.text(min_size=1, max_size=40) | st.sampled_from(FORMULAS))
@example('=HYPERLINK("https://example.org")')
def test_no_text_is_a_formula(text: str) -> None:
    actual = parsed(csv_table(named(text)))
    assert len(actual) == 6 * 5 + 2
    for row in actual:
        for column in ("place", "checkpoint", "fingerprint", "reason"):
            assert not is_formula(row[column]), row[column]
            assert not re.search(r"[\x00-\x1f\x7f]", row[column])


def test_payloads_stay_in_their_cells() -> None:
    for text in (*NAMES, *(payload.text for payload in PAYLOADS)):
        actual = parsed(csv_table(named(text)))
        assert len(actual) == 6 * 5 + 2
        assert {len(row) for row in actual} == {len(COLUMNS)}
        assert not any(is_formula(row["place"]) for row in actual)


def test_numbers_stand_bare() -> None:
    rows = parsed(csv_table(history()))
    assert [*rows[0]] == [*COLUMNS]
    lows = [row["delta_low"] for row in rows]
    assert "-0.01" in lows
    assert "" in lows
    gap = next(row for row in rows if row["applicable"] == "0")
    assert (gap["violation_rate"], gap["violation_rate_low"]) == ("", "")


def suite() -> SuiteHistory:
    return history().suites[0]


def test_a_panel_for_all_the_anchor_and_each_relation() -> None:
    drawn = draw_suite(suite(), TIME, made_up.CATALOGUE)
    titles = [text.title for text in made_up.CATALOGUE.values()]
    assert [panel["title"] for panel in drawn["panels"]] == [
        "Overall", "Distance to the anchor", *titles, "own/relation"
    ]  # fmt: skip
    assert drawn["panels"][0]["description"] == (
        "5 runs; first 12.0% (10.0% to 14.0%); last 16.0% (14.0% to 18.0%)"
    )
    assert drawn["panels"][1]["last"] == "+3.2 pp"
    assert drawn["panels"][1]["description"].startswith("5 runs; first no anchor; last +3.2 pp (")
    assert [len(panel["panel"].marks) for panel in drawn["panels"]] == [5, 4, 5, 4, 5, 5, 5]


def test_marks_have_the_verdict_of_the_run_or_the_decision_of_the_relation() -> None:
    drawn = draw_suite(suite(), TIME, made_up.CATALOGUE)
    tones = [mark.tone for mark in drawn["panels"][0]["panel"].marks]
    assert tones == ["measured", "pass", "inconclusive", "regression", "improved"]
    assert {mark.tone for mark in drawn["panels"][2]["panel"].marks} == {"pass"}


def test_a_line_joins_runs_of_one_anchor_alone() -> None:
    of = suite()
    other = anchor(0.1)
    runs = [*of.runs]
    runs[3] = runs[3]._replace(anchor=type(other)(**{
        name: "later" if name == "recorded" else getattr(other, name)
        for name in other.__struct_fields__
    }))  # fmt: skip
    drawn = draw_suite(of._replace(runs=tuple(runs)), TIME, made_up.CATALOGUE)
    assert len(drawn["panels"][1]["panel"].lines) == 1


@pytest.fixture
def runs(run_gate: Callable, tmp_path: Path) -> list[Path]:
    folders = [tmp_path / "one", tmp_path / "two"]
    assert run_gate(out=folders[0]).code == PASS
    assert run_gate(out=folders[1], relations="ner/structural").code == PASS
    return folders


def test_a_table_and_clusters_of_bars(command: Callable, runs: list[Path], tmp_path: Path) -> None:
    answer = command("compare", *runs, "--out", tmp_path / "out")
    assert answer.code == PASS, answer
    result = json.loads((runs[0] / "result.json").read_text())
    page = (tmp_path / "out" / "comparison.html").read_text()
    text = (tmp_path / "out" / "comparison.md").read_text()
    for relation in result["relations"]:
        counts = f"{relation['violated']} of {relation['applicable']}"
        assert counts in page
        assert counts in text
    assert page.count('<div class="multiple">') == len(result["relations"]) + 1
    assert "B: not run" in page
    for out in (answer.out, page, text):
        assert "not run" in out
        assert "The runs do not have the same relations" in out
        assert "the same checkpoint" in out
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "<script" not in page


def test_results_of_two_suites_are_refused(
    command: Callable, run_gate: Callable, runs: list[Path], tmp_path: Path
) -> None:
    other = make_suite(tmp_path / "other", SENTENCES[60:90])
    run_gate(out=tmp_path / "three", suite=other)
    answer = command("compare", *runs, tmp_path / "three", "--out", tmp_path / "out")
    check_refused(answer, USAGE, "three", "Run both checkpoints on one suite")
    assert not (tmp_path / "out").exists()


def test_rates_are_the_result_s_with_intervals_around_them(runs: list[Path]) -> None:
    path = runs[0] / "result.json"
    result = read_result(path)
    actual = rates(result, read_rows(path, result))
    for relation in result.relations:
        rate = actual.relations[relation.id]
        assert (rate.violated, rate.applicable, rate.rate) == (
            relation.violated,
            relation.applicable,
            relation.violation_rate,
        )
        if rate.rate is not None and rate.ci95 is not None:
            assert 0 <= rate.ci95[0] <= rate.rate <= rate.ci95[1] <= 1
    assert actual.overall.violated == result.overall.violated
    nothing = msgspec.structs.replace(
        result,
        relations=tuple(
            msgspec.structs.replace(item, applicable=0, violated=0) for item in result.relations
        ),
    )
    empty = rates(nothing, [])
    assert empty.overall.rate is None
    assert empty.overall.ci95 is None
