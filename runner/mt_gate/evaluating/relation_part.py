"""What an evaluation of relation extraction does that no other task's does: labels, protocols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge
from mt_gate.evaluating.labelled import Labelled, LabelledFile, TaskEvaluation
from mt_gate.evaluating.mapping import UNMAPPED, LabelMapping, named, read_mapping
from mt_gate.evaluating.protocols import protocols, relations_of, relations_of_system
from mt_gate.evaluating.records import RelationProtocols
from mt_gate.evaluating.relation_labels import LabelFormat, LabelledPair, labelled_pairs
from mt_gate.evaluating.system_scores import SystemScores, system_scores
from mt_gate.running.predicting import Predictor
from mt_gate.sut.protocol import Prediction, System
from mt_gate.tasks.relation_extraction import NO_RELATION, is_none

NOT_BY_HAND = "without a manual label"


class RelationPart:
    """The labelled sentences of a file, and what becomes of a system's answers to them."""

    def __init__(self, path: Path, mapping: LabelMapping, reading: LabelFormat) -> None:
        """Read the file.

        Raises:
            UsageError: an unknown form, or a patch that is missing or out of place.
            CannotJudge: it is missing or unfit.
        """
        self.path = path
        self.mapping = mapping
        self.pairs, self._left_out = labelled_pairs(path, reading)

    @cached_property
    def found(self) -> LabelledFile:
        """The sentences as samples: those labelled by hand, or all where none is."""
        by_hand = [item for item in self.pairs if item.manual is not None]
        without = len(self.pairs) - len(by_hand) if by_hand else 0
        left_out = {**self._left_out, **({NOT_BY_HAND: without} if without else {})}
        return LabelledFile(
            [self._sample(item) for item in by_hand or self.pairs],
            left_out,
        )

    def _sample(self, item: LabelledPair) -> Labelled:
        return _labelled(item, relations_of(item.gold(), self.mapping))

    def asked(self, system: System, predictor: Predictor) -> RelationAnswers:
        """Ask a system for its scores of all sentences.

        Raises:
            CannotJudge: scores of another form, or no label that the file has too.
        """
        labels = tuple(getattr(system, "labels", ()))
        self._check(labels)
        card = getattr(system, "card", None)
        attention = bool(getattr(card, "selective_attention", False))
        said = system_scores(predictor.predict([item.input for item in self.pairs]), labels)
        self._check(said.labels)
        return RelationAnswers(self, labels, said, attention=attention)

    def _check(self, labels: Sequence[str]) -> None:
        """Raise where file and system have no label in common: all facts would be missed."""
        ours, theirs = self.relations, relations_of_system(labels, self.mapping)
        if ours and theirs and not ours & theirs:
            raise CannotJudge(
                f"{self.path}: labels are {named(ours, 6)}, the system's are {named(theirs, 6)}; "
                "expected the same names; map the labels of one side to the other's (--mapping)"
            )

    @cached_property
    def names(self) -> frozenset[str]:
        """The labels as they stand in the file."""
        kinds = (labels for item in self.pairs for labels in (item.auto, item.manual) if labels)
        return frozenset().union(*kinds)

    @cached_property
    def relations(self) -> frozenset[str]:
        """The labels as they are scored."""
        return relations_of(self.names, self.mapping)


class RelationAnswers:
    """A system's scores of the sentences of a file."""

    def __init__(
        self, part: RelationPart, labels: Sequence[str], said: SystemScores, *, attention: bool
    ) -> None:
        """Keep what was asked; ``labels`` are the system's, empty where it does not say."""
        self._part = part
        self._labels = labels
        self._said = said
        self._attention = attention

    @cached_property
    def relations(self) -> frozenset[str]:
        """The system's labels as they are scored."""
        return relations_of_system(self._said.labels, self._part.mapping)

    def put(self, output: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer in the labels that are scored.

        With a table, it is the relation whose labels have the highest sum of
        probabilities, no relation being one of them.
        """
        mapping = self._part.mapping
        if not mapping.system:
            return {"relation": mapping.of_system(output["relation"])}
        said = system_scores([Prediction(output)], self._labels)
        sums: dict[str, float] = {}
        for label, share in zip(said.labels, said.probabilities[0].tolist(), strict=True):
            relation = mapping.of_system(label)
            sums[relation] = sums.get(relation, 0.0) + share
        return {"relation": max(sums, key=sums.__getitem__)}

    def protocols(self) -> RelationProtocols:
        """Return the figures of all protocols that the labels allow."""
        part = self._part
        return protocols(part.pairs, self._said, part.mapping, attention=self._attention)

    def notes(self) -> Iterator[str]:
        """Yield what does not fit between the labels of file, system and table."""
        mapping, ours, theirs = self._part.mapping, self._part.relations, self.relations
        has = "does not have" if self._labels else "never predicted"
        if ours - theirs:
            yield (
                f"labels of the file that the system {has}, so all their facts are missed: "
                f"{named(ours - theirs)}"
            )
        if theirs - ours:
            yield f"labels of the system that the file does not have: {named(theirs - ours)}"
        unused = mapping.unused(self._part.names, self._said.labels)
        if unused:
            yield f"labels of {mapping.name} that neither side has: {named(unused)}"
        if self._said.basis == "answers":
            yield (
                "the system gives no scores of all labels: bags are scored by the probability of "
                "each sentence's answer; no other relation is ranked, so that curves end there"
            )


def _labelled(item: LabelledPair, relations: Iterable[str]) -> Labelled:
    """Return a sentence with two entities as a sample; sentences of one bag are one cluster."""
    names = sorted(relations) or [NO_RELATION]
    return Labelled(item.id, item.input, {"relations": names}, item.bag)


def _samples(path: Path) -> Iterator[Labelled]:
    for item in labelled_pairs(path).pairs:
        yield _labelled(item, item.gold())


def _items(output: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    """Return the relations; no relation is nothing to be found."""
    names = output.get("relations") or (output["relation"],)
    return ((name, None) for name in names if not is_none(name))


def _part(labels: Path, mapping: Path | None, reading: LabelFormat) -> RelationPart:
    return RelationPart(labels, read_mapping(mapping) if mapping else UNMAPPED, reading)


EVALUATION = TaskEvaluation(_samples, _items, pooled=True, named=True, part=_part)
