"""Relation extraction inputs from marked sentences, and a system that answers from a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from making import suite_head
from mt_gate.domain import Block, Entity, Group, Source
from mt_gate.ontologies.reading import open_ontology
from mt_gate.relations.base import (
    Context,
    ExecutedGroup,
    Judgement,
    MetamorphicRelation,
    PendingGroup,
)
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.suites.format import Suite, SuiteRelation, group_id
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.tasks.relation_extraction import HEAD, TAIL, TEXT

_MARK = re.compile(r"\[([^|\]]+)\|([hte])(?: ([A-Z_]+))?\]")
_ROLES = {"h": HEAD, "t": TAIL}


def marked(sentence: str) -> dict[str, Any]:
    """Return the input of ``[Lily|h PERSON] is [Mary|t PERSON]'s sister.``"""
    return _read(sentence)[0]


def entities(sentence: str) -> tuple[Entity, ...]:
    """Return the typed mentions of a marked sentence, those marked ``e`` too."""
    return _read(sentence)[1]


def _read(sentence: str) -> tuple[dict[str, Any], tuple[Entity, ...]]:
    text, at, value = "", 0, {}
    mentions = []
    for match in _MARK.finditer(sentence):
        text += sentence[at : match.start()]
        start, at = len(text), match.end()
        text += match[1]
        if match[2] in _ROLES:
            value[_ROLES[match[2]]] = [start, len(text), match[3] or ""]
        if match[3]:
            mentions.append(Entity(start, len(text), match[3]))
    return {TEXT: text + sentence[at:], **value}, tuple(mentions)


def source(sentence: str, name: str = "s", bind: tuple[str, ...] = ()) -> Source:
    """Return a source from a marked sentence."""
    return Source(
        id=name, input=marked(sentence), origin="made", bind=bind, entities=entities(sentence)
    )


def group(relation: str, before: Source, follow_up: str, stratum: str = "") -> Group:
    """Return a group from a source and a marked follow-up."""
    after = marked(follow_up)
    same = before.input[TEXT] == after[TEXT]
    return Group(
        id=group_id(relation, before.input, after),
        relation=relation,
        source=before.id,
        follow_up=after,
        alignment=(Block(0, 0, len(after[TEXT])),) if same else (),
        stratum=stratum,
    )


def suite(relations: Sequence[str], sources: Sequence[Source], groups: Sequence[Group]) -> Suite:
    """Return a suite in memory."""
    heads = [
        SuiteRelation(id=name, groups=len(of), sources=len({one.source for one in of}))
        for name in relations
        for of in [[one for one in groups if one.relation == name]]
    ]
    head = suite_head("re", heads, 0, sources=())
    return Suite(head=head, sources=tuple(sources), groups=tuple(groups))


TACRED, KBP37 = (Context(open_ontology(name)) for name in ("tacred", "kbp37"))


def when(
    relation: MetamorphicRelation, context: Context, before: str, said: str, after: str
) -> str:
    """Return why nothing follows from an answer to a marked sentence, or nothing."""
    assert relation.when is not None
    return relation.when(PendingGroup(marked(before), marked(after), answered(said), context))


def judged(
    relation: MetamorphicRelation,
    context: Context,
    before: str,
    said: str,
    after: str,
    changed: str,
) -> Judgement:
    """Return the judgement on the answers to a marked sentence and its follow-up."""
    both = (answered(said), answered(changed))
    return relation.holds(ExecutedGroup(marked(before), marked(after), *both, (), context=context))


def answered(label: str) -> dict[str, Any]:
    """Return a system's answer."""
    return {"relation": label, "score": 0.9}


class TableSystem:
    """A system that answers from a table of marked sentences, and lists its inputs."""

    cache_key = "table"

    def __init__(self, answers: Mapping[str, str], otherwise: str = "no_relation") -> None:
        self._answers = [(marked(sentence), label) for sentence, label in answers.items()]
        self._otherwise = otherwise
        self.requests: list[Mapping[str, Any]] = []

    @property
    def head(self) -> CheckpointHead:
        runtime = Runtime(provider="table", precision="", device="", onnxruntime="", cpu="")
        return CheckpointHead(name="table", fingerprint="table", runtime=runtime)

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        for index, item in enumerate(inputs):
            self.requests.append(item)
            label = next((said for known, said in self._answers if known == item), self._otherwise)
            yield [(index, Prediction({"relation": label, "score": 0.9}, 2.0))]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002 - a table has none
        return {}

    def close(self) -> None:
        pass
