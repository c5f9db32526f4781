from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Block, Entity, Verdict
from mt_gate.repairing.reading import MAX_ENTITIES, distinct_sentences, violated_groups
from mt_gate.results.result import GroupRow

ROW = GroupRow(
    id="0001",
    relation="ner/structural",
    source_id="s1",
    verdict=Verdict.VIOLATED,
    source={"text": "Anna was in Oslo."},
    follow_up={"text": "Was Anna in Oslo?"},
    alignment=(Block(0, 4, 4), Block(5, 0, 3), Block(9, 9, 7)),
    source_output={"entities": [[0, 4, "PER"], [12, 16, "LOC"]]},
    follow_up_output={"entities": [[12, 16, "LOC"]]},
    unmatched={"source": [[0, 4, "PER"]], "follow_up": []},
)


def with_(**fields: object) -> GroupRow:
    return msgspec.structs.replace(ROW, **fields)


def test_a_violated_group_is_a_case_with_what_breaks_it() -> None:
    (group,) = violated_groups([ROW], Path("groups"))
    assert group.lost == (Entity(0, 4, "PER"),)
    assert group.added == ()
    assert group.case.source_output == {"entities": (Entity(0, 4, "PER"), Entity(12, 16, "LOC"))}


@pytest.mark.parametrize("verdict", [Verdict.SATISFIED, Verdict.NOT_APPLICABLE])
def test_other_groups_are_not_looked_at(verdict: Verdict) -> None:
    row = with_(verdict=verdict, source={}, follow_up=None, source_output=[1])
    assert [*violated_groups([row], Path("groups"))] == []


@pytest.mark.parametrize(
    "fields",
    [
        {"source": {}},
        {"source": {"text": 7}},
        {"follow_up": None},
        {"source_output": None},
        {"source_output": {"entities": [[0, 4]]}},
        {"source_output": {"entities": [["0", 4, "PER"]]}},
        {"source_output": {"entities": [[-1, 4, "PER"]]}},
        {"source_output": {"entities": [[4, 4, "PER"]]}},
        {"follow_up_output": {"entities": [[0, 10**12, "PER"]]}},
        {"follow_up_output": {"entities": [[0, 1, "PER"]] * (MAX_ENTITIES + 1)}},
        {"alignment": (Block(0, 0, 99),)},
        {"alignment": (Block(-4, 0, 4),)},
        {"alignment": (Block(0, 0, 4),)},
        {"alignment": (Block(5, 0, 3), Block(5, 0, 3))},
        {"alignment": (Block(0, 4, 0),)},
        {"unmatched": {"source": 1}},
    ],
)
def test_rows_that_no_run_writes_are_reported_in_one_line(fields: dict) -> None:
    with pytest.raises(CannotJudge) as caught:
        [*violated_groups([with_(**fields)], Path("groups.jsonl.gz"))]
    message = str(caught.value)
    assert message.startswith("groups.jsonl.gz: case '0001': ")
    assert message.endswith(". Run 'mt-gate run' again.")


def test_a_sentence_that_groups_share_occurs_once() -> None:
    again = with_(id="0002")
    actual = distinct_sentences(violated_groups([ROW, again], Path("groups")))
    assert [*actual] == ["Anna was in Oslo.", "Was Anna in Oslo?"]
    assert [*actual["Anna was in Oslo."].groups] == ["0001", "0002"]
    assert [s.words for s in actual["Anna was in Oslo."].suspects] == ["Anna"]


def test_two_predictions_for_one_sentence_are_rejected() -> None:
    other = with_(id="0002", source_output={"entities": [[0, 4, "ORG"]]})
    with pytest.raises(CannotJudge, match="has two different predictions"):
        distinct_sentences(violated_groups([ROW, other], Path("groups")))


def test_a_group_that_disagrees_on_nothing_both_hold_has_no_sentence() -> None:
    row = with_(alignment=(), unmatched=None)
    assert distinct_sentences(violated_groups([row], Path("groups"))) == {}
