from __future__ import annotations

import re

import msgspec
import pytest

from mt_gate.domain import Block
from mt_gate.reporting.words.gathering import gather
from mt_gate.reporting.writers.markdown import (
    COMMENT_LIMIT,
    FLIPS,
    Frame,
    Passage,
    fit,
    summary,
    telling,
)
from mt_gate.results.result import AgainstAnchor, Change, ComparisonFigures, GateVerdict
from reporting import golden, hostile, made_up

ROWS = made_up.again(made_up.rows())
PLAIN = made_up.again(made_up.rows({None: 12}))


def test_golden() -> None:
    golden.check("made_up_summary.md", summary(made_up.result(), ROWS, made_up.CATALOGUE))


def test_golden_without_baseline() -> None:
    result = made_up.result(GateVerdict.MEASURED)
    golden.check("made_up_measured.md", summary(result, PLAIN, made_up.CATALOGUE))


@pytest.mark.parametrize("verdict", GateVerdict)
def test_every_verdict_has_its_words_and_signature(verdict: GateVerdict) -> None:
    text = summary(made_up.result(verdict), ROWS, made_up.CATALOGUE)
    assert text.splitlines()[0].startswith("### :")
    assert "ner-default 1 ab12cd34" in text.splitlines()[-1]


@pytest.mark.parametrize("limit", [0, 1, 40, 200, 700, 1500, 2000, 2400, COMMENT_LIMIT])
def test_the_text_is_smaller_than_its_limit(limit: int) -> None:
    text = summary(made_up.result(), ROWS, made_up.CATALOGUE, limit)
    assert len(text.encode()) <= max(limit - 1, 0)
    assert text.count("<b>") == text.count("</b>")


def test_what_is_cut_is_named() -> None:
    text = summary(made_up.result(), ROWS, made_up.CATALOGUE, 1900)
    assert "_Omitted to fit: group 0000" in text
    assert "report.html and groups.jsonl.gz" in text
    assert "the notes" not in text.partition("Omitted")[0]


def test_names_that_grow_when_they_are_escaped_cost_a_block_and_not_all() -> None:
    """A dollar sign takes fourteen bytes; cut short, the names of all blocks have none of it."""
    plain = [Passage(f"{number}" * 60, "text " * 20) for number in range(5)]
    growing = [Passage("$" * 250, "x" * 4000), Passage("$" * 250, "x" * 4000)]
    text = fit("head", [*plain, *growing], "foot", 4500)
    assert text.startswith("head\n\ntext")
    assert text.endswith("foot\n")
    assert len(text.encode()) < 4500


@pytest.mark.parametrize("limit", [300, 5000, COMMENT_LIMIT])
def test_hostile_texts_stay_below_the_limit(limit: int) -> None:
    rows = made_up.again(hostile.rows(made_up.rows()))
    text = summary(hostile.result(made_up.result()), rows, hostile.CATALOGUE, limit)
    assert len(text.encode()) < limit


def test_hostile_texts_are_no_markup() -> None:
    rows = made_up.again(hostile.rows(made_up.rows()))
    text = summary(hostile.result(made_up.result()), rows, hostile.CATALOGUE)
    ours = {"<b>", "</b>", "<ins>", "</ins>", "<sub>", "</sub>", "<br>", "<span>", "</span>"}
    assert set(re.findall(r"<[^>]*>", text)) <= {*ours, "<code>", "</code>"}
    assert not re.search(r"@\w|#\d|\]\]>|\x00|\u202e|\u2028|::", re.sub(r"&#\d+;", "", text))
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert tables
    for table in tables:
        head, *rows_of = table.splitlines()
        assert rows_of
        assert {line.count("|") for line in rows_of} == {head.count("|")}


def test_the_most_telling_flips_are_five_of_different_sources() -> None:
    result = made_up.result()
    flips = telling(result, gather(result, ROWS))
    assert len(flips) == FLIPS
    assert len({flip.row.source_id for flip in flips}) == FLIPS
    assert flips[0].row.relation == "ner/entity-shuffle"


def test_one_source_is_shown_once() -> None:
    texts, entities = made_up.EXAMPLES["ner/structural"][0]
    rows = [made_up.row(n, "ner/structural", texts, entities, source=1) for n in range(9)]
    result = made_up.result()
    assert len(telling(result, gather(result, made_up.again(rows)))) == 1


def test_a_run_without_groups_or_relations() -> None:
    result = made_up.result(GateVerdict.CANNOT_JUDGE, relations=(), notes=())
    text = summary(result, made_up.again([]), {})
    assert "record a new baseline" in text
    assert "Notes" not in text


@pytest.mark.parametrize("verdict", [GateVerdict.REGRESSION, GateVerdict.PASS])
def test_a_loss_against_the_anchor_stands_right_under_the_verdict(verdict: GateVerdict) -> None:
    result = made_up.result()
    pooled = result.overall.comparison
    assert pooled is not None
    figures = {name: getattr(pooled, name) for name in ComparisonFigures.__struct_fields__}
    told = AgainstAnchor(
        name="ner",
        recorded="2025",
        figures=ComparisonFigures(**figures),
        verdict=verdict,
        sentence="told against the anchor",
    )
    result = msgspec.structs.replace(result, anchor=told, notes=("other", told.sentence))
    text = summary(result, ROWS, made_up.CATALOGUE)
    assert text.count("told against the anchor") == 1
    lost = verdict is GateVerdict.REGRESSION
    assert ("> :warning: told against the anchor" in text.splitlines()) == lost
    assert ("- told against the anchor" in text.splitlines()) != lost


def test_an_edited_baseline_is_named_right_under_the_verdict() -> None:
    told = ("a.json is <b>edited</b> by this pull request", *(f"more {n}" for n in range(4)))
    clean = made_up.result()
    assert clean.baseline is not None
    head = msgspec.structs.replace(clean.baseline, notes=told)
    result = made_up.result(baseline=head, notes=(*told, "another note"))
    frame = Frame("ner", "", ("from a fork",))
    text = summary(result, ROWS, made_up.CATALOGUE, frame=frame)
    lines = [line for line in text.splitlines() if line]
    assert lines[0].startswith("### :x: mt-gate (ner)")
    assert lines[1].startswith("**")
    assert lines[2:6] == [
        "> :warning: from a fork",
        "> :warning: a.json is &#60;b&#62;edited&#60;/b&#62; by this pull request",
        "> :warning: more 0",
        "> :warning: more 1",
    ]
    assert text.count("edited") == 1
    assert text.partition("#### Notes")[2].split("\n\n")[1] == (
        "- more 2\n- more 3\n- another note"
    )
    cut = summary(result, ROWS, made_up.CATALOGUE, 900, frame)
    assert "edited" in cut
    assert "Omitted to fit" in cut


def test_the_kinds_of_error_stand_below_the_table() -> None:
    clean = made_up.result()
    overall = msgspec.structs.replace(clean.overall, errors={"omission": 3, "<b>|x": 1})
    text = summary(made_up.result(overall=overall), ROWS, made_up.CATALOGUE)
    assert "Errors in violated groups: omission 3, &#60;b&#62;&#124;x 1." in text
    assert "Errors in violated groups" not in summary(clean, ROWS, made_up.CATALOGUE)


def test_a_mention_is_none_where_an_edit_cuts_it() -> None:
    before, after = (
        "Thanks @octocat, see http://a.example.",
        "Thanks @another, see http://b.example.",
    )
    kept = Block(0, 0, before.index("octocat")), Block(15, 15, 11), Block(28, 28, 10)
    row = made_up.row(1, "ner/structural", ("a b", "a c"), ((), ()), Change.NEW)
    row = msgspec.structs.replace(
        row,
        source={"text": before},
        follow_up={"text": after},
        alignment=kept,
        unmatched={},
        source_output={"entities": []},
        follow_up_output={"entities": []},
    )
    result = made_up.fitting(made_up.result(), [row])
    text = summary(result, made_up.again([row]), made_up.CATALOGUE)
    (line,) = (line for line in text.splitlines() if line.startswith("> Thanks"))
    assert "@\u2060octocat" in line


def test_what_fails_without_a_loss_is_told() -> None:
    settings = made_up.settings(strict=True)
    strict = made_up.result(GateVerdict.INCONCLUSIVE, settings=settings, exit_code=1)
    said = summary(strict, made_up.again([]), made_up.CATALOGUE)
    assert said.startswith("### :x: mt-gate: Inconclusive")
    assert "The build fails: the gate is strict." in said
    plain = made_up.result(GateVerdict.INCONCLUSIVE)
    said = summary(plain, made_up.again([]), made_up.CATALOGUE)
    assert said.startswith("### :warning: mt-gate: Inconclusive")
    assert "The build fails" not in said
