"""The words of the protocols of relation extraction, alike in terminal, Markdown and page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mt_gate.base import figures
from mt_gate.base.redaction import shorten
from mt_gate.evaluating.records import (
    BoundedFigure,
    Curve,
    FalseFact,
    Quality,
    RelationCounts,
    RelationProtocols,
)

PROTOCOLS = {
    "held-out": "Held-out",
    "bag-manual": "Bag-level manual",
    "sentence-manual": "Sentence-level manual",
}
MEANINGS = {
    "held-out": "bags by the automatic labels",
    "bag-manual": "bags by the manual labels",
    "sentence-manual": "each sentence by itself, by the manual labels",
}
BASES = {
    "logits": "AVG is the mean of representations, by the mean of the logits",
    "answers": "AVG is the mean of the answers' probabilities: the system gives no logits",
}
_LONGEST_PART = 400


class FigureRow(NamedTuple):
    """One relation: facts, and its F1 by curve; None where it has no fact and is not predicted."""

    relation: str
    facts: int
    f1: tuple[float | None, ...]


class SentencePart(NamedTuple):
    """A part of a sentence: ``head``, ``tail``, or neither."""

    text: str
    argument: str


def curve_name(curve: Curve) -> str:
    """Return "Bag-level manual, ONE"."""
    return f"{PROTOCOLS[curve.protocol]}{', ' if curve.aggregator else ''}{curve.aggregator}"


def noun(curve: Curve) -> str:
    """Return what the units of a curve are called, by their number."""
    of = "sentence" if curve.protocol == "sentence-manual" else "bag"
    return of if curve.units == 1 else f"{of}s"


def units_text(curve: Curve) -> str:
    """Return "1,950 facts in 96,678 bags"."""
    units = f"{figures.count(curve.units)} {noun(curve)}"
    found = f"{figures.counted(curve.facts, 'fact')} in {units}"
    if curve.out_of_reach:
        found += f", {figures.count(curve.out_of_reach)} of relations that the system does not have"
    return found


def figure_text(figure: BoundedFigure) -> str:
    """Return "61.3 % (60.0 % to 62.5 %)"."""
    if figure.value is None:
        return figures.UNDEFINED
    bounds = f" ({figures.between(figure.ci95)})" if figure.ci95 else ""
    return figures.percent(figure.value) + bounds


def threshold_text(curve: Curve) -> str:
    """Return the score from which facts count as predicted."""
    return figures.significant(curve.threshold, 3)


def predicted(curve: Curve) -> tuple[int, int]:
    """Return how many facts are predicted at the threshold, and how many of them are false."""
    number = sum(counts.predicted for counts in curve.relations)
    return number, number - sum(counts.right for counts in curve.relations)


def precision_text(curve: Curve) -> str:
    """Return the precision of the first so many facts; empty where there are not as many."""
    found = (f"P@{n} {figures.percent(share)}" for n, share in curve.precision_at.items())
    return ", ".join(found)


def false_text(curve: Curve) -> str:
    """Return how many of the predicted facts are false, and how many of these automatic labels."""
    number, false = predicted(curve)
    found = f"{figures.count(false)} of {figures.counted(number, 'predicted fact')} false"
    if curve.in_auto is not None and false:
        found += f", {figures.count(curve.in_auto)} of these in the automatic labels"
    return found


def ratio(count: int, of: int) -> float | None:
    """Return a share; None of nothing."""
    return count / of if of else None


def f1(counts: RelationCounts) -> float | None:
    """Return a relation's F1; None where it has no fact and is not predicted."""
    return ratio(2 * counts.right, counts.facts + counts.predicted)


def relation_rows(protocols: RelationProtocols) -> list[FigureRow]:
    """Return F1 by relation, a column a curve; those with most facts first."""
    found: dict[str, dict[int, RelationCounts]] = {}
    for at, curve in enumerate(protocols.curves):
        for counts in curve.relations:
            found.setdefault(counts.relation, {})[at] = counts
    rows = [
        FigureRow(
            relation,
            max(counts.facts for counts in by.values()),
            tuple(f1(by[at]) if at in by else None for at in range(len(protocols.curves))),
        )
        for relation, by in found.items()
    ]
    return sorted(rows, key=lambda row: (-row.facts, row.relation))


def quality_title(quality: Quality) -> str:
    """Return which labels are held against which."""
    return "as scored" if quality.mapped else "as in the file"


def agreeing_text(quality: Quality) -> str:
    """Return "47 of 100 bags"."""
    return f"{figures.count(quality.agreeing)} of {figures.counted(quality.bags, 'bag')}"


def parts(fact: FalseFact) -> list[SentencePart]:
    """Return a false fact's sentence in parts, each of bounded length."""
    spans = sorted([(*fact.head, "head"), (*fact.tail, "tail")])
    found, at = [], 0
    for start, end, argument in spans:
        found += [
            SentencePart(fact.text[at:start], ""),
            SentencePart(fact.text[start:end], argument),
        ]
        at = end
    found.append(SentencePart(fact.text[at:], ""))
    return [
        SentencePart(shorten(part.text, _LONGEST_PART), part.argument)
        for part in found
        if part.text
    ]


def fact_text(fact: FalseFact) -> str:
    """Return a false fact as head, relation, tail."""
    head, tail = (fact.text[start:end] for start, end in (fact.head, fact.tail))
    return f"{shorten(head, 60)} · {fact.relation} · {shorten(tail, 60)}"


def fact_words(fact: FalseFact) -> str:
    """Return what is known of a false fact."""
    also = "; the automatic labels have it" if fact.in_auto else ""
    score = figures.significant(fact.score, 3)
    return f"score {score}, {figures.counted(fact.sentences, 'sentence')}{also}"


def lines(protocols: RelationProtocols) -> Iterator[str]:
    """Yield the figures for a terminal or a build log."""
    for curve in protocols.curves:
        yield f"{curve_name(curve)}: {units_text(curve)}"
        for name, figure in (
            ("AUC", curve.auc),
            ("micro F1, best point", curve.micro_f1),
            (f"macro F1, score >= {threshold_text(curve)}", curve.macro_f1),
        ):
            yield f"{'  ' + name:34} {figure_text(figure)}"
        yield f"{'  at that point':34} {false_text(curve)}"
        if curve.precision_at:
            yield f"{'  first facts':34} {precision_text(curve)}"
    for quality in protocols.quality:
        yield f"Automatic labels {quality_title(quality)}: {agreeing_text(quality)} agree"
        for name, figure in (
            ("pair accuracy", quality.pair_accuracy),
            ("precision", quality.precision),
            ("recall", quality.recall),
        ):
            yield f"{'  ' + name:34} {figure_text(figure)}"
