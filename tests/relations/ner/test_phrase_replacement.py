"""The relation as users meet it: its example, and answers that break it or do not."""

from __future__ import annotations

import difflib

import pytest

from mt_gate.domain import Block, Verdict
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.phrase_replacement import RELATION


def judge(before: dict[str, str], after: dict[str, str]) -> Judgement:
    """Judge answers to the relation's own example; entities by text."""
    matcher = difflib.SequenceMatcher(None, RELATION.before, RELATION.after, autojunk=False)
    blocks = tuple(Block(*block) for block in matcher.get_matching_blocks() if block.size > 3)
    outputs = [
        {
            "entities": sorted(
                [text.index(e), text.index(e) + len(e), tag] for e, tag in said.items()
            )
        }
        for text, said in ((RELATION.before, before), (RELATION.after, after))
    ]
    case = ExecutedGroup({"text": RELATION.before}, {"text": RELATION.after}, *outputs, blocks)
    return RELATION.holds(case)


ALL = {"Bergen": "LOC", "Norway": "LOC"}


def test_holds_for_its_own_example() -> None:
    assert judge(ALL, ALL).verdict is Verdict.SATISFIED


@pytest.mark.parametrize("after", [{"Bergen": "LOC"}, {"Bergen": "PER", "Norway": "LOC"}, {}])
def test_is_violated_where_a_name_is_lost_or_relabelled(after: dict[str, str]) -> None:
    judgement = judge(ALL, after)
    assert judgement.verdict is Verdict.VIOLATED
    assert judgement.errors


def test_says_nothing_of_a_silent_system() -> None:
    assert judge({}, {}).verdict is Verdict.NOT_APPLICABLE


def test_needs_no_answer_before_it_is_built() -> None:
    assert RELATION.bind is None
