"""What an evaluation of relation extraction does that no other task's does: labels, protocols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.labelled import Labelled, LabelledFile, TaskEvaluation
from mt_gate.evaluating.protocols import protocols
from mt_gate.evaluating.records import RelationProtocols
from mt_gate.evaluating.relation_labels import (
    UNMAPPED,
    LabelFormat,
    LabelledPair,
    LabelMapping,
    labelled_pairs,
    name_labels,
    read_mapping,
)
from mt_gate.evaluating.scores import SystemScores, system_scores
from mt_gate.running.predicting import Predictor
from mt_gate.sut.protocol import Prediction, System
from mt_gate.tasks.relation_extraction import NO_RELATION, is_none


class RelationPart:
    """The labelled sentences of a file, and the outcomes of a system's predictions on them."""

    def __init__(self, path: Path, mapping: LabelMapping, reading: LabelFormat) -> None:
        """Read the file."""
        self.path = path
        self.mapping = mapping
        self.pairs, self._left_out = labelled_pairs(path, reading)
        kinds = (labels for item in self.pairs for labels in (item.auto, item.manual) if labels)
        self.names = frozenset[str]().union(*kinds)
        self.relations = mapping.file_relations(self.names)

    @cached_property
    def labelled(self) -> LabelledFile:
        """The sentences as samples: those labelled by hand, or all where none is."""
        by_hand = [item for item in self.pairs if item.manual is not None]
        without = len(self.pairs) - len(by_hand) if by_hand else 0
        left_out = {**self._left_out, **({"without a manual label": without} if without else {})}
        samples = [
            _labelled(item, self.mapping.file_relations(item.gold()))
            for item in by_hand or self.pairs
        ]
        return LabelledFile(samples, left_out)

    def predicted(self, system: System, predictor: Predictor) -> RelationAnswers:
        """Have a system score all sentences."""
        labels = tuple(getattr(system, "labels", ()))
        self._check(labels)
        card = getattr(system, "card", None)
        attention = bool(getattr(card, "selective_attention", False))
        said = system_scores(predictor.predict([item.input for item in self.pairs]), labels)
        self._check(said.labels)
        return RelationAnswers(self, labels, said, attention)

    def _check(self, labels: Sequence[str]) -> None:
        """Raise where file and system have no label in common: all facts would be missed."""
        ours, theirs = self.relations, self.mapping.system_relations(labels)
        if ours and theirs and not ours & theirs:
            raise CannotJudge(
                f"{self.path} has the labels {name_labels(ours, 6)}, but the model predicts "
                f"{name_labels(theirs, 6)}. Both need the same names. Map the labels of one side "
                "to the other's with --mapping."
            )


class RelationAnswers(NamedTuple):
    """A system's scores of the sentences of a file; ``labels`` are empty where it does not say."""

    part: RelationPart
    labels: Sequence[str]
    said: SystemScores
    attention: bool

    def put(self, output: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer in the labels that are scored.

        With a table, it is the relation whose labels have the highest sum of
        probabilities, no relation being one of them.
        """
        mapping = self.part.mapping
        if not mapping.system:
            return {"relation": mapping.of_system(output["relation"])}
        said = system_scores([Prediction(output)], self.labels)
        sums: dict[str, float] = {}
        for label, share in zip(said.labels, said.probabilities[0].tolist(), strict=True):
            relation = mapping.of_system(label)
            sums[relation] = sums.get(relation, 0.0) + share
        return {"relation": max(sums, key=sums.__getitem__)}

    def protocols(self) -> RelationProtocols:
        """Return the figures of all protocols that the labels allow."""
        part = self.part
        return protocols(part.pairs, self.said, part.mapping, attention=self.attention)

    def notes(self) -> Iterator[str]:
        """Yield what does not fit between the labels of file, system and table."""
        mapping, ours = self.part.mapping, self.part.relations
        theirs = mapping.system_relations(self.said.labels)
        has = "does not have" if self.labels else "never predicted"
        if ours - theirs:
            yield (
                f"labels of the file that the system {has}, so all their facts are missed: "
                f"{name_labels(ours - theirs)}"
            )
        if theirs - ours:
            yield f"labels of the system that the file does not have: {name_labels(theirs - ours)}"
        known = {*self.part.names, *self.said.labels}
        unused = [label for label in {**mapping.file, **mapping.system} if label not in known]
        if unused:
            yield f"labels of {mapping.name} that neither side has: {name_labels(unused)}"
        if self.said.basis == "answers":
            yield (
                "The model does not return scores for all labels. Bags are scored with the "
                "probability of each sentence's prediction, and no other relation is ranked, "
                "so curves end there."
            )


def _labelled(item: LabelledPair, relations: Iterable[str]) -> Labelled:
    names = sorted(relations) or [NO_RELATION]
    return Labelled(item.id, item.input, {"relations": names}, item.bag)


def _samples(path: Path) -> Iterator[Labelled]:
    pairs, _ = labelled_pairs(path)
    return (_labelled(item, item.gold()) for item in pairs)


def _items(output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    names = output.get("relations") or (output["relation"],)
    return ((name, None) for name in names if not is_none(name))


def _part(labels: Path, mapping: Path | None, reading: LabelFormat) -> RelationPart:
    return RelationPart(labels, read_mapping(mapping) if mapping else UNMAPPED, reading)


RE = TaskEvaluation(_samples, _items, pooled=True, named=True, part=_part)
