"""The records of a run: ``result.json`` and the rows of ``groups.jsonl.gz``.

Users' scripts read both, so names stay, and ``format`` increases if a meaning changes. Counts
accompany each rate; a rate is None if nothing was applicable, never 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from mt_gate import __version__
from mt_gate.base import errors
from mt_gate.domain import MAX_SLICES, Alignment, AnswerChange, EntityError, Verdict
from mt_gate.settings.policy import Limit, Margin, Policy, Tier
from mt_gate.settings.record import (
    MOST_RELATIONS,
    Alpha,
    GroupIds,
    LabelMap,
    Rates,
    RelationIds,
    Thresholds,
)

FORMAT = 1

Identifier = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(max_length=5_000)]
"""A name or a path."""
Text = Annotated[str, Meta(max_length=1 << 20)]
"""A sentence for people."""
Texts = Annotated[tuple[Text, ...], Meta(max_length=100_000)]
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
RunId = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]

Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Counts = Annotated[Mapping[Name, Count], Meta(max_length=10_000)]
Rate = Annotated[float, Meta(ge=0, le=1)]
"""A share, or a p-value."""
Difference = Annotated[float, Meta(ge=-1, le=1)]
"""Difference of two rates."""
Positive = Annotated[float, Meta(ge=0, le=1e9)]
Interval = tuple[Rate, Rate]


class Decision(StrEnum):
    """Decision on one relation by the comparison with a baseline."""

    REGRESSION = "regression"
    COLLAPSE = "collapse"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"
    IMPROVED = "improved"
    NOT_COMPARABLE = "not-comparable"
    NOT_JUDGED = "not-judged"


class Rule(StrEnum):
    """Which rule came to a decision; where several did, the first of them, in this order."""

    RISE = "rise"  # the test: a rise above the margin, beyond chance
    # The test of a slice of known answers: a rise above the margin, beyond chance.
    RISE_IN_SLICE = "rise-in-slice"
    # A rise above the margin that is significant only before correction.
    RISE_ALONE = "rise-alone"
    # A rise beyond chance that is no regression without the unstable groups.
    RISE_OR_NOISE = "rise-or-noise"
    FALL = "fall"  # the test's other side: an improvement
    NO_RISE = "no-rise"  # the test found neither
    # A rise beyond chance and above the margin, within what the policy accepts for now.
    ACCEPTED = "accepted"
    REPORTED = "reported"  # the policy wants the relation shown, and not tested
    TOO_FEW = "too-few"  # too few paired sources for a test
    # The gate is strict, and nothing shows that the rise stays within the margin.
    NOT_SHOWN = "not-shown"
    # The test of applicability: the checkpoint answers less, beyond chance.
    STOPPED_ANSWERING = "stopped-answering"
    # Its other test: far fewer groups are applicable, since predictions changed.
    FEWER_APPLICABLE = "fewer-applicable"
    # Too few paired sources for a test, though the baseline had enough.
    COMPARABILITY_LOST = "comparability-lost"
    REQUIRED = "required"  # a relation that must be compared and is not: no test
    LIMIT = "limit"  # the limit on the violation rate, exceeded or not to be checked: no test
    MUST_HOLD = "must-hold"  # a group that must hold and does not, or is not applicable: no test


class GateVerdict(StrEnum):
    """Verdict of the gate on the whole run."""

    REGRESSION = "regression"
    COLLAPSE = "collapse"
    WARNING = "warning"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"
    IMPROVED = "improved"
    MEASURED = "measured"
    CANNOT_JUDGE = "cannot-judge"


class Change(StrEnum):
    """The change of a case's verdict from the baseline to the candidate."""

    NEW = "new"
    FIXED = "fixed"
    STILL = "still"
    OK = "ok"


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """The program that made a file."""

    name: Name
    version: Name


class SuiteHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which suite was run, what ``part`` of it, and which ``ontology`` labels are of (task re).

    ``sha256`` covers its sources, groups and relations.
    """

    name: Name
    version: Name
    task: Name
    sha256: Name
    part: Texts = ()
    ontology: Name = ""


class Precision(msgspec.Struct, frozen=True, kw_only=True):
    """Share of a sample of a relation's groups that reviewers accept; ``sheet``: marked sheet."""

    read: Count
    acceptable: Count
    interval: Interval
    sheet: Name


class Runtime(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Software and hardware of the predictions, as far as they can change a number.

    ``provider``: the system, if it is not an ONNX model. ``integers``: 8-bit integers are
    multiplied, whatever the ``precision``. Empty ``cpu_features`` and 0 ``threads``: unknown.
    """

    provider: Name
    precision: Name
    device: Name
    onnxruntime: Name
    cpu: Name
    cpu_features: Annotated[tuple[Name, ...], Meta(max_length=100)] = ()
    threads: Count = 0
    integers: bool = False


class CheckpointHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which checkpoint, or other system, was run; no ``fingerprint``: its predictions may change.

    ``reading`` says by which ``label_map`` and ``threshold`` they are read (task text);
    ``own_fingerprint`` is without them.
    """

    name: Name
    fingerprint: Name
    runtime: Runtime
    reading: Name = ""
    own_fingerprint: Name = ""
    label_map: LabelMap = {}
    threshold: Thresholds = {}


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """A share of groups in both runs; ``p_adjusted`` is one-sided for a fall."""

    baseline: Rate
    candidate: Rate
    p_adjusted: Rate


class Applicability(msgspec.Struct, frozen=True, kw_only=True):
    """How many groups both runs could judge, and to how many they gave an answer at all.

    For a relation bound at run time the groups are sources. ``only_baseline`` and
    ``only_candidate`` are applicable on one side alone, ``sources`` those with an applicable group
    in each run of the baseline.
    """

    applicable: Share
    answered: Share
    only_baseline: Count
    only_candidate: Count
    sources: Count


class ComparisonFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of candidate and baseline on one relation, or pooled; without a decision.

    ``delta`` and ``ci95`` are differences of violation rates in [-1, 1], positive when the
    candidate is worse. ``p_value`` is one-sided for worse, ``p_adjusted`` the same among all tests
    of its tier, ``p_better`` that of its other side. A rise of ``minimum_detectable_effect`` is
    found 4 times in 5; None if alpha is too small to find any; ``provable_margin`` is the
    smallest margin within which runs as different as these would be shown to lie, were neither
    worse. ``unchanged``: one checkpoint, and no pair differs. ``unstable`` pairs could be turned by
    numerical noise alone. The two rates are over the pairs alone.
    """

    pairs: Count
    clusters: Count
    new_violations: Count
    fixed_violations: Count
    delta: Difference | None
    ci95: tuple[Difference, Difference] | None
    p_value: Rate | None
    p_adjusted: Rate | None
    minimum_detectable_effect: Rate | None
    p_better: Rate | None = None
    provable_margin: Rate | None = None
    unchanged: bool = False
    applicability: Applicability | None = None
    unstable: Count = 0
    baseline_rate: Rate | None = None
    candidate_rate: Rate | None = None


class Comparison(ComparisonFigures, frozen=True, kw_only=True):
    """A candidate against its baseline, judged by a ``rule``; ``reason`` says it in a sentence."""

    decision: Decision
    rule: Rule
    fails: bool
    reason: Text


class Stratum(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a relation's groups with one kind of edit; see ``statistics.rate_interval``."""

    groups: Count
    applicable: Count
    violated: Count
    violation_rate: Rate | None = None
    ci95: Interval | None = None


class RelationWords(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a relation is presented that its suite states: mt-gate knows the others."""

    title: Annotated[str, Meta(max_length=20_000)]
    description: Annotated[str, Meta(max_length=20_000)] = ""
    before: Annotated[str, Meta(max_length=20_000)] = ""
    after: Annotated[str, Meta(max_length=20_000)] = ""


class SliceResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of a relation's groups in one slice of the suite, such as ``"target: women"``."""

    name: Name
    groups: Count
    applicable: Count
    violated: Count
    comparison: Comparison | None = None


MOST_SLICES = 2_000


class RelationResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of one relation; ``groups`` = applicable + every not_applicable.

    ``words`` present a relation that the suite states, ``says`` begins reports, with the places
    ``{n}`` (satisfied) and ``{total}`` (testable).
    """

    id: Identifier
    groups: Count
    applicable: Count
    violated: Count
    violation_rate: Rate | None
    not_applicable: Counts
    errors: Counts = {}
    """Errors in the violated groups, counted by category."""
    unstable: Count = 0
    tier: Tier = Tier.BLOCK
    comparison: Comparison | None = None
    precision: Precision | None = None
    strata: Annotated[Mapping[Name, Stratum], Meta(max_length=100)] = {}
    words: RelationWords | None = None
    says: Annotated[str, Meta(max_length=200)] = ""
    slices: Annotated[tuple[SliceResult, ...], Meta(max_length=MOST_SLICES)] = ()


class Overall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of all relations; the comparison is the pooled difference of those that block."""

    applicable: Count
    violated: Count
    violation_rate: Rate | None
    comparison: Comparison | None = None
    errors: Counts = {}


class BaselineHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which baseline the run was compared with; ``commit`` where git gave it, not a file.

    The fingerprint is that of the first of its ``runs``. ``against`` is what was run in the same
    job, by ``runtime`` and to ``path``, where no baseline was stored. ``rereading`` is a sentence
    where only label map or thresholds differ from the run's.
    """

    path: Name
    name: Name
    recorded: Name
    suite_sha256: Name
    checkpoint_fingerprint: Name
    runs: Annotated[int, Meta(ge=1, le=100)] = 1
    commit: Name = ""
    notes: Texts = ()
    against: Name = ""
    runtime: Runtime | None = None
    rereading: Text = ""


class AgainstAnchor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run against the anchor of its baseline, of no weight for verdict and exit code.

    ``verdict`` is what the anchor would have led to, limits aside, with the allowed ``margin``.
    """

    name: Name
    recorded: Name
    runs: Annotated[int, Meta(ge=1, le=100)] = 1
    figures: ComparisonFigures
    verdict: GateVerdict
    margin: Limit | None = None
    rose: RelationIds = ()
    sentence: Text


class Flips(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How many ``of`` so many turned; the rate is None if there was nothing that could turn."""

    number: Count
    of: Count
    clusters: Count
    rate: Rate | None = None
    ci95: Interval | None = None


class LabelChurn(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of the baseline's predictions with one label."""

    label: Name
    flips: Flips


class MovedAnswers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How often a prediction became another one, or stayed; an entity lost or new has one label."""

    how: AnswerChange
    before: Name = ""
    after: Name = ""
    number: Count


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """Absolute changes of scores of unchanged predictions: mean and 99th percentile."""

    inputs: Count
    mean: Rate
    p99: Rate


MOST_LABELS, MOST_MOVES = 200, 2_000


class AnswerChurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Changed predictions compared with the baseline's first run, over distinct inputs.

    ``labels`` are the baseline's; ``omitted`` counts moves beyond the most frequent.
    """

    inputs: Flips
    one_side: Count = 0
    labels: Annotated[tuple[LabelChurn, ...], Meta(max_length=MOST_LABELS)] = ()
    moves: Annotated[tuple[MovedAnswers, ...], Meta(max_length=MOST_MOVES)] = ()
    omitted: Count = 0
    drift: Drift | None = None


class LabelledFlips(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled inputs that the baseline answered right and this run wrong, and the reverse."""

    labels: Name
    negative: Flips
    positive: Count


class Churn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Changes from baseline to candidate, even if no rate moved.

    ``answers`` are None without stored predictions, ``labelled`` without the same labelled inputs.
    """

    groups: Flips
    answers: AnswerChurn | None = None
    labelled: LabelledFlips | None = None


class LabelledAnswers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which inputs of a labelled file a system got wrong, numbered from 0, by cluster and id.

    ``clusters`` are the sizes of clusters in that order, empty if each input is its own.
    """

    labels: Name
    sha256: Digest
    inputs: Annotated[int, Meta(ge=0, le=1_000_000)]
    wrong: Annotated[tuple[Count, ...], Meta(max_length=1_000_000)]
    clusters: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...], Meta(max_length=1_000_000)
    ] = ()

    def __post_init__(self) -> None:
        if any(number >= self.inputs for number in self.wrong):
            raise ValueError(f"wrong inputs that are not numbers below {self.inputs}")
        if self.clusters and sum(self.clusters) != self.inputs:
            raise ValueError(f"{self.inputs} inputs, and clusters of another number")


Profile = Annotated[Mapping[Name, Positive], Meta(max_length=10_000)]


class Profiles(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Profile of the predictions: for ``ner`` the entities per sentence, by label."""

    candidate: Profile
    baseline: Profile | None = None


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of each phase of a run, none of them counted in another."""

    load: Positive = 0.0
    export: Positive = 0.0
    predict: Positive = 0.0
    judge: Positive = 0.0
    compare: Positive = 0.0
    report: Positive = 0.0
    total: Positive = 0.0


class Predictions(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs of the run, distinct ones, and how many came from the cache."""

    requested: Count
    unique: Count
    cached: Count


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that can move a verdict, kept with every result.

    ``complete`` says whether the relations are all that a run takes by default, ``noise`` is the
    largest difference that the same input showed.
    """

    alpha: Alpha
    margin: Margin
    strict: bool
    max_applicability_loss: Limit
    max_applicability_drop: Limit = 1.0
    max_violation_rate: Rates
    must_hold: GroupIds
    required: RelationIds = ()
    max_churn: Limit = 1.0
    max_negative_flips: Limit = 1.0
    policy: Policy = Policy()
    relations: RelationIds
    complete: bool
    noise: Positive


def is_loss(decision: Decision | GateVerdict) -> bool:
    """Whether a decision, or a verdict, says that something got worse."""
    return decision in (Decision.REGRESSION, Decision.COLLAPSE)


def fails(decision: Decision | GateVerdict, settings: RunSettings) -> bool:
    """Whether a decision, or a verdict, fails a build that could be judged."""
    return is_loss(decision) or (settings.strict and decision == Decision.INCONCLUSIVE)


def exit_code(verdict: GateVerdict, settings: RunSettings) -> int:
    """Return the exit code that a verdict ends with under these settings."""
    if verdict is GateVerdict.CANNOT_JUDGE:
        return errors.CANNOT_JUDGE
    return errors.REGRESSION if fails(verdict, settings) else errors.PASS


class RepairSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a repair; see ``docs/repair.md``."""

    scores: Name
    top: Count
    min_score: Annotated[float, Meta(ge=-1e9, le=1e9)]
    min_cosine: Difference


class RepairMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """Repair compared with labels, over suspicious entities of labelled sources (TIN, table 4).

    The letters say whether the system, and the repaired answer, are right (t) or not (f).
    """

    labels: Name
    sentences: Count
    ft: Count
    tf: Count
    tt: Count
    ff: Count
    err2cor: Rate | None
    cor2err: Rate | None
    error_reduction: Annotated[float, Meta(ge=-1e9, le=1)] | None


class Repair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of ``mt-gate repair``; ``suspicious`` = changed + unchanged + no_candidate."""

    fillers: Name
    similarity: Name
    settings: RepairSettings
    groups: Count
    sentences: Count
    suspicious: Count
    voted: Count
    changed: Count
    unchanged: Count
    no_candidate: Count
    changed_by_category: Counts
    predictions: Predictions
    measures: RepairMeasures | None = None


class RunMark(msgspec.Struct, frozen=True, kw_only=True):
    """Identity of a run, which binds a result and its rows to each other.

    ``id`` is the head of the sha256 over ``nonce`` and the result without ``run`` and ``timing``;
    every row has it. ``rows_sha256`` is of the rows' unpacked text.
    """

    id: RunId
    nonce: RunId
    rows_sha256: Digest


class EarlyStop(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run went that could stop early; ``asked`` of all ``clusters`` were predicted.

    ``loss``: stopped for a certain loss, or since none was likely; None if it did not stop.
    """

    look: Annotated[int, Meta(ge=1, le=1000)]
    looks: Annotated[int, Meta(ge=1, le=1000)]
    asked: Count
    clusters: Count
    loss: bool | None = None

    @property
    def stopped(self) -> bool:
        """Whether it stopped before all was predicted."""
        return self.look < self.looks


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a report needs, in one file; ``run`` is None until it is stored.

    ``noise`` is the largest difference of a score by what alone was changed. ``masked`` are digests
    of offensive words. ``one_class`` and ``shift`` are sentences of ``judging.churn``, ``options``
    those of the command that nothing else says.
    """

    format: int
    tool: Tool
    verdict: GateVerdict
    exit_code: Annotated[int, Meta(ge=0, le=3)]
    reasons: Texts
    created: Name
    suite: SuiteHead
    checkpoint: CheckpointHead
    settings: RunSettings
    relations: Annotated[tuple[RelationResult, ...], Meta(max_length=MOST_RELATIONS)]
    overall: Overall
    profile: Profiles
    timing: Timing
    predictions: Predictions
    notes: Texts = ()
    noise: Annotated[Mapping[Name, Positive], Meta(max_length=20)] = {}
    baseline: BaselineHead | None = None
    anchor: AgainstAnchor | None = None
    churn: Churn | None = None
    labelled: LabelledAnswers | None = None
    repair: Repair | None = None
    masked: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")], ...], Meta(max_length=10_000)
    ] = ()
    early: EarlyStop | None = None
    one_class: Text = ""
    shift: Text = ""
    options: Annotated[Mapping[Name, Name], Meta(max_length=20)] = {}
    run: RunMark | None = None


SliceNames = Annotated[tuple[Name, ...], Meta(max_length=MAX_SLICES)]


class BaselineOutputs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Predictions of the baseline's system for a row's inputs; None if unknown."""

    source: Any = None
    second: Any = None
    follow_up: Any = None


class GroupRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of ``groups.jsonl.gz``.

    ``bound`` groups were built at run time; a bound relation that built nothing from a source
    leaves one row without follow-up. ``unmatched`` lists the entities that break the relation, by
    side. Groups of one ``cluster``, or source, are not independent. ``before`` has the baseline's
    predictions of a group that changed or is violated. ``margin`` is how near the closest call is,
    as a difference of logits, if there is one. ``run`` is the id of the stored run.
    """

    id: Name
    relation: Identifier
    source_id: Name
    verdict: Verdict
    source: Mapping[str, Any]
    follow_up: Mapping[str, Any] | None = None
    alignment: Alignment = ()
    source_output: Any = None
    follow_up_output: Any = None
    unmatched: Mapping[str, Any] | None = None
    reason: Name = ""
    bound: bool = False
    unstable: bool = False
    margin: Positive | None = None
    change: Change | None = None
    errors: Annotated[tuple[EntityError, ...], Meta(max_length=100_000)] = ()
    second: Mapping[str, Any] | None = None
    second_output: Any = None
    stratum: Name = ""
    cluster: Name = ""
    slices: SliceNames = ()
    before: BaselineOutputs | None = None
    run: str = ""

    @property
    def cluster_key(self) -> str:
        """Return the unit in which its violations are counted: its cluster, or its source."""
        return self.cluster or self.source_id


TOOL = Tool(name="mt-gate", version=__version__)
"""The program that makes the files of this release."""

NO_FINGERPRINT = "no fingerprint: its predictions may change between runs"
SHOWN = 40
"""Characters shown of a fingerprint that a system made up for itself."""

_HASH = re.compile(r"(?:sha256:)?([0-9a-fA-F]{16,})")


def short_fingerprint(fingerprint: str, digits: int) -> str:
    """Return the first ``digits`` of a hash, or what a system calls itself; "none" without one."""
    if not fingerprint:
        return "none"
    match = _HASH.fullmatch(fingerprint)
    return match.group(1)[:digits] if match else fingerprint[:SHOWN]


def runtime_text(runtime: Runtime) -> str:
    """Return what computed the answers, for a reader."""
    what = f"ONNX Runtime {runtime.onnxruntime}" if runtime.onnxruntime else ""
    parts = [part for part in (what, runtime.provider, runtime.precision) if part]
    where = runtime.device or runtime.cpu
    if runtime.device and runtime.cpu:
        where = f"{runtime.device} ({runtime.cpu})"
    return ", ".join([*parts, f"on {where}"] if where else parts)
