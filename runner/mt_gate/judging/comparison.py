"""A candidate's verdicts against a baseline's: what got worse, and is it certain.

Both runs are reduced to ``RelationVerdicts``, paired, tested over sources and
judged. Nothing here reads a file or a clock, and the same verdicts give the
same decisions in whatever order they come.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from mt_gate.base.errors import CannotJudge
from mt_gate.domain import Verdict
from mt_gate.judging import statistics
from mt_gate.results.result import (
    Applicability,
    Change,
    Comparison,
    Decision,
    GateVerdict,
    GroupRow,
    RunSettings,
    exit_code,
)

MIN_CLUSTERS = 10
"""Fewer paired sources than this are not compared."""

MOST_EXCUSED = 0.02
"""Share of a relation's pairs that may be left out because noise could turn them; one at least.
Rounding alone never turns so many: more are the checkpoint's doing."""

SEED = 20180101
NOTHING_COMPARED = (
    f"nothing could be compared: no relation has {MIN_CLUSTERS} sources with an applicable group "
    "in both runs; run a larger suite, or record a new baseline"
)
EVERY_RELATION = "*"

# Worst first: the first that any part of the run earned is the gate's verdict.
SEVERITY = (
    Decision.REGRESSION,
    Decision.COLLAPSE,
    Decision.INCONCLUSIVE,
    Decision.NOT_COMPARABLE,
    Decision.IMPROVED,
    Decision.PASS,
)


@dataclass(frozen=True, slots=True)
class SourceVerdicts:
    """What the groups of one relation say of one source."""

    applicable: int = 0
    violated: frozenset[str] = frozenset()

    @property
    def rate(self) -> float:
        """Violated share of the applicable groups, of which there must be one."""
        return len(self.violated) / self.applicable


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVerdicts:
    """The verdicts of one run on one relation, by group id.

    ``not_applicable`` lists ids by reason. A run's own verdicts know the source
    of each group (``source_of``) and which are unstable; those read from a
    baseline do not, and keep of a ``bound`` relation only ``sources`` and the
    violated ids.
    """

    id: str
    bound: bool = False
    violated: frozenset[str] = frozenset()
    satisfied: frozenset[str] = frozenset()
    not_applicable: Mapping[str, frozenset[str]] = field(default_factory=dict)
    source_of: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, SourceVerdicts] = field(default_factory=dict)
    unstable: frozenset[str] = frozenset()

    @property
    def applicable(self) -> frozenset[str]:
        """Ids of the groups with a verdict for or against."""
        return self.violated | self.satisfied

    @property
    def groups(self) -> frozenset[str]:
        """Ids of all groups."""
        return self.applicable.union(*self.not_applicable.values())


RunVerdicts = Mapping[str, RelationVerdicts]
"""The verdicts of a run by relation id, in the order of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """One relation's groups applicable in both runs, added up by source.

    ``differences`` holds candidate's violations minus baseline's, ``weights``
    the pairs, both by source, in the same order. ``baseline_violations`` is their sum over the
    baseline, of rates where the relation is bound. ``unstable`` counts the candidate's groups
    that noise could turn, ``doubtful`` the pairs that hold one.
    """

    differences: Mapping[str, float]
    weights: Mapping[str, float]
    baseline_violations: float
    new: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    unstable: int = 0
    doubtful: int = 0

    @property
    def excusable(self) -> bool:
        """Whether some pairs are doubtful, and so few that a rise may be looked at without them."""
        pairs = math.fsum(self.weights.values())
        return 0 < self.doubtful <= max(1.0, MOST_EXCUSED * pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the gate says: of each relation, of all together, and why.

    ``changes`` gives the move of each group that has a verdict in both runs.
    """

    verdict: GateVerdict
    exit_code: int
    reasons: tuple[str, ...]
    relations: Mapping[str, Comparison]
    overall: Comparison
    changes: Mapping[str, Change]


@dataclass(frozen=True, slots=True)
class Finding:
    """A decision that one rule came to, and the sentence that says why."""

    decision: Decision
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """The clustered test of one pairing; p-values are None below MIN_CLUSTERS.

    ``p_adjusted`` and ``p_better`` (the test's other side) are after Holm.
    """

    delta: float
    p_value: float | None = None
    p_adjusted: float = 1.0
    p_better: float = 1.0

    def regressed(self, settings: RunSettings) -> bool:
        """Whether the difference is certain enough, and large enough, to fail."""
        return self.p_adjusted < settings.alpha and self.delta > settings.margin

    def improved(self, settings: RunSettings) -> bool:
        """The same, on the other side."""
        return self.p_better < settings.alpha and self.delta < -settings.margin


def verdicts_from_rows(rows: Iterable[GroupRow]) -> dict[str, RelationVerdicts]:
    """Reduce the rows of a run to its verdicts, one pass, relation by relation.

    Raises:
        CannotJudge: a group id appears twice, or a relation's groups are of two kinds.
    """
    gathered: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    for row in rows:
        gathered[row.relation].add(row)
    return {relation: gathered[relation].verdicts(relation) for relation in gathered}


class _Gathered:
    """The rows of one relation so far."""

    def __init__(self) -> None:
        self.bound = False
        self.source_of: dict[str, str] = {}
        self.unstable: list[str] = []
        self.ids: dict[tuple[Verdict, str], list[str]] = defaultdict(list)

    def add(self, row: GroupRow) -> None:
        if row.id in self.source_of:
            raise CannotJudge(
                f"groups of the run: {row.id} of {row.relation} appears twice, "
                "expected every group once; run the gate again"
            )
        if self.source_of and row.bound != self.bound:
            raise CannotJudge(
                f"groups of the run: {row.relation} has some of the suite and some bound at run "
                "time, expected one of the two; run the gate again"
            )
        self.source_of[row.id] = row.witness
        self.bound = row.bound
        reason = row.reason if row.verdict is Verdict.NOT_APPLICABLE else ""
        self.ids[row.verdict, reason].append(row.id)
        if row.unstable:
            self.unstable.append(row.id)

    def verdicts(self, relation: str) -> RelationVerdicts:
        not_applicable = {
            reason: frozenset(ids)
            for (verdict, reason), ids in self.ids.items()
            if verdict is Verdict.NOT_APPLICABLE
        }
        return _with_sources(
            RelationVerdicts(
                id=relation,
                bound=self.bound,
                violated=frozenset(self.ids[Verdict.VIOLATED, ""]),
                satisfied=frozenset(self.ids[Verdict.SATISFIED, ""]),
                not_applicable=not_applicable,
                source_of=self.source_of,
                unstable=frozenset(self.unstable),
            )
        )


def _with_sources(verdicts: RelationVerdicts) -> RelationVerdicts:
    """Fill ``sources`` from the groups; a source with none applicable counts 0."""
    source_of = verdicts.source_of
    applicable = Counter(map(source_of.__getitem__, verdicts.applicable))
    violated: defaultdict[str, list[str]] = defaultdict(list)
    for group in verdicts.violated:
        violated[source_of[group]].append(group)
    return replace(
        verdicts,
        sources={
            source: SourceVerdicts(applicable[source], frozenset(violated.get(source, ())))
            for source in dict.fromkeys(source_of.values())
        },
    )


def _without_unstable(verdicts: RelationVerdicts) -> RelationVerdicts:
    """Return the verdicts with every unstable group left out."""
    if not verdicts.unstable:
        return verdicts
    return _with_sources(
        replace(
            verdicts,
            violated=verdicts.violated - verdicts.unstable,
            satisfied=verdicts.satisfied - verdicts.unstable,
            unstable=frozenset(),
        )
    )


def pair(candidate: RelationVerdicts, baseline: RelationVerdicts) -> Pairing:
    """Pair two runs on one relation.

    Groups of the suite are paired by id. Those bound at run time depend on
    what the system answered, so they seldom match: there the pair is a source
    with an applicable group in both runs, and the difference is of its rates.
    """
    if candidate.bound or baseline.bound:
        return _pair_sources(candidate, baseline)
    return _pair_groups(candidate, baseline)


def _pair_groups(candidate: RelationVerdicts, baseline: RelationVerdicts) -> Pairing:
    both = candidate.applicable & baseline.applicable
    unstable = len(both & candidate.unstable)
    new = candidate.violated & baseline.satisfied
    fixed = candidate.satisfied & baseline.violated
    # A baseline knows no sources; against another baseline each group is its own.
    source_of = candidate.source_of or {group: group for group in both}
    weights = Counter(map(source_of.__getitem__, both))
    differences = Counter(map(source_of.__getitem__, new))
    differences.subtract(map(source_of.__getitem__, fixed))
    return Pairing(
        differences={source: float(differences[source]) for source in weights},
        weights={source: float(weight) for source, weight in weights.items()},
        baseline_violations=float(len(both & baseline.violated)),
        new=new,
        fixed=fixed,
        still=candidate.violated & baseline.violated,
        unstable=unstable,
        doubtful=unstable,
    )


def _pair_sources(candidate: RelationVerdicts, baseline: RelationVerdicts) -> Pairing:
    """Pair by source; a violated group is new where the baseline has no such one."""
    paired = {
        source: (verdicts, baseline.sources[source])
        for source, verdicts in candidate.sources.items()
        if verdicts.applicable
        and source in baseline.sources
        and baseline.sources[source].applicable
    }
    sources = map(candidate.source_of.__getitem__, candidate.unstable & candidate.applicable)
    unstable = [source for source in sources if source in paired]
    now = frozenset[str]().union(*(verdicts.violated for verdicts, _ in paired.values()))
    before = frozenset[str]().union(*(verdicts.violated for _, verdicts in paired.values()))
    return Pairing(
        differences={source: new.rate - old.rate for source, (new, old) in paired.items()},
        weights=dict.fromkeys(paired, 1.0),
        baseline_violations=math.fsum(old.rate for _, old in paired.values()),
        new=now - before,
        fixed=before - now,
        still=now & before,
        unstable=len(unstable),
        doubtful=len(set(unstable)),
    )


def pool(pairings: Sequence[Pairing]) -> Pairing:
    """Add up relations: a source's groups in all of them are one cluster."""
    differences: defaultdict[str, float] = defaultdict(float)
    weights: defaultdict[str, float] = defaultdict(float)
    for pairing in pairings:
        for source, difference in pairing.differences.items():
            differences[source] += difference
            weights[source] += pairing.weights[source]
    return Pairing(
        # Rounded, so that no sum of fractions depends on the order of the relations.
        differences={source: round(total, 12) for source, total in differences.items()},
        weights=weights,
        baseline_violations=math.fsum(pairing.baseline_violations for pairing in pairings),
        new=frozenset[str]().union(*(pairing.new for pairing in pairings)),
        fixed=frozenset[str]().union(*(pairing.fixed for pairing in pairings)),
        still=frozenset[str]().union(*(pairing.still for pairing in pairings)),
        unstable=sum(pairing.unstable for pairing in pairings),
        doubtful=sum(pairing.doubtful for pairing in pairings),
    )


def compare(candidate: RunVerdicts, baseline: RunVerdicts, settings: RunSettings) -> Outcome:
    """Judge a candidate against a baseline.

    Args:
        candidate: of ``verdicts_from_rows``; with the sources of its groups.
        baseline: of ``verdicts_from_rows`` or of a baseline file.
        settings: the candidate's; ``relations`` without a row are not comparable.

    Returns:
        A ``Comparison`` for each relation of the candidate, then for all
        together, and the verdict, exit code and reasons that follow from them.
    """
    ids = tuple(dict.fromkeys((*candidate, *settings.relations)))
    now = [candidate.get(relation, RelationVerdicts(id=relation)) for relation in ids]
    before = [baseline.get(relation, RelationVerdicts(id=relation)) for relation in ids]
    pairings = [pair(new, old) for new, old in zip(now, before, strict=True)]
    measured, findings = _judge(now, before, pairings, settings)
    outcomes = [_decided(*both) for both in zip(measured, findings, strict=True)]
    *relations, overall = outcomes
    notes = [*_unknown(now, settings), *_unmatched(candidate, baseline, settings)]
    verdict = _verdict(outcomes, notes)
    return Outcome(
        verdict=verdict,
        exit_code=exit_code(verdict, settings),
        reasons=_reasons(verdict, ids, findings, notes),
        relations=dict(zip(ids, relations, strict=True)),
        overall=overall,
        changes=_changes(now, before, pairings),
    )


def compare_alone(
    candidate: RelationVerdicts, baseline: RelationVerdicts, settings: RunSettings
) -> Comparison:
    """Judge verdicts that are tested by themselves: the same test, no other beside it.

    Args:
        candidate: with the source of each of its groups.
        baseline: of the same groups.
        settings: of which ``alpha`` and ``margin`` count.
    """
    pairing = pair(candidate, baseline)
    (test,) = _test_all([pairing])
    measured = _measured(pairing, test, None, settings, family=1)
    return _decided(measured, [_tested(measured, pairing, test, test, settings)])


def _judge(
    now: Sequence[RelationVerdicts],
    before: Sequence[RelationVerdicts],
    pairings: Sequence[Pairing],
    settings: RunSettings,
) -> tuple[list[Comparison], list[list[Finding]]]:
    """Return numbers and findings of each relation, the pool's last."""
    together = [*pairings, pool(pairings)]
    tests = _test_all(together)
    stable = _test_without_unstable(now, before, together, tests, settings)
    family = sum(test.p_value is not None for test in tests)
    shares = [*_applicability(now, before), None]
    measured = [
        _measured(pairing, test, share, settings, family)
        for pairing, test, share in zip(together, tests, shares, strict=True)
    ]
    findings = [
        [_tested(*numbers, settings), *_strictly(numbers[0], settings)]
        for numbers in zip(measured, together, tests, stable, strict=True)
    ]
    for verdicts, comparison, found in zip(now, measured[:-1], findings[:-1], strict=True):
        found += _collapsed(comparison, settings)
        found += _over_limit(verdicts, settings)
        found += _must_hold(verdicts, settings)
    return measured, findings


def _test(pairing: Pairing) -> _Test:
    total = math.fsum(pairing.weights.values())
    delta = math.fsum(pairing.differences.values()) / total if total else 0.0
    if len(pairing.weights) < MIN_CLUSTERS:
        return _Test(delta=delta)
    differences = np.fromiter(pairing.differences.values(), dtype=np.float64)
    # Where the difference is not below 0 its other side cannot be small.
    better = statistics.sign_flip_p(-differences, seed=SEED) if delta < 0 else 1.0
    worse = statistics.sign_flip_p(differences, seed=SEED)
    return _Test(delta=delta, p_value=worse, p_better=better)


def _test_all(pairings: Sequence[Pairing]) -> list[_Test]:
    """Test every pairing; those with enough sources are one family for Holm."""
    tests = [_test(pairing) for pairing in pairings]
    worse = {i: test.p_value for i, test in enumerate(tests) if test.p_value is not None}
    adjusted = statistics.holm(list(worse.values()))
    better = statistics.holm([tests[i].p_better for i in worse])
    for i, p_adjusted, p_better in zip(worse, adjusted, better, strict=True):
        tests[i] = replace(tests[i], p_adjusted=p_adjusted, p_better=p_better)
    return tests


def _test_without_unstable(
    now: Sequence[RelationVerdicts],
    before: Sequence[RelationVerdicts],
    pairings: Sequence[Pairing],
    tests: Sequence[_Test],
    settings: RunSettings,
) -> Sequence[_Test]:
    """Test again on the stable groups, where that could change a decision.

    A relation with too many doubtful pairs keeps them all.
    """
    if not pairings[-1].unstable or not any(test.regressed(settings) for test in tests):
        return tests
    kept = [
        pair(_without_unstable(new) if pairing.excusable else new, old)
        for new, old, pairing in zip(now, before, pairings[:-1], strict=True)
    ]
    return _test_all([*kept, pool(kept)])


def _measured(
    pairing: Pairing,
    test: _Test,
    applicability: Applicability | None,
    settings: RunSettings,
    family: int,
) -> Comparison:
    """Return the numbers of a comparison, not judged yet."""
    counts = Comparison(
        pairs=round(math.fsum(pairing.weights.values())),
        clusters=len(pairing.weights),
        new_violations=len(pairing.new),
        fixed_violations=len(pairing.fixed),
        delta=None,
        ci95=None,
        p_value=None,
        p_adjusted=None,
        minimum_detectable_effect=None,
        decision=Decision.NOT_COMPARABLE,
        reason="",
        applicability=applicability,
        unstable=pairing.unstable,
    )
    if test.p_value is None:
        return counts
    differences, weights = list(pairing.differences.values()), list(pairing.weights.values())
    baseline_rate = pairing.baseline_violations / counts.pairs
    return msgspec.structs.replace(
        counts,
        delta=test.delta,
        ci95=statistics.bootstrap_interval(differences, weights, seed=SEED),
        p_value=test.p_value,
        p_adjusted=test.p_adjusted,
        minimum_detectable_effect=statistics.minimum_detectable_effect(
            differences, weights, alpha=settings.alpha / family, margin=settings.margin
        ),
        baseline_rate=baseline_rate,
        candidate_rate=min(1.0, max(0.0, baseline_rate + test.delta)),
    )


def _applicability(
    now: Sequence[RelationVerdicts], before: Sequence[RelationVerdicts]
) -> list[Applicability | None]:
    """Compare the share applicable, by the clustered test, Holm over the relations."""
    found = [_share(new, old) for new, old in zip(now, before, strict=True)]
    adjusted = iter(statistics.holm([share.p_adjusted for share in found if share]))
    return [share and msgspec.structs.replace(share, p_adjusted=next(adjusted)) for share in found]


def _share(now: RelationVerdicts, before: RelationVerdicts) -> Applicability | None:
    """Compare the share of groups (or binding sources) applicable, p not adjusted.

    None where the runs have no group in common.
    """
    bound = now.bound or before.bound
    both = _looked_at(now, bound) & _looked_at(before, bound)
    if not both:
        return None
    new, old = (_answering(verdicts, bound) for verdicts in (now, before))
    lost, gained = (old - new) & both, (new - old) & both
    source_of = {unit: unit for unit in both} if bound else now.source_of
    fall = Counter(map(source_of.__getitem__, lost))
    fall.subtract(map(source_of.__getitem__, gained))
    return Applicability(
        baseline=len(old & both) / len(both),
        candidate=len(new & both) / len(both),
        p_adjusted=statistics.sign_flip_p(list(fall.values()), seed=SEED),
        only_baseline=len(old - new),
        only_candidate=len(new - old),
    )


def _answering(verdicts: RelationVerdicts, bound: bool) -> frozenset[str]:
    """Return the units that could be judged: groups, or sources that bind one."""
    if not bound:
        return verdicts.applicable
    return frozenset(source for source, of in verdicts.sources.items() if of.applicable)


def _tested(
    comparison: Comparison, pairing: Pairing, test: _Test, stable: _Test, settings: RunSettings
) -> Finding:
    """Say what the clustered test shows; exactly one finding a comparison."""
    numbers = _numbers(comparison)
    if test.p_value is None:
        return Finding(Decision.NOT_COMPARABLE, f"not comparable: {_too_few(comparison)}")
    if test.regressed(settings):
        return _risen(f"violation rate rose, {numbers}", pairing, stable, settings)
    if test.p_value < settings.alpha and test.delta > settings.margin:
        return Finding(
            Decision.INCONCLUSIVE,
            f"violation rate rose, {numbers}; significant alone (p {_p(test.p_value)}), "
            "not among this many tests",
        )
    if test.improved(settings):
        return Finding(Decision.IMPROVED, f"violation rate fell, {numbers}")
    return Finding(Decision.PASS, f"no regression found, {numbers}; {_power(comparison)}")


def _risen(rose: str, pairing: Pairing, stable: _Test, settings: RunSettings) -> Finding:
    """Judge a rise beyond chance; few doubtful pairs excuse it where it hangs on them alone."""
    if not pairing.doubtful:
        return Finding(Decision.REGRESSION, rose)
    share = _percent(pairing.doubtful / math.fsum(pairing.weights.values()))
    doubtful = f"the {pairing.unstable} groups that numerical noise could turn ({share} of pairs"
    if not pairing.excusable:
        most = f"at most {_percent(MOST_EXCUSED)} may be left out"
        return Finding(Decision.REGRESSION, f"{rose}; {doubtful}) count, since {most}")
    if stable.p_value is None or stable.regressed(settings):
        return Finding(Decision.REGRESSION, rose)
    return Finding(Decision.INCONCLUSIVE, f"{rose}; without {doubtful}) it is no regression")


def _strictly(comparison: Comparison, settings: RunSettings) -> Iterator[Finding]:
    """With ``strict``, what is not shown to be no worse is inconclusive."""
    if not settings.strict:
        return
    if comparison.ci95 is None:
        sentence = f"not shown to be no worse (strict): {_too_few(comparison)}"
        yield Finding(Decision.INCONCLUSIVE, sentence)
    elif comparison.ci95[1] > settings.margin:
        yield Finding(
            Decision.INCONCLUSIVE,
            f"not shown to be no worse (strict): the difference may be as large as "
            f"{_points(comparison.ci95[1])} points, the margin is {_points(settings.margin)}",
        )


def _collapsed(comparison: Comparison, settings: RunSettings) -> Iterator[Finding]:
    """Find a system that violates less because it answers less."""
    share = comparison.applicability
    if share is None or share.p_adjusted >= settings.alpha:
        return
    if share.baseline - share.candidate > settings.max_applicability_loss:
        yield Finding(
            Decision.COLLAPSE,
            f"stopped answering: applicable share fell from {_percent(share.baseline)} to "
            f"{_percent(share.candidate)} (adjusted p {_p(share.p_adjusted)}), more than the "
            f"{_percent(settings.max_applicability_loss)} allowed",
        )


def _over_limit(verdicts: RelationVerdicts, settings: RunSettings) -> Iterator[Finding]:
    """Hold the candidate's own rate against the limit that the user set."""
    limits = settings.max_violation_rate
    limit = limits.get(verdicts.id, limits.get(EVERY_RELATION))
    if limit is None:
        return
    violated, applicable = len(verdicts.violated), len(verdicts.applicable)
    if not applicable:
        if verdicts.id in limits:
            sentence = f"no applicable group to hold against its limit {_percent(limit)}"
            yield Finding(Decision.INCONCLUSIVE, sentence)
        return
    if violated <= limit * applicable:
        return
    yield Finding(
        Decision.REGRESSION,
        f"violation rate {_percent(violated / applicable)} ({violated} of {applicable}) "
        f"is above its limit {_percent(limit)}",
    )


def _must_hold(verdicts: RelationVerdicts, settings: RunSettings) -> Iterator[Finding]:
    """Look up the groups that the user wants to hold whatever the statistics."""
    for group in settings.must_hold:
        if group in verdicts.violated:
            yield Finding(Decision.REGRESSION, f"must-hold group {group} is violated")
        elif group in verdicts.source_of and group not in verdicts.satisfied:
            sentence = f"must-hold group {group} is not applicable, so nothing shows that it holds"
            yield Finding(Decision.INCONCLUSIVE, sentence)


def _unknown(now: Sequence[RelationVerdicts], settings: RunSettings) -> Iterator[Finding]:
    """Name what the user wants to hold and this run knows nothing of."""
    for group in settings.must_hold:
        if not any(group in verdicts.source_of for verdicts in now):
            sentence = f"must-hold group {group} is not in this run, so nothing shows that it holds"
            yield Finding(Decision.INCONCLUSIVE, sentence)
    known = {EVERY_RELATION, *(verdicts.id for verdicts in now)}
    for relation in sorted(settings.max_violation_rate.keys() - known):
        sentence = f"max-violation-rate names {relation}, which is not in this run"
        yield Finding(Decision.INCONCLUSIVE, sentence)


def _unmatched(
    candidate: RunVerdicts, baseline: RunVerdicts, settings: RunSettings
) -> Iterator[Finding]:
    """Count what only one run looked at; a whole run must cover its baseline."""
    nothing = RelationVerdicts(id="")
    missing = added = 0
    for relation in candidate.keys() | baseline.keys():
        new, old = candidate.get(relation, nothing), baseline.get(relation, nothing)
        bound = new.bound or old.bound
        here, there = _looked_at(new, bound), _looked_at(old, bound)
        missing += len(there - here)
        added += len(here - there)
    if missing:
        decision = Decision.INCONCLUSIVE if settings.complete else Decision.PASS
        yield Finding(decision, f"{missing} groups or sources of the baseline are not in this run")
    if added:
        yield Finding(
            Decision.PASS,
            f"{added} groups or sources of this run are not in the baseline and were not compared",
        )


def _looked_at(verdicts: RelationVerdicts, bound: bool) -> Set[str]:
    """Return the units of a run: groups, or sources where the relation is bound."""
    return verdicts.sources.keys() if bound else verdicts.groups


def _decided(comparison: Comparison, findings: Sequence[Finding]) -> Comparison:
    """Take the worst finding, and every sentence that came to it."""
    decision = min((finding.decision for finding in findings), key=SEVERITY.index)
    sentences = [finding.sentence for finding in findings if finding.decision is decision]
    return msgspec.structs.replace(comparison, decision=decision, reason="; ".join(sentences))


def _verdict(outcomes: Sequence[Comparison], notes: Sequence[Finding]) -> GateVerdict:
    """Return the worst decision; where no relation was compared, never a pass."""
    decisions = {outcome.decision for outcome in outcomes} | {note.decision for note in notes}
    for decision in (Decision.REGRESSION, Decision.COLLAPSE):
        if decision in decisions:
            return GateVerdict(decision.value)
    if all(relation.p_value is None for relation in outcomes[:-1]):
        return GateVerdict.CANNOT_JUDGE
    for decision in (Decision.INCONCLUSIVE, Decision.IMPROVED):
        if decision in decisions:
            return GateVerdict(decision.value)
    return GateVerdict.PASS


def _reasons(
    verdict: GateVerdict,
    ids: Sequence[str],
    findings: Sequence[Sequence[Finding]],
    notes: Sequence[Finding],
) -> tuple[str, ...]:
    """Return the sentences behind the verdict, worst first, then the notes.

    A relation that passed says so in its own comparison; the pool speaks for
    it here, so that even a pass comes with its interval.
    """
    named = zip((*ids, "all relations together"), findings, strict=True)
    told = [
        Finding(finding.decision, f"{name}: {finding.sentence}")
        for name, found in named
        for finding in found
        if finding.decision is not Decision.PASS or found is findings[-1]
    ]
    told.sort(key=lambda finding: SEVERITY.index(finding.decision))
    sentences = [finding.sentence for finding in (*told, *notes)]
    if verdict is GateVerdict.CANNOT_JUDGE:
        sentences.insert(0, NOTHING_COMPARED)
    return tuple(sentences)


def _changes(
    now: Sequence[RelationVerdicts],
    before: Sequence[RelationVerdicts],
    pairings: Sequence[Pairing],
) -> dict[str, Change]:
    """Return how each group of the candidate that is paired has moved."""
    changes: dict[str, Change] = {}
    for new, old, pairing in zip(now, before, pairings, strict=True):
        if new.bound or old.bound:
            paired = (g for g in new.satisfied if new.source_of[g] in pairing.weights)
            changes.update(dict.fromkeys(paired, Change.OK))
        else:
            changes.update(dict.fromkeys(new.satisfied & old.satisfied, Change.OK))
        changes.update(dict.fromkeys(pairing.fixed & new.satisfied, Change.FIXED))
        changes.update(dict.fromkeys(pairing.still, Change.STILL))
        changes.update(dict.fromkeys(pairing.new, Change.NEW))
    return changes


def _numbers(comparison: Comparison) -> str:
    """Tell a comparison that has numbers; empty where it has none."""
    if comparison.ci95 is None or comparison.delta is None or comparison.p_adjusted is None:
        return ""
    return (
        f"{_percent(comparison.baseline_rate or 0.0)} to "
        f"{_percent(comparison.candidate_rate or 0.0)} "
        f"({_points(comparison.delta)} points, 95 % interval {_points(comparison.ci95[0])} "
        f"to {_points(comparison.ci95[1])}, adjusted p {_p(comparison.p_adjusted)}; "
        f"{comparison.pairs} pairs from {comparison.clusters} sources, "
        f"{comparison.new_violations} new and {comparison.fixed_violations} fixed violations)"
    )


def _too_few(comparison: Comparison) -> str:
    return f"{comparison.clusters} paired sources, at least {MIN_CLUSTERS} are needed"


def _power(comparison: Comparison) -> str:
    effect = comparison.minimum_detectable_effect or 0.0
    return f"a rise of {_points(effect)} points would have been found 4 times in 5"


def _percent(rate: float) -> str:
    """Format a rate; 0 % and 100 % only where that is exactly so."""
    if 0 < rate < 0.0005:
        return "<0.1 %"
    if 0.9995 <= rate < 1:
        return ">99.9 %"
    return f"{100 * rate:.1f} %"


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
