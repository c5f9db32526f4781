from __future__ import annotations

from history.making import anchor, history
from mt_gate.history.runs import TIME, SuiteHistory
from mt_gate.history.views import draw_suite
from reporting import made_up


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
