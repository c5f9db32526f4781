"""What an evaluation of relation extraction says beside accuracy, as it stands on disk.

Facts are pairs of a unit (a bag of sentences, or a sentence) and a relation;
no relation is no fact. Counts travel; precision, recall and F1 of a relation
follow from its three.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from mt_gate.results.result import Count, Interval, Name, Rate, Text

Score = Annotated[float, msgspec.Meta(ge=-1e30, le=1e30)]
Span = tuple[Count, Count]
Protocol = Literal["held-out", "bag-manual", "sentence-manual"]
Aggregator = Literal["AVG", "ONE", "ATT", ""]
Basis = Literal["logits", "answers"]


class BoundedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure in [0, 1] with its 95 % interval; None where it is undefined."""

    value: Rate | None
    ci95: Interval | None


class RelationCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Of one relation: facts by the labels, facts predicted, and facts in both."""

    relation: Name
    facts: Count
    predicted: Count
    right: Count


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One precision-recall curve, and what is read off it.

    ``facts`` counts those of the labels, ``out_of_reach`` those among them
    whose relation the system has no label for. ``micro_f1`` is that of the
    curve's best point, ``threshold`` the score there; ``macro_f1`` and
    ``relations`` are of what scores that or more, ``macro_f1`` the mean over
    relations with a fact. ``in_auto`` counts the false facts there that
    the automatic labels have; None where these are the labels, or there are
    none. ``precision_at`` is by number of first facts. ``points`` are
    (recall, precision), best score first, a part of them where there are many.
    """

    protocol: Protocol
    aggregator: Aggregator
    units: Count
    facts: Count
    out_of_reach: Count
    auc: BoundedFigure
    average_precision: Rate | None
    micro_f1: BoundedFigure
    macro_f1: BoundedFigure
    threshold: Score | None
    relations: tuple[RelationCounts, ...]
    in_auto: Count | None
    precision_at: Mapping[Name, Rate]
    points: tuple[tuple[Rate, Rate], ...]


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """How good the automatic labels are by the manual ones, over bags that have both.

    ``agreeing`` of ``bags`` have the same labels in both. Of ``relations``,
    and of their sum ``all``, what is ``predicted`` is the automatic label.
    ``mapped`` tells the labels as they are scored from those of the file.
    """

    mapped: bool
    bags: Count
    agreeing: Count
    pair_accuracy: BoundedFigure
    precision: BoundedFigure
    recall: BoundedFigure
    all: RelationCounts
    relations: tuple[RelationCounts, ...]


class FalseFact(msgspec.Struct, frozen=True, kw_only=True):
    """A predicted fact that no sentence of its bag supports, with its best-scored sentence.

    ``in_auto`` says whether the automatic labels have it: a fact that may be
    true, and is not in the text.
    """

    relation: Name
    score: Score
    in_auto: bool
    sentences: Count
    text: Text
    head: Span
    tail: Span


class RelationProtocols(msgspec.Struct, frozen=True, kw_only=True):
    """The protocols of distantly supervised relation extraction on one set of predictions.

    ``basis`` says what of a system the bags are scored by: the logits of all
    labels, or its answers with their probabilities. ``false_facts`` are the
    first of ``false_total``, by the curve of ``bag-manual`` and ``ONE``.
    """

    basis: Basis
    sentences: Count
    bags: Count
    curves: tuple[Curve, ...]
    quality: tuple[Quality, ...] = ()
    false_total: Count = 0
    false_facts: tuple[FalseFact, ...] = ()
