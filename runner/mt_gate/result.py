"""The records of a run: ``result.json`` and the rows of ``groups.jsonl.gz``.

Both are read by people's own scripts, so names stay and ``format`` counts up
when a meaning changes. Counts travel; a rate is None where nothing was
applicable, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from mt_gate.domain import Alignment, EntityError, Verdict

FORMAT = 1


class Decision(StrEnum):
    """What the comparison with a baseline says of one relation."""

    REGRESSION = "regression"
    COLLAPSE = "collapse"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"
    IMPROVED = "improved"
    NOT_COMPARABLE = "not-comparable"


class GateVerdict(StrEnum):
    """What the gate says of the whole run."""

    REGRESSION = "regression"
    COLLAPSE = "collapse"
    INCONCLUSIVE = "inconclusive"
    PASS = "pass"
    IMPROVED = "improved"
    MEASURED = "measured"
    CANNOT_JUDGE = "cannot-judge"


class Change(StrEnum):
    """How a group's verdict moved from the baseline to the candidate."""

    NEW = "new"
    FIXED = "fixed"
    STILL = "still"
    OK = "ok"


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """The program that made a file."""

    name: str
    version: str


class SuiteHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which suite was run; ``sha256`` covers its sources, groups and relations.

    ``part`` says in words what of it, where that was not all, ``ontology`` what labels mean
    (task re): each makes another suite to a baseline.
    """

    name: str
    version: str
    task: str
    sha256: str
    part: tuple[str, ...] = ()
    ontology: str = ""


class Precision(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader found in a random sample of a relation's groups.

    ``acceptable`` of ``read``, with the Wilson 95 % interval of that share;
    ``sheet`` is the name of the marked sheet and its sha256.
    """

    read: int
    acceptable: int
    interval: tuple[float, float]
    sheet: str


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    """What computed the predictions, as far as it can move a number.

    A system that is no ONNX checkpoint says in ``provider`` what answered, and
    leaves empty what it does not have.
    """

    provider: str
    precision: str
    device: str
    onnxruntime: str
    cpu: str


class CheckpointHead(msgspec.Struct, frozen=True, kw_only=True):
    """Which checkpoint, or other system, was run.

    An empty ``fingerprint`` means that it has none: its answers may change between runs.
    """

    name: str
    fingerprint: str
    runtime: Runtime


class Applicability(msgspec.Struct, frozen=True, kw_only=True):
    """Share of groups applicable in both runs, for the collapse test.

    For a relation bound at run time it is the share of sources that bind.
    """

    baseline: float
    candidate: float
    p_adjusted: float
    only_baseline: int
    only_candidate: int


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate against its baseline on one relation, or pooled.

    ``delta`` and ``ci95`` are differences of violation rates in [-1, 1],
    positive when the candidate is worse. ``p_value`` is one-sided for worse.
    ``unstable`` counts groups that numerical noise alone could turn. The two
    rates are over the pairs alone, and ``delta`` is the one less the other.
    """

    pairs: int
    clusters: int
    new_violations: int
    fixed_violations: int
    delta: float | None
    ci95: tuple[float, float] | None
    p_value: float | None
    p_adjusted: float | None
    minimum_detectable_effect: float | None
    decision: Decision
    reason: str
    applicability: Applicability | None = None
    unstable: int = 0
    baseline_rate: float | None = None
    candidate_rate: float | None = None


class Stratum(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a relation's groups with one kind of edit.

    ``violation_rate`` and its 95 % interval, a cluster bootstrap over sources,
    are in [0, 1], and None where nothing was applicable.
    """

    groups: int
    applicable: int
    violated: int
    violation_rate: float | None = None
    ci95: tuple[float, float] | None = None


class RelationResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of one relation; ``groups`` = applicable + every not_applicable.

    ``precision`` is the suite's own: how many of its follow-ups a reader accepts.
    ``strata`` are its kinds of edit by name, of a relation whose groups have such.
    """

    id: str
    groups: int
    applicable: int
    violated: int
    violation_rate: float | None
    not_applicable: Mapping[str, int]
    errors: Mapping[str, int] = {}
    """What disagrees in the violated groups, counted by category."""
    unstable: int = 0
    comparison: Comparison | None = None
    precision: Precision | None = None
    strata: Mapping[str, Stratum] = {}


class Overall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All relations together; its comparison is the pooled difference."""

    applicable: int
    violated: int
    violation_rate: float | None
    comparison: Comparison | None = None
    errors: Mapping[str, int] = {}


class BaselineHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which baseline the run was held against; ``commit`` where git gave it, not a file.

    ``notes`` say what is out of the ordinary about where it comes from, such as that a pull
    request edits it; they are the first of the result's notes, too.
    """

    path: str
    name: str
    recorded: str
    suite_sha256: str
    checkpoint_fingerprint: str
    commit: str = ""
    notes: tuple[str, ...] = ()


class Profiles(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the system answers: for ``ner`` entities a sentence, by label."""

    candidate: Mapping[str, float]
    baseline: Mapping[str, float] | None = None


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of each phase of a run."""

    load: float = 0.0
    export: float = 0.0
    predict: float = 0.0
    judge: float = 0.0
    compare: float = 0.0
    report: float = 0.0
    total: float = 0.0


class Predictions(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs asked for, distinct ones, and how many came from the cache."""

    requested: int
    unique: int
    cached: int


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that can move a verdict, kept with every result."""

    alpha: float
    margin: float
    strict: bool
    max_applicability_loss: float
    max_violation_rate: Mapping[str, float]
    must_hold: tuple[str, ...]
    relations: tuple[str, ...]
    complete: bool
    noise: float


class RepairSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a repair; see ``docs/repair.md``."""

    scores: str
    top: int
    min_score: float
    min_cosine: float


class RepairMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """Repair held against labels, over suspicious entities of labelled sources (TIN, table 4).

    The first letter says whether the system's answer was right (T, F), the
    second whether the repaired one is. A rate is None where it is over nothing.
    """

    labels: str
    sentences: int
    ft: int
    tf: int
    tt: int
    ff: int
    err2cor: float | None
    cor2err: float | None
    error_reduction: float | None


class Repair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What ``mt-gate repair`` did; ``suspicious`` = changed + unchanged + no_candidate.

    An entity that is suspicious in many groups counts once a sentence.
    """

    fillers: str
    similarity: str
    settings: RepairSettings
    groups: int
    sentences: int
    suspicious: int
    voted: int
    changed: int
    unchanged: int
    no_candidate: int
    changed_by_category: Mapping[str, int]
    predictions: Predictions
    measures: RepairMeasures | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Everything a report needs, in one file. ``reasons`` say why the verdict."""

    format: int
    tool: Tool
    verdict: GateVerdict
    exit_code: int
    reasons: tuple[str, ...]
    created: str
    suite: SuiteHead
    checkpoint: CheckpointHead
    settings: RunSettings
    relations: tuple[RelationResult, ...]
    overall: Overall
    profile: Profiles
    timing: Timing
    predictions: Predictions
    notes: tuple[str, ...] = ()
    baseline: BaselineHead | None = None
    repair: Repair | None = None


class BaselineOutputs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the baseline's system answered to a row's inputs; None where that is not known.

    It was not asked, did not answer, or the baseline does not keep it.
    """

    source: Any = None
    second: Any = None
    follow_up: Any = None


class GroupRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of ``groups.jsonl.gz``.

    ``bound`` groups were built at run time from the source output; ``reason``
    says why a group is not applicable. A bound relation that built nothing
    from a source leaves one row without follow-up, so that counts add up.
    ``unmatched`` lists the entities that break the relation, by side;
    ``errors`` says of each disagreement what kind of error it is. ``second`` is the
    second source of a relation that has two; ``stratum`` the kind of edit. Groups of
    one ``cluster`` are no independent witnesses; it is the source where empty.
    ``before`` has the baseline's answers, of a group that changed or is violated, where
    the baseline keeps them.
    """

    id: str
    relation: str
    source_id: str
    verdict: Verdict
    source: Mapping[str, Any]
    follow_up: Mapping[str, Any] | None = None
    alignment: Alignment = ()
    source_output: Any = None
    follow_up_output: Any = None
    unmatched: Mapping[str, Any] | None = None
    reason: str = ""
    bound: bool = False
    unstable: bool = False
    change: Change | None = None
    errors: tuple[EntityError, ...] = ()
    second: Mapping[str, Any] | None = None
    second_output: Any = None
    stratum: str = ""
    cluster: str = ""
    before: BaselineOutputs | None = None

    @property
    def witness(self) -> str:
        """Return what its violations are counted under: its cluster, else its source."""
        return self.cluster or self.source_id
