from __future__ import annotations

from history.making import anchor, history
from mt_gate.history import page, words
from mt_gate.history.page import render
from mt_gate.history.records import Rerecorded, SuiteHistory
from reporting import made_up


def suite() -> SuiteHistory:
    return history().suites[0]


def test_a_panel_for_all_the_anchor_and_each_relation() -> None:
    drawn = page.drawn_suite(suite(), True, made_up.CATALOGUE)
    titles = [text.title for text in made_up.CATALOGUE.values()]
    assert [panel.title for panel in drawn.panels] == [
        "All relations", "Distance to the anchor", *titles, "own/relation"
    ]  # fmt: skip
    assert drawn.panels[0].description == (
        "5 runs; first 12.0 % (10.0 % to 14.0 %); last 16.0 % (14.0 % to 18.0 %)"
    )
    assert drawn.panels[1].last == "+3.2 pp"
    assert drawn.panels[1].description.startswith("5 runs; first no anchor; last +3.2 pp [")
    assert [len(panel.panel.marks) for panel in drawn.panels] == [5, 4, 5, 4, 5, 5, 5]


def test_marks_have_the_verdict_of_the_run_or_the_decision_of_the_relation() -> None:
    drawn = page.drawn_suite(suite(), True, made_up.CATALOGUE)
    tones = [mark.tone for mark in drawn.panels[0].panel.marks]
    assert tones == ["measured", "pass", "inconclusive", "regression", "improved"]
    assert {mark.tone for mark in drawn.panels[2].panel.marks} == {"pass"}


def test_a_line_joins_runs_of_one_anchor_alone() -> None:
    of = suite()
    other = anchor(0.1)
    runs = [*of.runs]
    runs[3] = runs[3]._replace(anchor=type(other)(**{
        name: "later" if name == "recorded" else getattr(other, name)
        for name in other.__struct_fields__
    }))  # fmt: skip
    drawn = page.drawn_suite(of._replace(runs=tuple(runs)), True, made_up.CATALOGUE)
    assert len(drawn.panels[1].panel.lines) == 1


def test_without_an_anchor_there_is_no_panel_of_it() -> None:
    drawn = page.drawn_suite(history().suites[1], True, made_up.CATALOGUE)
    assert [panel.title for panel in drawn.panels] == ["All relations", "Token replacement"]
    assert drawn.last == ""


def test_a_recording_stands_between_two_runs() -> None:
    drawn = page.drawn_suite(suite(), False, made_up.CATALOGUE)
    assert drawn.changes == (38.5, 61.5, 84.5)


def test_the_page_says_what_was_not_read_and_why_baselines_were_recorded() -> None:
    text = render(history(), made_up.CATALOGUE)
    assert "runs/broken/result.json: not as expected" in text
    assert "Recorded again:</strong> why" in text
    assert "Recorded again:</strong> no reason was needed" in text or "reason not known" in text
    assert "<script" not in text


def test_words() -> None:
    assert words.moment("2026-01-02T03:04:05Z") == "2026-01-02 03:04"
    assert words.moment("2026-01-02T03:04:05+00:00") == "2026-01-02 03:04"
    assert words.moment("<b>") == "<b>"
    assert words.reason_text(Rerecorded("a", "b", "")) == "no reason was needed"
    assert words.reason_text(Rerecorded("a", "b", "why")) == "why"
    assert "--baselines" in words.reason_text(Rerecorded("a", "b"))
    assert words.verdicts(suite()).count(", ") == 4
    assert words.span(suite()) == "2026-01-01 to 2026-01-30"
    assert words.span(history().suites[1]) == "2026-01-01"
    assert words.distance(anchor(None)) == "n/a"


def test_runs_of_one_day_are_told_apart_by_the_hour() -> None:
    of = suite()
    hours = tuple(
        run._replace(created=f"2026-01-01T0{number}:30:00+00:00")
        for number, run in enumerate(of.runs)
    )
    drawn = page.drawn_suite(of._replace(runs=hours), True, made_up.CATALOGUE)
    assert (drawn.first, drawn.last) == ("2026-01-01 00:30", "2026-01-01 04:30")
    days = page.drawn_suite(of, True, made_up.CATALOGUE)
    assert (days.first, days.last) == ("2026-01-01", "2026-01-30")
