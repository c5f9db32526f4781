"""Known entities: what counts as recognised, against cases by hand and against nervaluate."""

from __future__ import annotations

import tomllib
from pathlib import Path
from random import Random

import pytest
from nervaluate.evaluator import Evaluator

from mt_gate.domain import Entity, NotApplicable, Verdict
from mt_gate.relations.base import Context, ExecutedGroup, Judge
from mt_gate.relations.ner.known_entities import (
    find_error,
    judge_edited,
    judge_known,
    judge_look_alike,
    plain_name,
)

CASES = tomllib.loads((Path(__file__).parents[2] / "cases/ner/known_entities.toml").read_text())
KINDS = {kind: frozenset(map(plain_name, names)) for kind, names in CASES["kinds"].items()}
CONTEXT = Context(kinds=KINDS)


def marked(text: str) -> tuple[str, tuple[Entity, ...]]:
    """Read a text with its entities in brackets: ``Call [Anna Moss|person].``"""
    plain, entities = "", []
    for part in text.split("["):
        inside, bracket, rest = part.partition("]")
        if bracket:
            words, _, label = inside.rpartition("|")
            entities.append(Entity(len(plain), len(plain) + len(words), label))
            plain += words + rest
        else:
            plain += part
    return plain, tuple(entities)


def executed(known: str, predicted: str, edited: str = "", after: str = "") -> ExecutedGroup:
    text, entities = marked(known)
    edited_text, edited_entities = marked(edited or known)
    return ExecutedGroup(
        {"text": text},
        {"text": edited_text},
        {"entities": marked(predicted)[1]},
        {"entities": marked(after or predicted)[1]},
        (),
        context=CONTEXT,
        known=(entities, edited_entities),
    )


@pytest.mark.parametrize("case", CASES["known"], ids=lambda case: case["predicted"])
def test_which_known_entities_are_recognised(case: dict[str, str]) -> None:
    group = executed(case["known"], case["predicted"])
    assert marked(case["predicted"])[0] == group.source["text"]
    first = group._replace(known=(group.known[0], group.known[0][:1]))
    judged = judge_known(first)
    errors = [error.category.value for error in judged.errors]
    assert (errors or [judged.reason or judged.verdict.value]) == [case["result"]]


@pytest.mark.parametrize("case", CASES["kept"], ids=lambda case: case["after"])
def test_which_edits_violate_the_relation(case: dict[str, str]) -> None:
    judged = judge_edited(executed(*(case[k] for k in ("known", "predicted", "edited", "after"))))
    assert (judged.reason or judged.verdict.value) == case["result"]


@pytest.mark.parametrize(
    ("predicted", "verdict"),
    [
        ("Order 4711 ships.", Verdict.SATISFIED),
        ("Order [4711|PHONE] ships.", Verdict.VIOLATED),
        ("Order [4711|CARDINAL] ships.", Verdict.SATISFIED),
    ],
)
def test_look_alikes(predicted: str, verdict: Verdict) -> None:
    assert judge_look_alike(executed("Order 4711 ships.", predicted)).verdict is verdict


@pytest.mark.parametrize("judge", [judge_known, judge_look_alike, judge_edited])
def test_a_system_without_kinds_is_not_tested(judge: Judge) -> None:
    group = executed("Call [Anna Moss|person].", "Call [Anna Moss|PER].")
    judged = judge(group._replace(context=Context()))
    assert judged.reason == NotApplicable.OTHER_LABELS


def test_recall_by_kind_is_that_of_nervaluate() -> None:
    rng = Random(5)
    context = Context(kinds={kind: frozenset({kind}) for kind in "abc"})
    gold, predicted, hits = [], [], dict.fromkeys("abc", 0)
    for _ in range(400):
        text = "".join(rng.choice("xyz ") for _ in range(60)).replace("  ", "xx")
        known = draw_entities(text, rng)
        guessed = [entity for entity in known if rng.random() < 0.6]
        guessed += [
            entity
            for entity in draw_entities(text, rng)
            if not any(entity.start < e.end + 1 and e.start < entity.end + 1 for e in guessed)
        ]
        output = {"entities": sorted(guessed)}
        for entity in known:
            hits[entity.label] += find_error(text, output, entity, known, context) is None
        gold.append([as_span(entity) for entity in known])
        predicted.append([as_span(entity) for entity in sorted(guessed)])
    results = Evaluator(gold, predicted, tags=[*"abc"], loader="dict").evaluate()["entities"]
    for kind in "abc":
        strict = results[kind]["strict"]
        assert 50 < strict.correct < strict.possible
        assert hits[kind] == strict.correct
        assert hits[kind] / sum(e["label"] == kind for row in gold for e in row) == strict.recall


def draw_entities(text: str, rng: Random) -> list[Entity]:
    """Return entities that begin and end with a letter, with text between them."""
    entities, at = [], 0
    while (start := at + rng.randint(3, 15)) < len(text) - 8:
        end = start + rng.randint(2, 7)
        if not (text[start] + text[end - 1]).isspace() and " " not in text[start] + text[end - 1]:
            entities.append(Entity(start, end, rng.choice("abc")))
        at = end
    return entities


def as_span(entity: Entity) -> dict[str, object]:
    return {"label": entity.label, "start": entity.start, "end": entity.end}
