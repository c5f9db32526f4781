"""The records of a run: ``result.json`` and the rows of ``groups.jsonl.gz``.

Users' scripts read both, so names stay, and ``format`` increases if a meaning changes. Counts
accompany each rate; a rate is None if no case was testable, never 0.
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
    """The rule that led to a decision; if several did, the first in this order."""

    RISE = "rise"  # a significant rise above the margin
    # A significant rise above the margin in one slice of the suite.
    RISE_IN_SLICE = "rise-in-slice"
    # A rise above the margin that is significant only before correction.
    RISE_ALONE = "rise-alone"
    # A significant rise that is no regression if unstable cases are excluded.
    RISE_OR_NOISE = "rise-or-noise"
    FALL = "fall"  # a significant fall: an improvement
    NO_RISE = "no-rise"  # neither a significant rise nor a significant fall
    # A significant rise above the margin that the policy accepts for now.
    ACCEPTED = "accepted"
    REPORTED = "reported"  # the policy reports the relation, but does not test it
    TOO_FEW = "too-few"  # too few paired sources for a test
    # The gate is strict, and no test shows that the rise stays within the margin.
    NOT_SHOWN = "not-shown"
    # Prediction coverage fell significantly.
    STOPPED_ANSWERING = "stopped-answering"
    # Far fewer cases are testable, because predictions changed.
    FEWER_APPLICABLE = "fewer-applicable"
    # Too few paired sources for a test, although the baseline had enough.
    COMPARABILITY_LOST = "comparability-lost"
    REQUIRED = "required"  # no test: a required relation could not be compared
    LIMIT = "limit"  # no test: the violation rate exceeds its limit, or cannot be checked
    MUST_HOLD = "must-hold"  # no test: a pinned case is violated, or is not testable


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
    """Metadata of the suite that was run.

    ``part`` describes the subset that was run. ``ontology`` is the labels' (task re).
    ``sha256`` covers its sources, groups and relations. ``filters`` is ``paper`` if it was built
    with ``--filters paper``.
    """

    name: Name
    version: Name
    task: Name
    sha256: Name
    part: Texts = ()
    ontology: Name = ""
    filters: Name = ""


class Precision(msgspec.Struct, frozen=True, kw_only=True):
    """Share of a sample of a relation's cases that reviewers accept; ``sheet``: their labels."""

    read: Count
    acceptable: Count
    interval: Interval
    sheet: Name


class Runtime(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Software and hardware of the predictions, as far as they can change a number.

    ``provider`` names the system if it is not an ONNX model. ``integers``: 8-bit integers are
    multiplied, whatever the ``precision``. Empty ``cpu_features`` or 0 ``threads`` mean unknown.
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
    """Metadata of the checkpoint, or other system, that was run.

    If ``fingerprint`` is empty, predictions may change between runs. ``reading`` describes the
    ``label_map`` and ``threshold`` (task text), which ``own_fingerprint`` does not cover.
    ``prompt`` is that of a language model, as a text.
    """

    name: Name
    fingerprint: Name
    runtime: Runtime
    reading: Name = ""
    own_fingerprint: Name = ""
    label_map: LabelMap = {}
    threshold: Thresholds = {}
    prompt: Text = ""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """Share of cases in each run; ``p_adjusted`` is of the one-sided test for a fall."""

    baseline: Rate
    candidate: Rate
    p_adjusted: Rate


class Applicability(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of cases that were testable, and of cases with predictions, in both runs.

    For a relation bound at run time, sources are counted instead of cases. ``only_baseline`` and
    ``only_candidate`` count those that are testable in one run alone. ``sources`` counts sources
    with a testable case in each run of the baseline.
    """

    applicable: Share
    answered: Share
    only_baseline: Count
    only_candidate: Count
    sources: Count


class ComparisonFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of candidate and baseline on one relation, or overall; without a decision.

    ``delta`` and ``ci95`` are differences of violation rates in [-1, 1], positive when the
    candidate is worse. ``p_value`` is one-sided for a rise, ``p_better`` for a fall. ``p_adjusted``
    is ``p_value`` corrected for all tests of the tier. ``minimum_detectable_effect`` is the rise
    that is detectable (80% power); None if alpha is too small for any. ``provable_margin`` is the
    smallest margin for which non-inferiority would be shown if neither run were worse.
    ``unchanged``: it is the same checkpoint, and no pair differs. Numerical noise alone could turn
    ``unstable`` pairs. The two rates are over the pairs alone. ``rise_by_seeds`` is the rise that
    trainings with other seeds can explain, if a candidate was retrained.
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
    rise_by_seeds: Rate | msgspec.UnsetType = msgspec.UNSET


class Comparison(ComparisonFigures, frozen=True, kw_only=True):
    """Comparison with a baseline and its decision by a ``rule``; ``reason`` is a sentence."""

    decision: Decision
    rule: Rule
    fails: bool
    reason: Text


class Stratum(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a relation's cases of one subtype; see ``statistics.rate_interval``."""

    groups: Count
    applicable: Count
    violated: Count
    violation_rate: Rate | None = None
    ci95: Interval | None = None


class RelationWords(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Texts that present a relation defined by its suite; mt-gate has those of other relations."""

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
    """Counts of one relation; ``groups`` is the sum of applicable and every not_applicable.

    ``words`` present a relation that the suite defines. ``says`` begins reports, with the places
    ``{n}`` (satisfied cases) and ``{total}`` (testable cases).
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
    """Counts of all relations; the comparison is overall, over the relations that block."""

    applicable: Count
    violated: Count
    violation_rate: Rate | None
    comparison: Comparison | None = None
    errors: Counts = {}


class BaselineHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Metadata of the baseline that the run was compared with.

    ``commit`` is set if the baseline came from git, not from a file. The fingerprint is that of the
    first of its ``runs``. If no baseline was stored, ``against`` names the checkpoint run in the
    same job, by ``runtime``, with its reports in ``path``. ``rereading`` is a sentence; it is set
    if only label map or thresholds differ from the run's. ``prompt`` is set if it differs.
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
    prompt: Text = ""


class AgainstAnchor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Comparison of a run with its baseline's anchor; it changes neither verdict nor exit code.

    ``verdict`` is the one that the anchor would lead to with its ``margin``, without limits.
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
    """Number of items that changed, ``of`` those that could; the rate is None if none could."""

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
    """How often one prediction became another, or stayed; a lost or new entity has one label."""

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

    ``labels`` are the baseline's. ``moves`` has the most frequent; ``omitted`` counts the others.
    """

    inputs: Flips
    one_side: Count = 0
    labels: Annotated[tuple[LabelChurn, ...], Meta(max_length=MOST_LABELS)] = ()
    moves: Annotated[tuple[MovedAnswers, ...], Meta(max_length=MOST_MOVES)] = ()
    omitted: Count = 0
    drift: Drift | None = None


class LabelledFlips(msgspec.Struct, frozen=True, kw_only=True):
    """Labelled inputs that only the baseline predicts correctly, or only this run."""

    labels: Name
    negative: Flips
    positive: Count


class Churn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Changes from baseline to candidate, even if no rate moved.

    ``answers`` is None without stored predictions, ``labelled`` without the same labelled inputs.
    """

    groups: Flips
    answers: AnswerChurn | None = None
    labelled: LabelledFlips | None = None


class LabelledAnswers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The inputs of a labelled file that a system predicts wrongly.

    ``wrong`` numbers inputs from 0, sorted by cluster and id. ``clusters`` has the sizes of the
    clusters in that order; it is empty if every input is a separate cluster.
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
    """Seconds of each phase of a run, and in total; phases do not overlap."""

    load: Positive = 0.0
    export: Positive = 0.0
    predict: Positive = 0.0
    judge: Positive = 0.0
    compare: Positive = 0.0
    report: Positive = 0.0
    total: Positive = 0.0


class Predictions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Numbers of the run's inputs, of distinct inputs, and of inputs from the cache.

    ``sent`` are requests to an endpoint, and ``cost`` theirs, if its prompt has prices.
    ``unread_reply`` begins the first reply that was no prediction.
    """

    requested: Count
    unique: Count
    cached: Count
    sent: Count = 0
    cost: Positive = 0.0
    unread_reply: Text = ""


class OwnFlips(msgspec.Struct, frozen=True):
    """The share of inputs with another prediction the second time, and its upper bound."""

    share: Limit
    at_most: Limit


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that can change a verdict, stored in every result.

    ``complete``: the relations are all that run by default. ``retrained``: the candidate is another
    training, so rates may vary as trainings do. ``noise`` is the largest difference between scores
    of the same input. ``flips`` are those of a language model. ``allowed_flips`` is the rise of
    violation rates that they explain, once a run is compared.
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
    retrained: bool | msgspec.UnsetType = msgspec.UNSET
    relations: RelationIds
    complete: bool
    noise: Positive
    flips: OwnFlips | msgspec.UnsetType = msgspec.UNSET
    allowed_flips: Limit | msgspec.UnsetType = msgspec.UNSET


def is_loss(decision: Decision | GateVerdict) -> bool:
    """Whether a decision, or a verdict, says that something got worse."""
    return decision in (Decision.REGRESSION, Decision.COLLAPSE)


def fails(decision: Decision | GateVerdict, settings: RunSettings) -> bool:
    """Whether a decision, or a verdict other than cannot-judge, fails the build."""
    return is_loss(decision) or (settings.strict and decision == Decision.INCONCLUSIVE)


def exit_code(verdict: GateVerdict, settings: RunSettings) -> int:
    """Return the exit code of a verdict under these settings."""
    if verdict is GateVerdict.CANNOT_JUDGE:
        return errors.CANNOT_JUDGE
    return errors.REGRESSION if fails(verdict, settings) else errors.PASS


class RepairSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a repair; see ``docs/repair.md``."""

    scores: Name
    top: Count
    min_score: Annotated[float, Meta(ge=-1e9, le=1e9)]
    min_cosine: Difference


class RepairMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """Repair compared with labels, over suspicious entities of labelled sources (TIN, table 4).

    The first letter says whether the system's prediction is correct (t) or not (f), the second
    letter whether the repaired prediction is.
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
    """Identity of a run, which ties a result to its rows.

    ``id`` is the beginning of the sha256 of ``nonce`` and the result without ``run`` and
    ``timing``; every row repeats it. ``rows_sha256`` is of the rows' unpacked text.
    """

    id: RunId
    nonce: RunId
    rows_sha256: Digest


class EarlyStop(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of a run that could stop early; ``asked`` of ``clusters`` were predicted.

    ``loss`` is True if the run stopped for a certain regression, False if it stopped because none
    was likely, and None if it did not stop.
    """

    look: Annotated[int, Meta(ge=1, le=1000)]
    looks: Annotated[int, Meta(ge=1, le=1000)]
    asked: Count
    clusters: Count
    loss: bool | None = None

    @property
    def stopped(self) -> bool:
        """Whether the run stopped before all clusters were predicted."""
        return self.look < self.looks


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a report needs, in one file; ``run`` is None until it is stored.

    ``noise`` is the largest difference of a score for each change of the computation. ``masked``
    are digests of offensive words. ``one_class`` and ``shift`` are sentences of ``judging.churn``.
    ``options`` has options of the command that no other field records.
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

    ``bound`` cases were built at run time. If a bound relation builds none from a source, one row
    without ``follow_up`` remains. ``unmatched`` lists the entities that break the relation, by
    side. Cases of one ``cluster``, or source, are not independent. ``before`` has the baseline's
    predictions for a case that changed or is violated. ``margin`` is the smallest gap between
    scores that a prediction depends on, as a difference of logits, if there is one. ``run`` is the
    id of the stored run.
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
        """Return the row's cluster for counting violations: ``cluster``, or else its source."""
        return self.cluster or self.source_id


TOOL = Tool(name="mt-gate", version=__version__)
"""The program that makes the files of this release."""

NO_FINGERPRINT = "no fingerprint: its predictions may change between runs"
SHOWN = 40
"""Maximum characters shown of a fingerprint that is no hash."""

_HASH = re.compile(r"(?:sha256:)?([0-9a-fA-F]{16,})")


def short_fingerprint(fingerprint: str, digits: int) -> str:
    """Return the first ``digits`` of a hash, or another fingerprint shortened; "none" if empty."""
    if not fingerprint:
        return "none"
    match = _HASH.fullmatch(fingerprint)
    return match.group(1)[:digits] if match else fingerprint[:SHOWN]


def runtime_text(runtime: Runtime) -> str:
    """Describe the runtime and hardware of the predictions in one phrase."""
    what = f"ONNX Runtime {runtime.onnxruntime}" if runtime.onnxruntime else ""
    parts = [part for part in (what, runtime.provider, runtime.precision) if part]
    where = runtime.device or runtime.cpu
    if runtime.device and runtime.cpu:
        where = f"{runtime.device} ({runtime.cpu})"
    return ", ".join([*parts, f"on {where}"] if where else parts)
