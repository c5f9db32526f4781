"""Relation extraction in the reports: head, tail, what moved, and the relation answered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mt_gate.domain import Block, Verdict
from mt_gate.reporting.words import marks
from mt_gate.reporting.words.gathering import gather
from mt_gate.reporting.words.outputs import FOLLOW_UP, SOURCE, renderer
from mt_gate.reporting.writers import html, junit_xml
from mt_gate.reporting.writers.markdown import summary
from mt_gate.results.result import Change, GateVerdict, GroupRow
from reporting import made_up, made_up_re
from reporting.hostile import PAYLOAD

RENDER = renderer("re")
ROWS = {row.relation.partition("/")[2] + row.stratum: row for row in made_up_re.rows(None)}


def shown(name: str, side: int) -> str:
    return marks.plain(RENDER.sentence(ROWS[name], side))


def kinds(name: str, side: int, kind: str) -> list[str]:
    return [
        piece.text
        for segment in RENDER.sentence(ROWS[name], side).segments
        for piece in segment.pieces
        if piece.kind == kind
    ]


def test_head_tail_and_answer_are_marked() -> None:
    assert shown("coarser-type", SOURCE) == (
        "[Richard head · PERSON] was born in [San Francisco tail · CITY]. "
        "[per:city_of_birth relation · 0.93]"
    )
    assert shown("coarser-type", FOLLOW_UP) == (
        "[Richard head · PERSON] was born in the [United States tail · COUNTRY]. "
        "[per:origin relation · 0.71]"
    )
    assert kinds("coarser-type", SOURCE, marks.EDITED) == ["San Francisco", "."]
    assert kinds("coarser-type", FOLLOW_UP, marks.EDITED) == ["the", "United States", "."]
    assert kinds("coarser-type", FOLLOW_UP, marks.MOVED) == []
    answer = RENDER.sentence(ROWS["coarser-type"], FOLLOW_UP).segments[-1]
    assert answer.unmatched
    assert not RENDER.sentence(ROWS["coarser-type"], SOURCE).segments[-1].unmatched


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "coarser-type",
            "the relation “per:city_of_birth” becomes “per:origin”; "
            "expected “per:country_of_birth”",
        ),
        (
            "swap-antisymmetric",
            "the relation “per:children” stays “per:children”; expected “per:parents”",
        ),
        (
            "combine-shared-head",
            "the relation is “no_relation”; expected “per:children”, as of the second source",
        ),
    ],
)
def test_what_was_expected(name: str, words: str) -> None:
    assert RENDER.broke(ROWS[name]) == (words,)


def test_nothing_broke_where_the_relation_holds() -> None:
    row = made_up_re.row(made_up_re.EXAMPLES[0], Change.FIXED)
    assert RENDER.broke(row) == ()
    assert not RENDER.sentence(row, FOLLOW_UP).segments[-1].unmatched


@pytest.mark.parametrize(
    ("name", "words", "moved"),
    [
        ("swap-symmetric", "head and tail exchanged", (["Lily", "Mary"], ["Lily", "Mary"])),
        ("coreferent", "the head moves from “John” to “he”", (["John"], ["he"])),
        ("co-related-typetype", "the tail’s type changes from NATIONALITY to COUNTRY", ([], [])),
        (
            "combine-shared-tail",
            "the head moves from “Kelly” to “Celine”; the tail moves from “Peterson” to “Kelly”",
            (["Kelly", "Peterson"], ["Celine", "Kelly"]),
        ),
        ("same-typerare", "", ([], [])),
    ],
)
def test_a_pair_that_moves_within_its_sentence(
    name: str, words: str, moved: tuple[list[str], list[str]]
) -> None:
    assert RENDER.edit(ROWS[name]) == words
    found = tuple(kinds(name, side, marks.MOVED) for side in (SOURCE, FOLLOW_UP))
    assert found == moved


def test_the_second_source_with_its_answer() -> None:
    second = RENDER.second(ROWS["combine-shared-head"])
    assert second is not None
    assert marks.plain(second) == (
        "[Peterson head · PERSON] leaves his wife, Kelly, and a daughter, [Celine tail · PERSON]. "
        "[per:children relation · 0.80]"
    )
    assert RENDER.second(ROWS["coreferent"]) is None


def test_the_surest_are_the_most_telling() -> None:
    row = ROWS["coreferent"]
    assert RENDER.weight(row) == 164


def test_answers_in_words() -> None:
    assert RENDER.answered({}, made_up_re.said("per:age", 0.5)) == "per:age 0.50"
    assert RENDER.answered({}, None) == "no answer"


def reports(rows: list[GroupRow], verdict: GateVerdict = GateVerdict.MEASURED) -> dict[str, str]:
    result = made_up_re.result(rows, verdict)
    again, catalogue = made_up.again(rows), made_up_re.CATALOGUE
    return {
        "html": html.report(result, again, catalogue),
        "junit": junit_xml.junit(result, again, catalogue),
        "markdown": summary(result, again, catalogue),
    }


def test_every_writer_shows_pair_second_source_and_expectation() -> None:
    found = reports(made_up_re.rows(), GateVerdict.REGRESSION)
    assert "second:    [Peterson head · PERSON]" in found["junit"]
    assert "edit:      head and tail exchanged" in found["junit"]
    assert "<dt>Second</dt><dd><mark" in found["html"]
    assert "expected “per:children”, as of the second source" in found["html"]
    assert "head and tail exchanged" in found["markdown"]
    combined = reports([ROWS["combine-shared-head"]])["markdown"]
    assert "&gt;" not in combined.split("> with <b>Peterson</b>")[1]


ODD: tuple[dict[str, Any], ...] = (
    {"source": {}, "follow_up": {}},
    {"source": {"text": 3, "head": "x", "tail": [1]}, "follow_up": None},
    {"source": {"text": "Anna", "head": [3, 1, "P"], "tail": [-5, 900, ""]}},
    {"source": {"text": "Anna", "head": [0, 4, None], "tail": [0, 4, "P"]}},
    {"source": {"text": "Anna", "head": [0, 3, "P"], "tail": [2, 4, "P"]}},
    {"source": {"text": "Anna", "head": [10**400, 10**401, "P"], "tail": [0, 1]}},
    {"source_output": None, "follow_up_output": None},
    {
        "source_output": {"relation": None},
        "follow_up_output": {"relation": ["x"], "score": 10**400},
    },
    {"follow_up_output": {"relation": "x", "score": True}},
    {"follow_up_output": "per:age", "unmatched": {"expected": [1]}},
    {"unmatched": {}, "alignment": (Block(-5, 7, -3), Block(0, 0, 10**9))},
    {"second": {}, "second_output": 3},
    {"second": {"text": "x" * 9000, "head": [8000, 8001, "P"], "tail": 0}, "stratum": "x" * 9000},
)


@pytest.mark.parametrize("changed", ODD)
def test_rows_that_no_run_writes_are_shown_all_the_same(changed: dict[str, Any]) -> None:
    rows = [made_up_re.row(example, None, **changed) for example in made_up_re.EXAMPLES]
    assert all(reports(rows).values())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
INPUTS = st.dictionaries(st.sampled_from(["text", "head", "tail"]), VALUES)
PLACES = st.tuples(st.integers(-3, 12), st.integers(-3, 12), st.text(max_size=5)).map(list)
LIKELY = st.fixed_dictionaries({"text": st.text(max_size=9), "head": PLACES, "tail": PLACES})
BLOCKS = st.lists(st.tuples(*[st.integers(-2, 12)] * 3).map(lambda x: Block(*x)), max_size=4)


@settings(max_examples=200)
@given(INPUTS | LIKELY, INPUTS | LIKELY | st.none(), VALUES, BLOCKS)
def test_any_row_can_be_shown(source: Any, follow_up: Any, output: Any, blocks: Any) -> None:
    row = made_up_re.row(
        made_up_re.EXAMPLES[0],
        None,
        source=source,
        follow_up=follow_up,
        second=follow_up,
        source_output=output,
        follow_up_output={"relation": output, "score": output},
        unmatched={"expected": output},
        alignment=tuple(blocks),
    )
    for side in (SOURCE, FOLLOW_UP):
        marks.plain(RENDER.sentence(row, side))
    RENDER.second(row), RENDER.edit(row), RENDER.broke(row), RENDER.weight(row)


def poisoned(row: GroupRow) -> GroupRow:
    """Return a row in which types, texts, labels and stratum are an attack."""

    def attacked(value: Any) -> Any:
        if value is None:
            return None
        places = {name: [*value[name][:2], value[name][2] + PAYLOAD] for name in ("head", "tail")}
        return {"text": value["text"] + PAYLOAD, **places}

    return made_up_re.row(
        next(e for e in made_up_re.EXAMPLES if f"re/{e.relation}" == row.relation),
        None,
        source=attacked(row.source),
        follow_up=attacked(row.follow_up),
        second=attacked(row.second),
        source_output=made_up_re.said("a" + PAYLOAD),
        follow_up_output=made_up_re.said("b" + PAYLOAD),
        second_output=made_up_re.said("c" + PAYLOAD),
        unmatched={"expected": PAYLOAD},
        stratum=PAYLOAD,
        verdict=Verdict.VIOLATED,
    )


def test_attacks_stay_words() -> None:
    found = reports([poisoned(row) for row in made_up_re.rows(None)])
    plain = reports(made_up_re.rows(None))
    assert found["html"].count("<script") == plain["html"].count("<script")
    assert found["html"].count("<img") == 0
    assert "head · PERSON" in found["html"]
    for text in found.values():
        assert not {"\x00", "\x1b", "\u202e", "\u2028"} & set(text)
    assert "<script" not in found["markdown"]
    assert "@octo" not in found["markdown"]


def test_rows_are_ranked() -> None:
    rows = made_up_re.rows(None)
    assert gather(made_up_re.result(rows), made_up.again(rows))
