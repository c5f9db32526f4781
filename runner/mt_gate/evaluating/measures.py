"""What an evaluation measures on labels: accuracy, precision, recall and F1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mt_gate.evaluating.labelled import Labelled, evaluation_of
from mt_gate.evaluating.records import Measure, Share, plain_share
from mt_gate.judging import statistics


class Answered(NamedTuple):
    """A sample with the system's output, None where it gave none, and whether that is right."""

    sample: Labelled
    output: Mapping[str, Any] | None
    right: bool


def measures(task: str, answers: Sequence[Answered]) -> tuple[Measure, ...]:
    """Return precision, recall and F1, of all labels where that says more, then by label.

    The intervals are bootstraps over samples, or their clusters: items of one go together.
    """
    about = evaluation_of(task)
    parts = [
        (
            set(about.items(answer.output) if answer.output is not None else ()),
            set(about.items(answer.sample.gold)),
        )
        for answer in answers
    ]
    clusters = _clusters(answers)
    labels = sorted({label for both in parts for items in both for label, _ in items})
    return tuple(
        measure
        for label in ([None] if about.pooled else []) + labels
        for measure in _figures(label, parts, clusters)
    )


def _figures(
    label: str | None,
    predicted_and_gold: Iterable[tuple[set[Any], set[Any]]],
    clusters: Sequence[str],
) -> Iterable[Measure]:
    sizes = []
    for predicted, gold in predicted_and_gold:
        if label is not None:
            predicted, gold = (
                {item for item in side if item[0] == label} for side in (predicted, gold)
            )
        sizes.append((len(predicted & gold), len(predicted), len(gold)))
    counts = _summed(sizes, clusters)
    for name, pairs in (
        ("precision", [(both, predicted) for both, predicted, _ in counts]),
        ("recall", [(both, gold) for both, _, gold in counts]),
        # F1 is a ratio of sums too: twice what both have, of what the two have together.
        ("F1", [(2 * both, predicted + gold) for both, predicted, gold in counts]),
    ):
        yield Measure(name=name, label=label or "", share=_ratio(pairs))


def right_share(answers: Sequence[Answered]) -> Share:
    """Return the share of samples predicted correctly.

    The interval is Wilson's; a bootstrap over clusters where samples share them.
    """
    outcomes = [(int(answer.right), 1) for answer in answers]
    if not any(answer.sample.cluster for answer in answers):
        return plain_share(sum(count for count, _ in outcomes), len(outcomes))
    return _ratio(_summed(outcomes, _clusters(answers)))


def labels_of(task: str, outputs: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the labels that occur in outputs."""
    items = evaluation_of(task).items
    return {label for output in outputs for label, _ in items(output)}


def _clusters(answers: Sequence[Answered]) -> list[str]:
    return [answer.sample.cluster or f"{at}" for at, answer in enumerate(answers)]


def _summed(counts: Iterable[tuple[int, ...]], clusters: Sequence[str]) -> list[tuple[int, ...]]:
    by_label: dict[str, tuple[int, ...]] = {}
    for own, cluster in zip(counts, clusters, strict=True):
        before = by_label.get(cluster)
        by_label[cluster] = tuple(map(sum, zip(before, own, strict=True))) if before else own
    return [*by_label.values()]


def _ratio(pairs: Iterable[tuple[int, ...]]) -> Share:
    """Add up (count, of) by cluster; those with nothing to count are skipped."""
    # Equal clusters, which most are, are summed up in whole numbers.
    kinds = Counter(pair for pair in pairs if pair[1])
    count = sum(number * pair[0] for pair, number in kinds.items())
    of = sum(number * pair[1] for pair, number in kinds.items())
    if not of:
        return Share(count=0, of=0, rate=None, ci95=None)
    parts, wholes = zip(*kinds.elements(), strict=True)
    interval = statistics.rate_interval(parts, wholes)
    return Share(count=count, of=of, rate=count / of, ci95=interval)
