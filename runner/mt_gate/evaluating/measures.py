"""What an evaluation measures on labels beside accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mt_gate.evaluating.labelled import Labelled, TaskEvaluation, evaluation_of
from mt_gate.evaluating.records import Measure, Share, plain_share
from mt_gate.judging import statistics

PRECISION, RECALL, F1 = "precision", "recall", "F1"


class Answered(NamedTuple):
    """A sample with the system's output, None where it gave none, and whether that is right."""

    sample: Labelled
    output: Mapping[str, Any] | None
    right: bool


class _Counts(NamedTuple):
    """Of a sample or a cluster of them: items in both outputs, in the system's, in the gold."""

    both: int
    given: int
    gold: int


def measures(task: str, answers: Sequence[Answered]) -> tuple[Measure, ...]:
    """Return precision, recall and F1, of all labels where that says more, then by label.

    The intervals are bootstraps over samples, or their clusters: items of one go together.
    """
    about = evaluation_of(task)
    found = [_items(about, answer) for answer in answers]
    clusters = _clusters(answers)
    labels = sorted({label for both in found for items in both for label, _ in items})
    wanted = [None, *labels] if about.pooled else labels
    return tuple(
        measure
        for label in wanted
        for measure in _figures(
            label or "", _by_cluster([_counts(*both, label) for both in found], clusters)
        )
    )


def right_share(answers: Sequence[Answered]) -> Share:
    """Return the share of samples answered right.

    The interval is Wilson's; a bootstrap over clusters where samples share them.
    """
    outcomes = [(int(answer.right), 1) for answer in answers]
    if not any(answer.sample.cluster for answer in answers):
        return plain_share(sum(count for count, _ in outcomes), len(outcomes))
    return _ratio(_summed(outcomes, _clusters(answers)))


def _clusters(answers: Sequence[Answered]) -> list[str]:
    """Return the cluster of each sample; one that stands alone is its own."""
    return [answer.sample.cluster or f"{at}" for at, answer in enumerate(answers)]


def _by_cluster(counts: Sequence[_Counts], clusters: Sequence[str]) -> list[_Counts]:
    return [_Counts(*sums) for sums in _summed(counts, clusters)]


def _summed(counts: Iterable[tuple[int, ...]], clusters: Sequence[str]) -> list[tuple[int, ...]]:
    """Add up counts by cluster."""
    found: dict[str, tuple[int, ...]] = {}
    for own, cluster in zip(counts, clusters, strict=True):
        before = found.get(cluster)
        found[cluster] = tuple(map(sum, zip(before, own, strict=True))) if before else tuple(own)
    return [*found.values()]


def labels_of(task: str, outputs: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the labels that occur in outputs."""
    items = evaluation_of(task).items
    return {label for output in outputs for label, _ in items(output)}


def _items(about: TaskEvaluation, answer: Answered) -> tuple[set[Any], set[Any]]:
    given = about.items(answer.output) if answer.output is not None else ()
    return set(given), set(about.items(answer.sample.gold))


def _counts(given: set[Any], gold: set[Any], label: str | None) -> _Counts:
    if label is not None:
        given, gold = ({item for item in side if item[0] == label} for side in (given, gold))
    return _Counts(len(given & gold), len(given), len(gold))


def _figures(label: str, counts: Sequence[_Counts]) -> tuple[Measure, ...]:
    return (
        Measure(name=PRECISION, label=label, share=_ratio((c.both, c.given) for c in counts)),
        Measure(name=RECALL, label=label, share=_ratio((c.both, c.gold) for c in counts)),
        # F1 is a ratio of sums too: twice what both have, of what the two have together.
        Measure(name=F1, label=label, share=_ratio((2 * c.both, c.given + c.gold) for c in counts)),
    )


def _ratio(pairs: Iterable[tuple[int, ...]]) -> Share:
    """Add up (count, of) by cluster; those with nothing to count are left out."""
    # Equal clusters, which most are, are summed up in whole numbers.
    kinds = Counter(pair for pair in pairs if pair[1])
    count = sum(number * pair[0] for pair, number in kinds.items())
    of = sum(number * pair[1] for pair, number in kinds.items())
    if not of:
        return Share(count=0, of=0, rate=None, ci95=None)
    parts, wholes = zip(*kinds.elements(), strict=True)
    interval = statistics.rate_interval(parts, wholes)
    return Share(count=count, of=of, rate=count / of, ci95=interval)
