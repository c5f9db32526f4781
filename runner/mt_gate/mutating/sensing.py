"""How many samples that passed on the original fail on a mutant, and who would notice.

The ratio is that of Chen, Jin and Xie, ESEC/FSE 2021, section 6.4: of the
samples that pass on the original, the share that fails on the mutant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec
import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import CannotJudge
from mt_gate.judging import statistics
from mt_gate.judging.comparison import Outcome
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.results.result import GateVerdict, RunSettings, is_loss

_DECIMALS = 12


class Failing(msgspec.Struct, frozen=True, kw_only=True):
    """Of ``passed`` samples on the original, ``failing`` on the mutant."""

    passed: int
    failing: int

    @property
    def ratio(self) -> float | None:
        """Their share in [0, 1]; None where nothing passed."""
        return self.failing / self.passed if self.passed else None


class LabelledSet(msgspec.Struct, frozen=True, kw_only=True):
    """A labelled set on a mutant.

    ``newly_right`` counts samples wrong on the original and right on the mutant,
    ``p_value`` is McNemar's, exact, one-sided for worse; ``caught`` is whether a
    gate on accuracy would fail: p below alpha and a fall above the margin.
    """

    samples: int
    right: int
    newly_wrong: Failing
    newly_right: int
    p_value: float
    caught: bool


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate says of a mutant with the original's run as the baseline."""

    verdict: GateVerdict
    caught: bool
    reasons: tuple[str, ...]


class Conclusion(StrEnum):
    """Whether a relation reveals an operator's mutants better than accuracy does."""

    BETTER = "better"
    SIMILAR = "similar"
    WORSE = "worse"
    NO_DATA = "no-data"


class Signed(msgspec.Struct, frozen=True, kw_only=True):
    """A relation's ratios against accuracy's over the mutants of an operator.

    ``mutants`` counts those with both ratios, ``differing`` those whose two
    ratios differ; ``one_tailed`` is for the relation's being larger.
    """

    mutants: int
    differing: int
    two_tailed: float | None
    one_tailed: float | None
    conclusion: Conclusion


def answers(before: Sequence[bool], after: Sequence[bool], settings: RunSettings) -> LabelledSet:
    """Compare a labelled set's right and wrong answers, sample by sample."""
    worse = [int(was) - int(now) for was, now in zip(before, after, strict=True)]
    p_value = statistics.sign_flip_p(worse)
    fall = sum(worse) / len(worse) if worse else 0.0
    return LabelledSet(
        samples=len(worse),
        right=sum(after),
        newly_wrong=Failing(passed=sum(before), failing=worse.count(1)),
        newly_right=worse.count(-1),
        p_value=p_value,
        caught=p_value < settings.alpha and fall > settings.margin,
    )


def failing(now: RunVerdicts, before: RunVerdicts) -> dict[str, Failing]:
    """Count each relation's newly failing groups; of a bound relation its sources.

    A bound relation's groups depend on what the system answered, so they seldom
    meet. A source passes where it has an applicable group and none is violated.
    """
    return {name: _failing(now.get(name), before[name]) for name in before}


def _failing(now: RelationVerdicts | None, before: RelationVerdicts) -> Failing:
    if before.bound:
        passed = {
            source
            for source, verdicts in before.sources.items()
            if verdicts.applicable and not verdicts.violated
        }
        violated = {source for source in passed if now and _is_violated(now, source)}
        return Failing(passed=len(passed), failing=len(violated))
    new = now.violated & before.satisfied if now else frozenset()
    return Failing(passed=len(before.satisfied), failing=len(new))


def _is_violated(verdicts: RelationVerdicts, source: str) -> bool:
    found = verdicts.sources.get(source)
    return bool(found and found.violated)


def judged(outcome: Outcome) -> Judged:
    """Return what the gate said."""
    return Judged(
        verdict=outcome.verdict,
        caught=is_loss(outcome.verdict),
        reasons=outcome.reasons,
    )


def signed(
    relation: Sequence[float | None], accuracy: Sequence[float | None], alpha: float
) -> Signed:
    """Test a relation's ratios against accuracy's, mutant by mutant.

    As in the paper: similar unless the two-tailed test tells them apart, then
    better where the one-tailed test says the relation's are larger.
    """
    pairs = [
        (left, right)
        for left, right in zip(relation, accuracy, strict=True)
        if left is not None and right is not None
    ]
    if not pairs:
        return Signed(
            mutants=0,
            differing=0,
            two_tailed=None,
            one_tailed=None,
            conclusion=Conclusion.NO_DATA,
        )
    left, right = np.array(pairs, dtype=np.float64).T
    # Sums of fractions such as 1/3 and 2/3 are brought back to the number they stand for.
    differences = np.round(left - right, _DECIMALS)
    differences = differences[differences != 0]
    two_tailed, one_tailed = _signed_rank(differences)
    return Signed(
        mutants=len(pairs),
        differing=len(differences),
        two_tailed=two_tailed,
        one_tailed=one_tailed,
        conclusion=_conclusion(two_tailed, one_tailed, alpha),
    )


def _signed_rank(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return the two p-values of the signed-rank test (Wilcoxon 1945), two-tailed and for larger.

    Exact up to 50 differences, where some are equal up to 13, beyond that the normal
    approximation; both are 1 where there are none.

    Args:
        differences: shape (mutants,), finite, none of them zero.

    Raises:
        CannotJudge: SciPy is not installed.
    """
    if not len(differences):
        return 1.0, 1.0
    try:
        from scipy.stats import wilcoxon  # here: it takes long to import
    except ImportError as error:
        raise CannotJudge(
            f"{error.name} is not installed, which telling mutants apart takes; "
            "pip install 'mt-gate[export]', then run this again: what was found is kept"
        ) from None
    two_tailed, one_tailed = (
        float(wilcoxon(differences, alternative=tail).pvalue) for tail in ("two-sided", "greater")
    )
    return two_tailed, one_tailed


def _conclusion(two_tailed: float, one_tailed: float, alpha: float) -> Conclusion:
    if two_tailed >= alpha:
        return Conclusion.SIMILAR
    return Conclusion.BETTER if one_tailed < alpha else Conclusion.WORSE


def mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of what is defined; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def ratios(found: Sequence[Mapping[str, Failing]], name: str) -> list[float | None]:
    """Return one relation's ratio of each mutant."""
    return [item[name].ratio if name in item else None for item in found]
