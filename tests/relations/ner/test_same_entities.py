from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import table
from mt_gate.domain import Block, NotApplicable, Verdict
from mt_gate.relations.base import ExecutedGroup, Judgement
from mt_gate.relations.ner.entities import compare_entities


def judged(
    source: str, follow_up: str, before: list, after: list, blocks: tuple[Block, ...]
) -> Judgement:
    outputs = ({"entities": before}, {"entities": after})
    return compare_entities(ExecutedGroup({"text": source}, {"text": follow_up}, *outputs, blocks))


NAMED = "Anna met José Ruiz in Oslo."
NAMES = ((0, 4, "PER"), (9, 18, "PER"), (22, 26, "LOC"))


@given(st.sets(st.integers(0, len(NAMED)), min_size=1), st.sampled_from("\u200b\u2060\u0335"))
def test_inserted_marks_split_no_name(places: set[int], mark: str) -> None:
    """A tokenizer that drops marks may count those at a name's ends to it, or not."""
    cuts = [0, *sorted(places), len(NAMED)]
    blocks = tuple(
        Block(start, start + put_in, end - start)
        for put_in, (start, end) in enumerate(pairwise(cuts))
        if start < end
    )
    after = mark.join(NAMED[start:end] for start, end in pairwise(cuts))

    def moved(at: int, *, after_mark: bool) -> int:
        return at + sum(place <= at if after_mark else place < at for place in places)

    wide = [[moved(a, after_mark=False), moved(b, after_mark=True), of] for a, b, of in NAMES]
    narrow = [[moved(a, after_mark=True), moved(b, after_mark=False), of] for a, b, of in NAMES]
    back = tuple(Block(to, of, length) for of, to, length in blocks)
    for actual in (wide, narrow):
        judgement = judged(NAMED, after, [[*name] for name in NAMES], actual, blocks)
        assert judgement.verdict is Verdict.SATISFIED, (after, actual)
        judgement = judged(after, NAMED, actual, [[*name] for name in NAMES], back)
        assert judgement.verdict is Verdict.SATISFIED, (after, actual)


@pytest.mark.parametrize(
    ("source", "follow_up", "verdict"),
    [
        ("José", "Jose\u0301", Verdict.SATISFIED),
        ("José", "Jose", Verdict.SATISFIED),
        ("Jose\u0301", "José", Verdict.SATISFIED),
        ("José", "Josi", Verdict.VIOLATED),
        ("José", "Jos\u0301xe", Verdict.VIOLATED),
    ],
)
def test_accents_written_in_another_way(source: str, follow_up: str, verdict: Verdict) -> None:
    before, after = f"In {source} he sat.", f"In {follow_up} he sat."
    blocks = (Block(0, 0, 6), Block(3 + len(source), 3 + len(follow_up), 8))
    entities = [[3, 3 + len(source), "LOC"]], [[3, 3 + len(follow_up), "LOC"]]
    assert judged(before, after, *entities, blocks).verdict is verdict


SOURCE, QUESTION = "Rome is near Rome.", "Is Rome near Rome?"
BLOCKS = (Block(0, 3, 4), Block(5, 0, 2), Block(7, 7, 10))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    table(__file__, "mentions_differ_by_their_place"),
)
def test_mentions_differ_by_their_place(before: list, after: list, verdict: Verdict) -> None:
    judgement = judged(SOURCE, QUESTION, before, after, BLOCKS)
    assert judgement.verdict == verdict
    assert bool(judgement.unmatched) is (judgement.verdict is Verdict.VIOLATED)
    assert judgement.reason == (NotApplicable.VACUOUS if verdict == Verdict.NOT_APPLICABLE else "")


def test_what_is_unmatched_is_named_by_side() -> None:
    judgement = judged(SOURCE, QUESTION, [[0, 4, "LOC"]], [[3, 7, "ORG"]], BLOCKS)
    assert judgement.unmatched == {"source": [[0, 4, "LOC"]], "follow_up": [[3, 7, "ORG"]]}


def test_an_article_does_not_move_with_its_name() -> None:
    source, follow_up = "The Beatles met the Stones.", "The Stones met the Beatles."
    blocks = (Block(0, 0, 4), Block(4, 19, 7), Block(11, 10, 9), Block(20, 4, 6), Block(26, 26, 1))
    before = [[0, 11, "ORG"], [16, 26, "ORG"]]
    after = [[0, 10, "ORG"], [19, 26, "ORG"]]
    assert judged(source, follow_up, before, after, blocks).verdict is Verdict.SATISFIED
