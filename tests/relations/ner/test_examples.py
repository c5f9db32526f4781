"""Relations as users meet them: their examples, and answers that break them or do not."""

from __future__ import annotations

import difflib

import pytest

from mt_gate.domain import Block, Verdict
from mt_gate.relations.base import ExecutedGroup, Judgement, MetamorphicRelation
from mt_gate.relations.catalogue import PHRASE_REPLACEMENT, STRUCTURAL, TOKEN_REPLACEMENT

EXAMPLES = (
    (TOKEN_REPLACEMENT, {"Anna": "PER", "Oslo": "LOC"}),
    (PHRASE_REPLACEMENT, {"Bergen": "LOC", "Norway": "LOC"}),
    (STRUCTURAL, {"Belarus": "LOC", "Russia": "LOC"}),
)


def judge(
    relation: MetamorphicRelation, before: dict[str, str], after: dict[str, str]
) -> Judgement:
    """Judge answers to a relation's own example; entities by text."""
    matcher = difflib.SequenceMatcher(None, relation.before, relation.after, autojunk=False)
    blocks = tuple(Block(*block) for block in matcher.get_matching_blocks() if block.size > 3)
    outputs = [
        {
            "entities": sorted(
                [text.index(e), text.index(e) + len(e), tag] for e, tag in said.items()
            )
        }
        for text, said in ((relation.before, before), (relation.after, after))
    ]
    case = ExecutedGroup({"text": relation.before}, {"text": relation.after}, *outputs, blocks)
    return relation.holds(case)


@pytest.mark.parametrize(("relation", "names"), EXAMPLES)
def test_examples(relation: MetamorphicRelation, names: dict[str, str]) -> None:
    first, second = names
    assert relation.bind is None
    assert judge(relation, names, names).verdict is Verdict.SATISFIED
    for after in ({first: names[first]}, {**names, second: "ORG"}, {}):
        judgement = judge(relation, names, after)
        assert judgement.verdict is Verdict.VIOLATED
        assert judgement.errors
    assert judge(relation, {}, {}).verdict is Verdict.NOT_APPLICABLE
