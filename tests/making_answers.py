"""Groups of boolean questions with the answers of a system under test."""

from __future__ import annotations

from typing import Any

from mt_gate.relations.base import ExecutedGroup, Judgement, MetamorphicRelation

SOURCE = {"question": "is oslo big", "passage": "Oslo is a city. It is not big."}
EDITED = {"question": "is oslo small", "passage": "Oslo is a city. It is not big."}


def answer(word: str, **more: Any) -> dict[str, Any]:
    return {"answer": word, "score": 0.9 if word == "yes" else 0.1, **more}


def judged(relation: MetamorphicRelation, source: str, follow_up: str) -> Judgement:
    return relation.holds(ExecutedGroup(SOURCE, EDITED, answer(source), answer(follow_up), ()))
