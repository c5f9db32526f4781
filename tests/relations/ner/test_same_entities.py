from __future__ import annotations

import pytest

from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.same_entities import same_entities


def judged(
    source: str, follow_up: str, before: list, after: list, blocks: tuple[Block, ...]
) -> Judgement:
    outputs = ({"entities": before}, {"entities": after})
    return same_entities(ExecutedGroup({"text": source}, {"text": follow_up}, *outputs, blocks))


SOURCE, QUESTION = "Rome is near Rome.", "Is Rome near Rome?"
BLOCKS = (Block(0, 3, 4), Block(5, 0, 2), Block(7, 7, 10))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ([[0, 4, "LOC"]], [[3, 7, "LOC"]], Verdict.SATISFIED),
        ([[0, 4, "LOC"], [13, 17, "LOC"]], [[3, 7, "LOC"], [13, 17, "LOC"]], Verdict.SATISFIED),
        ([[0, 4, "LOC"]], [[13, 17, "LOC"]], Verdict.VIOLATED),  # the other mention
        ([[0, 4, "LOC"]], [], Verdict.VIOLATED),  # omission
        ([], [[3, 7, "LOC"]], Verdict.VIOLATED),  # over-labelling
        ([[0, 4, "LOC"]], [[3, 7, "ORG"]], Verdict.VIOLATED),  # category
        ([[0, 4, "LOC"]], [[3, 12, "LOC"]], Verdict.VIOLATED),  # range
        ([[0, 7, "LOC"]], [[3, 7, "LOC"]], Verdict.VIOLATED),  # torn apart by the edit
        ([[13, 18, "LOC"]], [[13, 17, "LOC"]], Verdict.SATISFIED),  # the sentence's full stop
        ([], [], Verdict.NOT_APPLICABLE),
    ],
)
def test_mentions_are_told_apart_by_their_place(
    before: list, after: list, verdict: Verdict
) -> None:
    judgement = judged(SOURCE, QUESTION, before, after, BLOCKS)
    assert judgement.verdict is verdict
    assert bool(judgement.unmatched) is (verdict is Verdict.VIOLATED)
    assert judgement.reason == (NotApplicable.VACUOUS if verdict is Verdict.NOT_APPLICABLE else "")


def test_what_is_unmatched_is_named_by_side() -> None:
    judgement = judged(SOURCE, QUESTION, [[0, 4, "LOC"]], [[3, 7, "ORG"]], BLOCKS)
    assert judgement.unmatched == {"source": [[0, 4, "LOC"]], "follow_up": [[3, 7, "ORG"]]}


def test_an_article_does_not_move_with_its_name() -> None:
    source, follow_up = "The Beatles met the Stones.", "The Stones met the Beatles."
    blocks = (Block(0, 0, 4), Block(4, 19, 7), Block(11, 10, 9), Block(20, 4, 6), Block(26, 26, 1))
    before = [[0, 11, "ORG"], [16, 26, "ORG"]]
    after = [[0, 10, "ORG"], [19, 26, "ORG"]]
    assert judged(source, follow_up, before, after, blocks).verdict is Verdict.SATISFIED
