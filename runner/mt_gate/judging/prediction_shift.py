"""Whether predictions on the originals moved by more than chance, where no right answer is known.

Without right answers nobody can say whether a shift is for better or worse, so it leaves a run
open. A system that predicts one class for nearly everything has collapsed.

References:
    McNemar 1947, Psychometrika 12:153, the paired test of two proportions.
    Cohen 1960, Educ. Psychol. Meas. 20:37, agreement beyond what chance gives.
    Landis and Koch 1977, Biometrics 33:159.
    Holm 1979, Scand. J. Statist. 6:65.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from mt_gate.base.figures import count, percent
from mt_gate.base.redaction import shorten
from mt_gate.judging.statistics import SEED, holm, sign_flip_p
from mt_gate.results.result import AnswerChurn, Profiles, RunSettings
from mt_gate.results.rules import MIN_CLUSTERS, is_above
from mt_gate.tasks.spec import Output, TaskSpec

ONE_CLASS = 0.99
"""From this share of one prediction on, a system distinguishes nothing."""
SEVERAL_CLASSES = 0.9
"""Up to this share of the same prediction, its baseline did."""
SLIGHT_AGREEMENT = 0.2
"""Cohen's kappa from which two systems agree more than slightly (Landis and Koch 1977)."""
_LONGEST, _MOST = 60, 3
"""Characters of a label, and labels, that a sentence shows."""
_UNKNOWN = (
    " mt-gate has no labels for these texts, so it does not know whether that is better or worse."
)


class Original(NamedTuple):
    """The labels that both runs predict for one original, of ``labels_of``.

    ``cluster`` is what it is counted under.
    """

    cluster: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class Shift(NamedTuple):
    """A label whose share of the predictions moved.

    ``before`` and ``after`` are its shares of the originals, or for task ``ner`` entities per
    original; ``p_value`` is two-sided.
    """

    label: str
    before: float
    after: float
    p_value: float


def labels_of(task: TaskSpec, output: Output) -> tuple[str, ...]:
    """Return the labels of a prediction, sorted: of task ``ner`` that of each entity."""
    if task.spans:
        return tuple(sorted(label for _, _, label in output["entities"]))
    return tuple(sorted(task.decided(output))) if task.decided else ()


def find_one_class(
    task: TaskSpec, churn: AnswerChurn | None, profiles: Profiles, *, known: bool
) -> str:
    """Return a sentence where a system predicts one class for everything; empty otherwise.

    ``churn`` is of all inputs that both runs predicted; without it the profiles over the originals
    count. Where known answers were compared these alone show nothing: all originals may be of one
    class.
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
    """Yield each label with its shares of the inputs before and now; last that of none."""
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
    silent_before, silent_now = (max(0.0, 1 - of.total() / number) for of in (before, after))
    yield "", silent_before, silent_now


def _shares(task: TaskSpec, profile: Mapping[str, float] | None) -> dict[str, float]:
    """Return the share of each label in a profile, or the number of its entities per original."""
    prefix = _prefix(task)
    shares = {
        name.removeprefix(prefix): share
        for name, share in (profile or {}).items()
        if name.startswith(prefix)
    }
    return {label: of for label, of in shares.items() if not task.answers or label in task.answers}


def _prefix(task: TaskSpec) -> str:
    return "entities per sentence: " if task.spans else "share of "


def describe_shift(
    task: TaskSpec,
    originals: Sequence[Original],
    profiles: Sequence[Mapping[str, float]],
    settings: RunSettings,
) -> str:
    """Return a sentence where predictions moved by more than chance; empty otherwise.

    The right answers of the originals are not known. What lies between the profiles of two runs
    of the baseline is chance.
    """
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
    """Return what ``describe_shift`` does, from ``shifts_of_profiles``.

    ``runs`` are the profiles of each run of the baseline.
    """
    if originals < MIN_CLUSTERS:
        return ""
    moved = shifts_of_profiles(task, profiles, originals)
    units = sum(shift.before for shift in moved) if task.spans else 1.0
    return _describe(moved, units, task, runs, settings)


def shifts(task: TaskSpec, originals: Sequence[Original]) -> list[Shift]:
    """Return for each predicted label how its share moved, p-values adjusted (Holm)."""
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
    adjusted = holm([_two_sided([*moved[label].values()]) for label in labels])
    number = len(originals)
    return [
        Shift(label, before[label] / number, after[label] / number, p)
        for label, p in zip(labels, adjusted, strict=True)
    ]


def shifts_of_profiles(task: TaskSpec, profiles: Profiles, originals: int) -> list[Shift]:
    """Return the same from the shares alone, of a baseline that keeps no predictions.

    The test is of two independent samples, which finds less.
    """
    before, after = (_shares(task, of) for of in (profiles.baseline, profiles.candidate))
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
    """Return a sentence on the labels whose share moved too far, the largest move first.

    ``units`` are what shares are of: 1 original, or the entities that it has.
    """
    large = [
        shift
        for shift in moved
        if shift.p_value < settings.alpha
        and is_above(abs(shift.after - shift.before), settings.margin * units)
        and not _is_between(shift, runs, task)
    ]
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


def _is_between(shift: Shift, profiles: Sequence[Mapping[str, float]], task: TaskSpec) -> bool:
    name = f"{_prefix(task)}{shift.label}"
    known = [profile[name] for profile in profiles if name in profile]
    return len(known) > 1 and min(known) <= shift.after <= max(known)


def _two_sided(differences: Sequence[int]) -> float:
    side = 1 if sum(differences) >= 0 else -1
    return min(1.0, 2 * sign_flip_p([side * of for of in differences], seed=SEED))


def _unpaired(before: float, after: float, number: int, task: TaskSpec) -> float:
    """Return a two-sided p for two shares, or counts of entities per original, of as many each."""
    variance = (before + after) / number
    if not task.spans:
        variance -= (before**2 + after**2) / number
    if variance <= 0:
        return 1.0 if before == after else 0.0
    return 2 * (1 - NormalDist().cdf(abs(after - before) / math.sqrt(variance)))


def _agree_by_chance(originals: Sequence[Original], alpha: float) -> bool:
    """Whether two systems with these shares that know nothing of each other agree as often."""
    number = len(originals)
    before = Counter(original.before for original in originals)
    after = Counter(original.after for original in originals)
    if len(before) == 1 or len(after) == 1:
        return False  # nothing but the shares can tell
    same = sum(original.before == original.after for original in originals)
    chance = sum(before[labels] * after[labels] for labels in before) / number**2
    reach = NormalDist().inv_cdf(1 - alpha) * math.sqrt(chance * (1 - chance) / number)
    kappa = (same / number - chance) / (1 - chance)
    return kappa < SLIGHT_AGREEMENT and same / number <= chance + reach


def _named(label: str) -> str:
    return f"“{shorten(label, _LONGEST)}”" if label else "no label"
