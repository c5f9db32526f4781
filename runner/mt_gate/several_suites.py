"""Stored runs of one checkpoint on several suites, judged as one; no checkpoint is needed.

One run is read after the other, and only what its tests rest on is held (``judging.over_suites``).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.baselines.fitting import check_fits
from mt_gate.baselines.reading import read_baseline
from mt_gate.judging.comparison import Judged, compare_over_suites
from mt_gate.judging.over_suites import OverSuites, of_run
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows
from mt_gate.reporting.words.texts import VERDICT_WORDS
from mt_gate.results.result import (
    BaselineHead,
    Predictions,
    RelationResult,
    Result,
    RunSettings,
    SuiteHead,
    Timing,
)
from mt_gate.results.store import read_all_rows, read_result, result_file
from mt_gate.running.counting import overall
from mt_gate.running.policies import check_day, today
from mt_gate.settings.policy import Accepted, Entry, Policy, Tier
from mt_gate.settings.policy_reading import policy_text, read_policy

_BY_ITSELF = (
    "what is no test of violations is judged of each run by itself: limits, groups that must hold, "
    "relations that must be compared, what changed, and how much was answered and comparable"
)
_AGAIN = "compare it again: mt-gate compare RESULT --baseline FILE --out DIR"


def judge_as_one(paths: Sequence[Path]) -> Result:
    """Judge stored runs as one, each against the baseline that it was compared with.

    Args:
        paths: two results or more, ``result.json`` or its folder, of one checkpoint on suites that
            have no sources in common.

    Returns:
        A result over all suites; nothing is stored.

    Raises:
        UsageError: one is of another checkpoint, or has other settings, a suite is there twice, or
            a run was not compared, or stopped early.
        CannotJudge: a result, its groups or its baseline is missing or unreadable.
    """
    files = [result_file(path) for path in paths]
    if len(files) < 2:
        raise UsageError("one run; expected two or more, each of a suite; see 'mt-gate compare'")
    results = {file: read_result(file) for file in files}
    if len(results) < len(files):
        raise UsageError("a run is named twice; expected each run once")
    _check_alike(results)
    policy = _policy(results)
    runs = [_read(file, result, policy) for file, result in results.items()]
    first = results[files[0]]
    settings = replace(first.settings, policy=policy)
    judged = compare_over_suites(runs, settings, same=_is_same(first))
    one = _as_one(results, settings, judged)
    return replace(one, notes=(*_shared(runs), *one.notes))


def _is_same(result: Result) -> bool:
    """Whether candidate and baseline are one checkpoint."""
    mark, head = result.checkpoint.fingerprint, result.baseline
    return (
        head is not None and bool(mark) and head.runs == 1 and head.checkpoint_fingerprint == mark
    )


def _check_alike(results: Mapping[Path, Result]) -> None:
    """Refuse runs that cannot be judged as one, before any groups are read."""
    suites: dict[str, Path] = {}
    first_file, first = next(iter(results.items()))
    for file, result in results.items():
        if result.baseline is None or result.overall.comparison is None:
            raise UsageError(
                f"{file}: was compared with no baseline; expected a compared run; compare it "
                "first: mt-gate compare RESULT --baseline FILE --out DIR"
            )
        if result.early and result.early.stopped:
            raise UsageError(
                f"{file}: the run stopped early; expected one of which all was asked; run it again "
                "without --early-stop"
            )
        if result.suite.sha256 in suites:
            raise UsageError(
                f"{file}: the same suite as {suites[result.suite.sha256]}; expected each suite "
                "once; leave one out"
            )
        suites[result.suite.sha256] = file
        for what, found, expected in _common(result, first):
            if found != expected:
                raise UsageError(
                    f"{file}: {what} {quoted(found)}, {first_file} has {quoted(expected)}; "
                    "expected runs of one checkpoint against one baseline checkpoint, judged "
                    "alike; run or compare it again like the first"
                )


def _common(result: Result, first: Result) -> Iterator[tuple[str, object, object]]:
    """Yield what runs must have in common: what it is, the run's own, the first's."""
    yield "task", result.suite.task, first.suite.task
    for name in ("name", "fingerprint", "reading"):
        yield (
            f"checkpoint {name}",
            getattr(result.checkpoint, name),
            getattr(first.checkpoint, name),
        )
    for name in ("checkpoint_fingerprint", "runs"):
        yield f"baseline {name}", getattr(result.baseline, name), getattr(first.baseline, name)
    for name in ("alpha", "margin", "strict"):
        yield name, getattr(result.settings, name), getattr(first.settings, name)


def _policy(results: Mapping[Path, Result]) -> Policy:
    """Return the policy of all runs: each names relations of its suite, and they must agree.

    Raises:
        UsageError: they do not, or a loss was accepted until a day that is over.
    """
    entries: dict[str, tuple[Path, object]] = {}
    relations: dict[str, Entry] = {}
    accepted: dict[Accepted, None] = {}
    first = next(iter(results.values())).settings.policy
    for file, result in results.items():
        policy = result.settings.policy
        todo = "judge it by another, with mt-gate compare RESULT --policy"
        check_day(policy, result.suite.task, today(), f"{file}: its policy", todo)
        own = {of.id: (policy.of(of.id), policy.accepted_of(of.id)) for of in result.relations}
        said = {"shares of alpha": policy.shares, "tasks": policy.tasks, **own}
        for what, entry in said.items():
            before, other = entries.setdefault(what, (file, entry))
            if entry != other:
                raise UsageError(
                    f"{file}: its policy has other words on {what} than that of {before}; expected "
                    f"the same of what both runs have; {_AGAIN} --policy TOML"
                )
        relations |= {name: of for name, of in policy.relations.items() if name in own}
        accepted |= dict.fromkeys(of for of in policy.accepted if of.relation in own)
    merged = replace(first, relations=relations, accepted=tuple(accepted), must_hold=())
    return read_policy("the policies of these runs together", policy_text(merged))


def _read(file: Path, result: Result, policy: Policy) -> OverSuites:
    """Return what the tests of a run rest on."""
    verdicts = verdicts_from_rows(read_all_rows(file, result))
    relations = [*dict.fromkeys((*verdicts, *result.settings.relations))]
    blocking = {relation for relation in relations if policy.tier(relation) is Tier.BLOCK}
    run = of_run(verdicts, _before(file, result), relations, blocking)
    _check_same(file, result, run)
    return run


def _before(file: Path, result: Result) -> Sequence[RunVerdicts]:
    """Return the verdicts of the runs that a run was compared with."""
    head = result.baseline
    assert head is not None
    path = Path(head.path)
    if not path.exists():
        raise CannotJudge(
            f"{file}: its baseline {path}: no such file; expected it where the run was compared; "
            f"call mt-gate from the folder that the run was started in, or {_AGAIN}"
        )
    if head.against:
        base = read_result(path)
        mark = (base.suite.sha256, base.checkpoint.fingerprint)
        _check_head(file, head, mark == (head.suite_sha256, head.checkpoint_fingerprint))
        return [verdicts_from_rows(read_all_rows(path, base))]
    baseline = read_baseline(path)
    check_fits(baseline, result.suite, path)
    found = baseline.head(path)
    names = ("recorded", "checkpoint_fingerprint", "runs")
    _check_head(file, head, all(getattr(found, name) == getattr(head, name) for name in names))
    return baseline.verdicts()


def _check_head(file: Path, head: BaselineHead, same: bool) -> None:
    if not same:
        raise CannotJudge(
            f"{file}: {head.path} is another baseline than the run was compared with, recorded "
            f"{head.recorded}; expected that one; {_AGAIN}"
        )


def _check_same(file: Path, result: Result, run: OverSuites) -> None:
    """Refuse a baseline that is not the one which the run was compared with any more."""
    assert result.baseline is not None
    for relation in result.relations:
        known, of = relation.comparison, run.pairings[relation.id]
        if known is None:
            continue
        pairs, new, fixed = round(of.pairs), len(of.new), len(of.fixed)
        told = [known.pairs, known.new_violations, known.fixed_violations]
        told += [known.clusters, known.unstable]
        if [pairs, new, fixed, of.clusters, of.unstable] != told:
            raise CannotJudge(
                f"{file}: {relation.id} has {known.new_violations:,} new and "
                f"{known.fixed_violations:,} fixed violations of {known.pairs:,} pairs; against "
                f"{result.baseline.path} it would have {new:,}, {fixed:,} and {pairs:,}; expected "
                f"the baseline that the run was compared with; {_AGAIN}"
            )


def _shared(runs: Sequence[OverSuites]) -> Iterator[str]:
    """Say that suites seem to have sources in common, if they do."""
    each = [run.whole.sources for run in runs]
    twice = sum(map(len, each)) - len(set().union(*each))
    if twice:
        yield (
            f"of one name in several suites, and counted once: {figures.counted(twice, 'source')}, "
            "of those that differ from the baseline; if their texts are the same, leave a suite "
            "out (docs/decisions.md#several-suites)"
        )


def _as_one(results_of: Mapping[Path, Result], settings: RunSettings, judged: Judged) -> Result:
    """Return a result over all suites."""
    results = [*results_of.values()]
    first = results[0]
    digest = hashlib.sha256("".join(of.suite.sha256 for of in results).encode()).hexdigest()
    names = ", ".join(of.suite.name for of in results)
    relations = [
        _relation([of for run in results for of in run.relations if of.id == name], judged)
        for name in dict.fromkeys(of.id for run in results for of in run.relations)
    ]
    return replace(
        first,
        verdict=judged.verdict,
        exit_code=judged.exit_code,
        reasons=judged.reasons,
        suite=SuiteHead(name=names, version="", task=first.suite.task, sha256=digest),
        relations=tuple(relations),
        overall=replace(overall(relations), comparison=judged.overall),
        predictions=Predictions(
            requested=sum(of.predictions.requested for of in results),
            unique=sum(of.predictions.unique for of in results),
            cached=sum(of.predictions.cached for of in results),
        ),
        timing=Timing(),
        settings=settings,
        notes=(
            *(_told(file, result) for file, result in results_of.items()),
            *_notes(results),
            _BY_ITSELF,
        ),
        anchor=None,
        churn=None,
        evidence=None,
        labelled=None,
        repair=None,
        early=None,
        run=None,
    )


def _relation(parts: Sequence[RelationResult], judged: Judged) -> RelationResult:
    """Return a relation over the suites that have it."""
    applicable = sum(of.applicable for of in parts)
    violated = sum(of.violated for of in parts)
    return RelationResult(
        id=parts[0].id,
        groups=sum(of.groups for of in parts),
        applicable=applicable,
        violated=violated,
        violation_rate=violated / applicable if applicable else None,
        not_applicable=_summed([of.not_applicable for of in parts]),
        errors=_summed([of.errors for of in parts]),
        unstable=sum(of.unstable for of in parts),
        tier=parts[0].tier,
        comparison=judged.relations[parts[0].id],
        words=next((of.words for of in parts if of.words), None),
    )


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return dict(sum(map(Counter, counts), Counter[str]()))


def _notes(results: Sequence[Result]) -> Iterator[str]:
    """Yield what is noted of a baseline, or of every run."""
    first, *others = [dict.fromkeys(result.notes) for result in results]
    heads = [result.baseline for result in results if result.baseline]
    of_baselines = dict.fromkeys(note for head in heads for note in head.notes)
    common = dict.fromkeys(note for note in first if all(note in other for other in others))
    yield from of_baselines | common


def _told(file: Path, result: Result) -> str:
    """Return a line on a run by itself."""
    comparison = result.overall.comparison
    assert comparison is not None
    word = VERDICT_WORDS[result.verdict].lower()
    change = figures.change(comparison.delta, comparison.ci95)
    pairs = figures.counted(comparison.pairs, "pair")
    return f"{file.parent} by itself, on {result.suite.name}: {word}; {pairs}, {change}"
