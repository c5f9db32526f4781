"""The records of ``evaluation.json``, and how it is read and written.

Every rate has its counts; a rate is None if nothing was counted.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from mt_gate.base.errors import CannotJudge
from mt_gate.base.files import decode_format, read_whole
from mt_gate.judging import statistics
from mt_gate.results.result import (
    CheckpointHead,
    Comparison,
    Count,
    Counts,
    Digest,
    GateVerdict,
    Interval,
    Name,
    Rate,
    SuiteHead,
    Text,
    Texts,
    Tool,
)
from mt_gate.settings.policy import Margin
from mt_gate.settings.record import Alpha

FORMAT = 1
KIND = "evaluation"
EVALUATION = "evaluation.json"
MAX_EVALUATION = 256 << 20
_CAUSE = f"Expected the {EVALUATION} of 'mt-gate evaluate'. Record it again."
Score = Annotated[float, msgspec.Meta(ge=-1e30, le=1e30)]
Span = tuple[Count, Count]
Protocol = Literal["held-out", "bag-manual", "sentence-manual"]
Aggregator = Literal["AVG", "ONE", "ATT", ""]
Basis = Literal["logits", "answers"]


Packed = Annotated[str, msgspec.Meta(max_length=20_000)]
"""Base64 of rows of three 32-bit floats, each in [0, 1] or NaN."""


def packed(values: NDArray[np.float64]) -> str:
    """Return values of shape (rows, 3) as text."""
    return b64encode(values.astype("<f4").tobytes()).decode()


def unpacked(text: str) -> NDArray[np.float64]:
    """Return the values of a text, shape (rows, 3). Raises ValueError: not such values."""
    data = b64decode(text, validate=True)
    values = np.frombuffer(data, "<f4").reshape(-1, 3).astype(np.float64)
    if ((values < 0) | (values > 1)).any():
        raise ValueError("figures outside of 0 to 1")
    return values


class BoundedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure in [0, 1] with its 95 % interval; None if it is undefined."""

    value: Rate | None
    ci95: Interval | None


class RelationCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts of a relation in the labels, in the predictions, and in both."""

    relation: Name
    facts: Count
    predicted: Count
    right: Count


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """One precision-recall curve and its figures.

    ``threshold`` is the score at the point with the best F1. ``relations`` and ``macro_f1``, the
    mean over relations with a fact, count the pairs with at least that score.
    """

    protocol: Protocol
    aggregator: Aggregator
    units: Count
    facts: Count  # in the labels
    out_of_reach: Count  # facts with a relation that the system has no label for
    auc: BoundedFigure
    average_precision: Rate | None
    micro_f1: BoundedFigure  # at the best point
    macro_f1: BoundedFigure
    threshold: Score | None
    relations: tuple[RelationCounts, ...]
    in_auto: Count | None  # false facts that the automatic labels have; None if not known
    precision_at: Mapping[Name, Rate]  # precision of the first N pairs, by N
    points: tuple[tuple[Rate, Rate], ...]  # (recall, precision), best score first, thinned
    resamples: Packed = ""  # ``curves.Resamples.values``
    first_resample: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 0

    def __post_init__(self) -> None:
        """Check the form of packed values. Raises ValueError."""
        unpacked(self.resamples)


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """Quality of the automatic labels (``predicted``) compared with the manual labels."""

    mapped: bool  # whether labels are mapped as for scoring; if False, as in the file
    bags: Count  # bags with both kinds of label
    agreeing: Count  # bags whose labels are the same in both
    pair_accuracy: BoundedFigure
    precision: BoundedFigure
    recall: BoundedFigure
    all: RelationCounts
    relations: tuple[RelationCounts, ...]


class FalseFact(msgspec.Struct, frozen=True, kw_only=True):
    """A predicted fact that no sentence of its bag supports, with its best-scored sentence."""

    relation: Name
    score: Score
    in_auto: bool  # the automatic labels have it: it may be true, but is not in the text
    sentences: Count
    text: Text
    head: Span
    tail: Span


class RelationProtocols(msgspec.Struct, frozen=True, kw_only=True):
    """The protocols of distantly supervised relation extraction on one set of predictions."""

    basis: Basis  # bags are scored with logits of all labels, or with probabilities of predictions
    sentences: Count
    bags: Count
    curves: tuple[Curve, ...]
    quality: tuple[Quality, ...] = ()
    false_total: Count = 0
    false_facts: tuple[FalseFact, ...] = ()  # best-scored first, from the curve of bag-manual, ONE


SampleId = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """``count`` of ``of``, with the rate and its 95 % interval, both in [0, 1]."""

    count: Count
    of: Count
    rate: Rate | None
    ci95: Interval | None


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure, such as precision (``name``), for one ``label``, or for all if it is empty."""

    name: Name
    label: Name
    share: Share


class Labels(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The labelled file, counts of its lines, and the table and patch applied to its labels."""

    name: Name
    sha256: Digest
    samples: Count
    left_out: Counts
    mapping: Name = ""
    mapping_sha256: Name = ""
    patch_sha256: Name = ""


class EvaluationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that can move a verdict."""

    alpha: Alpha
    margin: Margin


class RelationShare(msgspec.Struct, frozen=True, kw_only=True):
    """One relation's violations compared with the labels; overall if ``id`` is empty."""

    id: Name
    violation: Share
    labelled: Count  # violated groups whose source is a sample
    sources: Count  # distinct sources of these groups
    source_right: Share  # of these groups, those with a right prediction on the source


class ComparedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The run whose violation rates are shown next to the error rate."""

    path: Name
    created: Name
    suite: SuiteHead
    relations: tuple[RelationShare, ...]
    overall: RelationShare


class EvaluationBaseline(msgspec.Struct, frozen=True, kw_only=True):
    """The evaluation that this one was compared with."""

    path: Name
    created: Name
    checkpoint: CheckpointHead
    accuracy: Share


class Samples(msgspec.Struct, frozen=True, kw_only=True):
    """Ids of the samples predicted right and wrong, sorted, each in one of the two."""

    right: tuple[SampleId, ...]
    wrong: tuple[SampleId, ...]


class FigureComparison(msgspec.Struct, frozen=True, kw_only=True):
    """A protocol's figure compared with the baseline's; ``p_value`` is for a fall, after Holm."""

    protocol: Protocol
    aggregator: Aggregator
    figure: Name
    baseline: Rate
    candidate: Rate
    p_value: Rate
    regressed: bool


class Evaluation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An evaluation on labels; ``relations`` is set only for task ``re``.

    In ``comparison``, a group is a sample and a violation is a wrong prediction.
    """

    kind: Literal["evaluation"]
    format: int
    tool: Tool
    verdict: GateVerdict
    exit_code: Annotated[int, msgspec.Meta(ge=0, le=3)]
    reasons: Texts
    created: Name
    task: Name
    labels: Labels
    checkpoint: CheckpointHead
    settings: EvaluationSettings
    accuracy: Share
    error_rate: Share
    measures: tuple[Measure, ...]
    unanswered: Counts  # missing predictions by reason; they count as wrong
    samples: Samples
    notes: Texts = ()
    relations: RelationProtocols | None = None
    run: ComparedRun | None = None
    baseline: EvaluationBaseline | None = None
    comparison: Comparison | None = None
    figures: tuple[FigureComparison, ...] = ()  # of ``relations``, compared with the baseline's


def plain_share(count: int, of: int) -> Share:
    """Return a share of independent trials with Wilson's interval."""
    if not of:
        return Share(count=0, of=0, rate=None, ci95=None)
    return Share(count=count, of=of, rate=count / of, ci95=statistics.wilson(count, of))


def rest(share: Share) -> Share:
    """Return the complement of a share, 1 minus its rate."""
    if share.rate is None or share.ci95 is None:
        return share
    low, high = share.ci95
    left = share.of - share.count
    return Share(count=left, of=share.of, rate=left / share.of, ci95=(1 - high, 1 - low))


def encoded(evaluation: Evaluation) -> bytes:
    """Return the text of ``evaluation.json``, indented, with one id per line."""
    return msgspec.json.format(msgspec.json.encode(evaluation), indent=2) + b"\n"


def read_evaluation(path: Path) -> Evaluation:
    """Read an ``evaluation.json``."""
    data = read_whole(path, limit=MAX_EVALUATION, cause=_CAUSE)
    evaluation = decode_format(
        data, Evaluation, path=path, what="evaluation", latest=FORMAT, cause=_CAUSE
    )
    ids = (*evaluation.samples.right, *evaluation.samples.wrong)
    if len(ids) != len(set(ids)) or len(ids) != evaluation.accuracy.of:
        raise CannotJudge(
            f"{path} has {len(ids)} samples, {len(set(ids))} of them distinct, but counts "
            f"{evaluation.accuracy.of}. {_CAUSE}"
        )
    return evaluation
