"""Whether predictions on the originals moved by more than chance, where no right answer is known.

Without right answers nobody can say whether a shift is for better or worse, so it leaves a run
open. A system that predicts one class for nearly everything has collapsed.

References:
    McNemar 1947, Psychometrika 12:153, the paired test of two proportions.
    Cohen 1960, Educ. Psychol. Meas. 20:37, agreement beyond what chance gives.
    Holm 1979, Scand. J. Statist. 6:65.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
_LONGEST, _MOST = 60, 3
"""Characters of a label, and labels, that a sentence shows."""
_NOTHING = "no label"
_SHARE = "share of "
_UNKNOWN = (
    " No right answer is known for these: mt-gate cannot tell whether that is better or worse."
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

    Args:
        task: of the run.
        churn: of all inputs that both runs predicted; None where the baseline's are not known.
        profiles: of both runs over the originals, used instead of ``churn``.
        known: whether known answers were compared; then profiles alone show nothing, since all
            originals may be of one class.
    """
    if task.spans:
        return ""
    shares = [*_shares_of_moves(churn)] if churn else [] if known else [*_shares_of(task, profiles)]
    for label, before, after in shares:
        if after >= ONE_CLASS and before <= SEVERAL_CLASSES:
            return (
                f"predicts {_named(label)} for {percent(after)} of the inputs; the baseline did "
                f"for {percent(before)}"
            )
    return ""


def _shares_of_moves(churn: AnswerChurn) -> Iterable[tuple[str, float, float]]:
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
    alone = len([label for label in after if after[label] > (1 - ONE_CLASS) * number]) <= 1
    if alone:
        for label in after:
            yield label, min(1.0, before[label] / number), min(1.0, after[label] / number)
    silent_before, silent_now = (max(0.0, 1 - of.total() / number) for of in (before, after))
    yield "", silent_before, silent_now


def _shares_of(task: TaskSpec, profiles: Profiles) -> Iterable[tuple[str, float, float]]:
    before, after = (_shares(task, of) for of in (profiles.baseline, profiles.candidate))
    return [(label, before.get(label, 0.0), share) for label, share in after.items() if before]


def _shares(task: TaskSpec, profile: Mapping[str, float] | None) -> dict[str, float]:
    """Return the share of each label in a profile, or the number of its entities per original."""
    prefix = _prefix(task)
    found = {
        name.removeprefix(prefix): x
        for name, x in (profile or {}).items()
        if name.startswith(prefix)
    }
    return {label: x for label, x in found.items() if not task.answers or label in task.answers}


def describe_shift(
    task: TaskSpec,
    originals: Sequence[Original],
    profiles: Sequence[Mapping[str, float]],
    settings: RunSettings,
) -> str:
    """Return a sentence where predictions moved by more than chance; empty otherwise.

    Args:
        task: of the run.
        originals: those whose right answer is not known.
        profiles: of each run of the baseline; what lies between two of them is chance.
        settings: of which ``alpha`` and ``margin`` count.
    """
    if len({one.cluster for one in originals}) < MIN_CLUSTERS:
        return ""
    if not task.spans and _agree_by_chance(originals, settings.alpha):
        same = sum(one.before == one.after for one in originals) / len(originals)
        return (
            f"predictions agree with the baseline's on {percent(same)} of {count(len(originals))} "
            f"originals, no more often than chance would.{_UNKNOWN}"
        )
    margin = settings.margin * _units(task, originals)
    found = [
        shift
        for shift in shifts(task, originals)
        if shift.p_value < settings.alpha
        and is_above(abs(shift.after - shift.before), margin)
        and not _is_between(shift, profiles, task)
    ]
    return in_words(found, task) if found else ""


def shifts(task: TaskSpec, originals: Sequence[Original]) -> list[Shift]:
    """Return for each predicted label how its share moved, p-values adjusted (Holm)."""
    moved: defaultdict[str, Counter[str]] = defaultdict(Counter)
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for one in originals:
        old, new = (_counted(task, labels) for labels in (one.before, one.after))
        before.update(old)
        after.update(new)
        for label in {*old, *new}:
            moved[label][one.cluster] += new[label] - old[label]
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


def describe_shift_of_profiles(
    task: TaskSpec,
    profiles: Profiles,
    originals: int,
    runs: Sequence[Mapping[str, float]],
    settings: RunSettings,
) -> str:
    """Return what ``describe_shift`` does, from ``shifts_of_profiles``.

    Args:
        task: of the run.
        profiles: of candidate and baseline, over the same originals.
        originals: their number.
        runs: the profile of each run of the baseline.
        settings: of which ``alpha`` and ``margin`` count.
    """
    if originals < MIN_CLUSTERS:
        return ""
    found = shifts_of_profiles(task, profiles, originals)
    units = sum(shift.before for shift in found) if task.spans else 1.0
    large = [
        shift
        for shift in found
        if shift.p_value < settings.alpha
        and is_above(abs(shift.after - shift.before), settings.margin * units)
        and not _is_between(shift, runs, task)
    ]
    return in_words(large, task) if large else ""


def in_words(found: Sequence[Shift], task: TaskSpec) -> str:
    """Return a sentence on labels whose share moved, the largest move first."""
    ordered = sorted(found, key=lambda one: (-abs(one.after - one.before), one.label))
    named = [
        f"{_named(one.label)} from {_shown(one.before, task)} to {_shown(one.after, task)}"
        for one in ordered[:_MOST]
    ]
    more = [f"{len(found) - _MOST} more"] if len(found) > _MOST else []
    moved = ", ".join([*named, *more])
    return f"predictions on the originals moved by more than chance: {moved}.{_UNKNOWN}"


def _shown(share: float, task: TaskSpec) -> str:
    return f"{share:.3f} per original" if task.spans else percent(share)


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


def _units(task: TaskSpec, originals: Sequence[Original]) -> float:
    """Return what shares are of: 1 original, or the entities found per original."""
    if not task.spans:
        return 1.0
    return sum(len(one.before) for one in originals) / len(originals)


def _is_between(shift: Shift, profiles: Sequence[Mapping[str, float]], task: TaskSpec) -> bool:
    """Whether runs of the baseline differ by as much from each other."""
    name = f"{_prefix(task)}{shift.label}"
    known = [profile[name] for profile in profiles if name in profile]
    return len(known) > 1 and min(known) <= shift.after <= max(known)


def _prefix(task: TaskSpec) -> str:
    return "entities per sentence: " if task.spans else _SHARE


def _agree_by_chance(originals: Sequence[Original], alpha: float) -> bool:
    """Whether two systems with these shares that know nothing of each other agree as often."""
    number = len(originals)
    before = Counter(one.before for one in originals)
    after = Counter(one.after for one in originals)
    if len(before) == 1 or len(after) == 1:
        return False  # nothing but the shares can tell
    same = sum(one.before == one.after for one in originals)
    chance = sum(before[labels] * after[labels] for labels in before) / number**2
    reach = NormalDist().inv_cdf(1 - alpha) * math.sqrt(chance * (1 - chance) / number)
    return same / number <= chance + reach


def _counted(task: TaskSpec, labels: tuple[str, ...]) -> Counter[str]:
    return Counter(labels) if labels or task.spans else Counter({"": 1})


def _named(label: str) -> str:
    return f"“{shorten(label, _LONGEST)}”" if label else _NOTHING
