"""Changes between two runs, even if no rate moved: of predictions, cases, and labelled inputs.

Two checkpoints of equal accuracy may differ in a tenth of all predictions. References:
    Milani Fard et al. 2016, Launch and Iterate, NeurIPS: churn, the share of changed predictions.
    Xie et al. 2021, Regression Bugs Are In Your Model!, ACL: negative flips, right before and
    wrong now, over all inputs.
    McNemar 1947, Psychometrika 12:153, the paired test of two proportions.
    Cohen 1960, Educ. Psychol. Meas. 20:37, agreement beyond chance.
    Landis and Koch 1977, Biometrics 33:159.
    Holm 1979, Scand. J. Statist. 6:65.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from mt_gate.base.escaping import shorten
from mt_gate.base.figures import count, percent
from mt_gate.domain import AnswerChange, AnswerMove
from mt_gate.judging.statistics import holm, rate_interval, sign_flip_p
from mt_gate.judging.verdicts import RelationVerdicts
from mt_gate.results.result import (
    MOST_LABELS,
    MOST_MOVES,
    AnswerChurn,
    Change,
    Drift,
    Flips,
    LabelChurn,
    LabelledAnswers,
    LabelledFlips,
    MovedAnswers,
    Profiles,
    RunSettings,
)
from mt_gate.results.rules import MIN_CLUSTERS, is_above
from mt_gate.tasks.spec import Output, TaskSpec

_ALIKE = 4096
"""Size of the cache of compared pairs of predictions; many inputs have the same pair."""


class BothAnswers(NamedTuple):
    """Predictions of baseline and candidate for an input, as JSON; None if one is missing."""

    cluster: str
    before: bytes | None
    after: bytes | None


def flips(clusters: Iterable[Sequence[int]]) -> Flips:
    """Add up (changed, all) of each cluster, and return the rate of changes with its interval."""
    # Sort, so that no digit depends on the order of the clusters.
    counts = sorted((number, whole) for number, whole in clusters if whole)
    if not counts:
        return Flips(number=0, of=0, clusters=0)
    numbers, sizes = zip(*counts, strict=True)
    return Flips(
        number=sum(numbers),
        of=sum(sizes),
        clusters=len(sizes),
        rate=sum(numbers) / sum(sizes),
        ci95=rate_interval(numbers, sizes),
    )


def group_flips(
    moved: Mapping[str, Mapping[str, Change]], verdicts: Iterable[RelationVerdicts]
) -> Flips:
    """Return how many groups with both verdicts are newly violated.

    ``moved`` holds the result of ``clustered.changes`` by relation. Relations that build groups at
    run time are skipped: each run builds its own groups, so they cannot be compared one by one.
    """
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for relation in verdicts:
        if relation.bound:
            continue
        for group, change in moved[relation.id].items():
            # A study's file may name violated groups whose source it does not have.
            if source := relation.source_of.get(group):
                counts[source][0] += change is Change.NEW
                counts[source][1] += 1
    return flips(counts.values())


def answer_churn(
    spec: TaskSpec, answers: Iterable[BothAnswers], read: Callable[[bytes], Output]
) -> AnswerChurn:
    """Return the changed predictions over distinct inputs; ``read`` parses a prediction."""

    @lru_cache(maxsize=_ALIKE)
    def compared(before: bytes, after: bytes) -> tuple[tuple[AnswerMove, ...], float | None]:
        was = read(before)
        now = was if before == after else read(after)
        old, new = spec.score(was), spec.score(now)
        drift = abs(new.value - old.value) if old and new and old.of == new.of else None
        return tuple(spec.moves(was, now)), drift

    one_side = 0
    times: Counter[AnswerMove] = Counter()
    # (changed, all) inputs by cluster, overall and for each label that the baseline predicts.
    every: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    of_label: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0])
    )
    totals: Counter[str] = Counter()
    drifts = array("d")
    for cluster, before, after in answers:
        if before is None or after is None:
            one_side += 1
            continue
        moves, drift = compared(before, after)
        every[cluster][0] += any(move.how is not AnswerChange.KEPT for move in moves)
        every[cluster][1] += 1
        for move in moves:
            times[move] += 1
            if move.before:
                totals[move.before] += 1
                of_label[move.before][cluster][0] += move.how is not AnswerChange.KEPT
                of_label[move.before][cluster][1] += 1
        if drift is not None:
            drifts.append(drift)
    frequent = sorted(totals, key=lambda label: (-totals[label], label))[:MOST_LABELS]
    ordered = sorted(times.items(), key=lambda item: (-item[1], item[0]))
    moved = None
    if drifts:
        sizes = np.sort(np.minimum(drifts, 1.0))
        moved = Drift(
            inputs=len(sizes),
            mean=min(1.0, float(sizes.mean())),
            p99=min(1.0, float(np.percentile(sizes, 99))),
        )
    return AnswerChurn(
        inputs=flips(every.values()),
        one_side=one_side,
        labels=tuple(
            LabelChurn(label=label, flips=flips(of_label[label].values())) for label in frequent
        ),
        moves=tuple(
            MovedAnswers(how=move.how, before=move.before, after=move.after, number=number)
            for move, number in ordered[:MOST_MOVES]
        ),
        omitted=sum(number for _, number in ordered[MOST_MOVES:]),
        drift=moved,
    )


def labelled_flips(
    candidate: LabelledAnswers | None, baselines: Sequence[LabelledAnswers | None]
) -> LabelledFlips | None:
    """Return the flips against most baseline runs; None if the labelled inputs are not the same."""
    runs = [
        run
        for run in baselines
        if run is not None
        and candidate
        and (run.sha256, run.inputs, run.clusters)
        == (candidate.sha256, candidate.inputs, candidate.clusters)
    ]
    if candidate is None or not runs or len(runs) < len(baselines):
        return None
    wrong = Counter(number for run in runs for number in run.wrong)
    times_wrong = np.zeros(candidate.inputs, dtype=np.int64)
    times_wrong[[*wrong]] = [*wrong.values()]
    right_before, wrong_before = 2 * times_wrong < len(runs), 2 * times_wrong > len(runs)
    wrong_now = np.zeros(candidate.inputs, dtype=bool)
    wrong_now[[*candidate.wrong]] = True
    sizes = np.array(candidate.clusters or (1,) * candidate.inputs)
    starts = np.cumsum(sizes) - sizes
    negative = np.add.reduceat((right_before & wrong_now).astype(int), starts)
    return LabelledFlips(
        labels=candidate.labels,
        negative=flips(zip(negative.tolist(), sizes.tolist(), strict=True)),
        positive=int((wrong_before & ~wrong_now).sum()),
    )


ONE_CLASS = 0.99
"""Least share of one prediction at which a system counts as predicting one class only."""
SEVERAL_CLASSES = 0.9
"""Largest share of that prediction at which the baseline counts as predicting several classes."""
SLIGHT_AGREEMENT = 0.2
"""Cohen's kappa above which agreement is more than slight (Landis and Koch 1977)."""
_LONGEST, _MOST = 60, 3
"""Maximum characters of a label, and number of labels, in a sentence."""
_SPANS, _SHARE = "entities per sentence: ", "share of "
"""Prefixes of names in a profile: for tasks with spans, and for other tasks."""
_UNKNOWN = (
    " mt-gate has no labels for these texts, so it does not know whether that is better or worse."
)


class Original(NamedTuple):
    """The labels that each run predicts for one original text, from ``labels_of``."""

    cluster: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class Shift(NamedTuple):
    """A label's share of originals (``ner``: entities per original) in both runs, two-sided p."""

    label: str
    before: float
    after: float
    p_value: float


def labels_of(task: TaskSpec, output: Output) -> tuple[str, ...]:
    """Return the sorted labels of a prediction; for task ``ner``, the label of each entity."""
    if task.spans:
        return tuple(sorted(label for _, _, label in output["entities"]))
    return tuple(sorted(task.decided(output))) if task.decided else ()


def find_one_class(
    task: TaskSpec, churn: AnswerChurn | None, profiles: Profiles, *, known: bool
) -> str:
    """Return a sentence if the candidate predicts one class for nearly everything; empty otherwise.

    ``churn`` covers all inputs that both runs predicted. Without it, use the profiles over the
    originals, unless known answers were compared: then all originals may rightly be of one class.
    """
    if task.spans:
        return ""
    if churn:
        shares = [*_shares_of_moves(churn)]
    elif known or not (before := _shares(task, profiles.baseline)):
        shares = []
    else:
        after = _shares(task, profiles.candidate)
        shares = [(label, before.get(label, 0.0), share) for label, share in after.items()]
    for label, old, new in shares:
        if new >= ONE_CLASS and old <= SEVERAL_CLASSES:
            return (
                f"the model predicts {_named(label)} for {percent(new)} of the inputs "
                f"({percent(old)} in the baseline)"
            )
    return ""


def _shares_of_moves(churn: AnswerChurn) -> Iterator[tuple[str, float, float]]:
    """Yield each label with its shares of inputs before and now; last, inputs without a label."""
    number = churn.inputs.of
    if number < MIN_CLUSTERS:
        return
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for move in churn.moves:
        before[move.before] += move.number
        after[move.after] += move.number
    for counts in (before, after):
        counts.pop("", None)
    if sum(times > (1 - ONE_CLASS) * number for times in after.values()) <= 1:
        for label in after:
            yield label, min(1.0, before[label] / number), min(1.0, after[label] / number)
    silent_before, silent_now = (
        max(0.0, 1 - counts.total() / number) for counts in (before, after)
    )
    yield "", silent_before, silent_now


def _shares(task: TaskSpec, profile: Mapping[str, float] | None) -> dict[str, float]:
    """Return the share of each label in a profile, or the number of its entities per original."""
    prefix = _SPANS if task.spans else _SHARE
    shares = {
        name.removeprefix(prefix): share
        for name, share in (profile or {}).items()
        if name.startswith(prefix)
    }
    return {
        label: share for label, share in shares.items() if not task.answers or label in task.answers
    }


def describe_shift(
    task: TaskSpec,
    originals: Sequence[Original],
    profiles: Sequence[Mapping[str, float]],
    settings: RunSettings,
) -> str:
    """Return a sentence if label shares shifted, or if the runs agree no more than by chance."""
    if len({original.cluster for original in originals}) < MIN_CLUSTERS:
        return ""
    number = len(originals)
    if not task.spans and _agree_by_chance(originals, settings.alpha):
        same = sum(original.before == original.after for original in originals) / number
        return (
            f"predictions agree with the baseline's on {percent(same)} of {count(number)} "
            f"originals, no more often than chance would.{_UNKNOWN}"
        )
    entities = sum(len(original.before) for original in originals) / number
    units = entities if task.spans else 1.0
    return _describe(shifts(task, originals), units, task, profiles, settings)


def describe_shift_of_profiles(
    task: TaskSpec,
    profiles: Profiles,
    originals: int,
    runs: Sequence[Mapping[str, float]],
    settings: RunSettings,
) -> str:
    """Return the sentence of ``describe_shift``, computed from ``shifts_of_profiles``."""
    if originals < MIN_CLUSTERS:
        return ""
    moved = shifts_of_profiles(task, profiles, originals)
    units = sum(shift.before for shift in moved) if task.spans else 1.0
    return _describe(moved, units, task, runs, settings)


def shifts(task: TaskSpec, originals: Sequence[Original]) -> list[Shift]:
    """Return the shift of each predicted label's share, with p-values adjusted by Holm."""
    moved: defaultdict[str, Counter[str]] = defaultdict(Counter)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for original in originals:
        old, new = (
            Counter(labels) if labels or task.spans else Counter({"": 1})
            for labels in (original.before, original.after)
        )
        before.update(old)
        after.update(new)
        for label in {*old, *new}:
            moved[label][original.cluster] += new[label] - old[label]
    labels = sorted(moved)
    single = []
    for label in labels:
        side = 1 if moved[label].total() >= 0 else -1
        one_sided = sign_flip_p([side * move for move in moved[label].values()])
        single.append(min(1.0, 2 * one_sided))
    adjusted = holm(single)
    number = len(originals)
    return [
        Shift(label, before[label] / number, after[label] / number, p)
        for label, p in zip(labels, adjusted, strict=True)
    ]


def shifts_of_profiles(task: TaskSpec, profiles: Profiles, originals: int) -> list[Shift]:
    """Return shifts from shares alone, as of two independent samples; the test has less power."""
    before, after = (_shares(task, profile) for profile in (profiles.baseline, profiles.candidate))
    if not before or not originals:
        return []
    labels = sorted({*before, *after})
    pairs = [(before.get(label, 0.0), after.get(label, 0.0)) for label in labels]
    adjusted = holm([_unpaired(old, new, originals, task) for old, new in pairs])
    return [Shift(label, *pair, p) for label, pair, p in zip(labels, pairs, adjusted, strict=True)]


def _describe(
    moved: Sequence[Shift],
    units: float,
    task: TaskSpec,
    runs: Sequence[Mapping[str, float]],
    settings: RunSettings,
) -> str:
    large = []
    for shift in moved:
        name = f"{_SPANS if task.spans else _SHARE}{shift.label}"
        known = [profile[name] for profile in runs if name in profile]
        between = len(known) > 1 and min(known) <= shift.after <= max(known)
        too_far = is_above(abs(shift.after - shift.before), settings.margin * units)
        if shift.p_value < settings.alpha and too_far and not between:
            large.append(shift)
    if not large:
        return ""
    large.sort(key=lambda shift: (-abs(shift.after - shift.before), shift.label))
    parts = []
    for shift in large[:_MOST]:
        old, new = (
            f"{share:.3f} per original" if task.spans else percent(share)
            for share in (shift.before, shift.after)
        )
        parts.append(f"{_named(shift.label)} {old} → {new}")
    if len(large) > _MOST:
        parts.append(f"{len(large) - _MOST} more")
    return f"predictions on the original texts shifted: {', '.join(parts)}.{_UNKNOWN}"


def _unpaired(before: float, after: float, number: int, task: TaskSpec) -> float:
    """Return a two-sided p for two shares, or entities per original, each of ``number`` texts."""
    variance = (before + after) / number
    if not task.spans:
        variance -= (before**2 + after**2) / number
    if variance <= 0:
        return 1.0 if before == after else 0.0
    return 2 * (1 - NormalDist().cdf(abs(after - before) / math.sqrt(variance)))


def _agree_by_chance(originals: Sequence[Original], alpha: float) -> bool:
    """Whether the runs agree no more often than independent systems with the same label shares."""
    number = len(originals)
    before = Counter(original.before for original in originals)
    after = Counter(original.after for original in originals)
    if len(before) == 1 or len(after) == 1:
        return False  # kappa is undefined or 0 if a run predicts one class only
    same = sum(original.before == original.after for original in originals)
    chance = sum(before[labels] * after[labels] for labels in before) / number**2
    reach = NormalDist().inv_cdf(1 - alpha) * math.sqrt(chance * (1 - chance) / number)
    kappa = (same / number - chance) / (1 - chance)
    return kappa < SLIGHT_AGREEMENT and same / number <= chance + reach


def _named(label: str) -> str:
    return f"“{shorten(label, _LONGEST)}”" if label else "no label"
