"""Output relations as data: a fixed set of records in which a suite states its expectations.

    {"kind": "same", "when": {"label": "toxic"}}
    {"kind": "becomes", "labels": {"entailment": "contradiction"}}
    {"kind": "falls", "label": "positive", "by": 0.1}

A record contains no code, so that a suite from an untrusted author can be run. A new kind needs a
record here, a case in ``StatedJudge``, and a row in ``docs/relations.md``.

If a group has a second source, the expectation concerns both: a label counts if both have it, and
a score must rise above both, fall below both, or be within reach of both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from mt_gate.base.errors import quoted
from mt_gate.domain import NotApplicable, Verdict
from mt_gate.relations.base import Condition, ExecutedGroup, Judge, Judgement
from mt_gate.relations.ner.entities import compare_entities
from mt_gate.relations.ner.known_entities import judge_edited
from mt_gate.tasks.spec import Output, TaskSpec

MAX_LABELS = 1000
_EXACT = 1e-9
"""Tolerance for rounding errors, so that a change of 0.1 counts as at least 0.1."""

LabelName = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
"""A label in suites, settings and predictions."""
Step = Annotated[float, Meta(ge=0, le=1)]
"""A difference of two scores."""
_SomeLabels = Annotated[tuple[LabelName, ...], Meta(min_length=1, max_length=MAX_LABELS)]


class When(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A precondition: the case is skipped if the original's prediction does not have this label."""

    label: LabelName


class _Stated(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="kind",
):
    """The fields of every output relation."""

    when: When | None = None


class Same(_Stated, frozen=True, kw_only=True, tag="same"):
    """The labels stay the same. If ``labels`` is set, only these count, and others may change.

    The case is skipped if neither side has such a label, because any silent system would pass.
    """

    labels: Annotated[tuple[LabelName, ...], Meta(max_length=MAX_LABELS)] = ()


class Differs(_Stated, frozen=True, kw_only=True, tag="differs"):
    """The labels change."""


class Becomes(_Stated, frozen=True, kw_only=True, tag="becomes"):
    """A label of the source must become the mapped one; other labels are not tested."""

    labels: Annotated[Mapping[LabelName, LabelName], Meta(min_length=1, max_length=MAX_LABELS)]


class IsNot(_Stated, frozen=True, kw_only=True, tag="not"):
    """A label of the source excludes the mapped ones; other labels are not tested."""

    labels: Annotated[Mapping[LabelName, _SomeLabels], Meta(min_length=1, max_length=MAX_LABELS)]


class _Directed(_Stated, frozen=True, kw_only=True):
    """A score that moves one way. ``slack`` (only if ``by`` is 0): allowed move the other way."""

    label: LabelName
    by: Step
    slack: Step = 0.0


class Rises(_Directed, frozen=True, kw_only=True, tag="rises"):
    """The score of a label grows by at least ``by``; not applicable if the scale has no room."""


class Falls(_Directed, frozen=True, kw_only=True, tag="falls"):
    """The score of a label falls by at least ``by``; not applicable if the scale has no room."""


class Within(_Stated, frozen=True, kw_only=True, tag="within"):
    """The score of a label moves by at most ``by``."""

    label: LabelName
    by: Step


class Equals(_Stated, frozen=True, kw_only=True, tag="equals"):
    """The labels equal the group's gold labels (``domain.Group.gold``).

    Labels outside the suite's label set are ignored, because gold labels never contain them.
    """


class SpansMapped(_Stated, frozen=True, kw_only=True, tag="spans-mapped"):
    """The entities are the source's, mapped through the edit, and no others (task ner).

    ``only_kept``: words that the edit adds may be entities of any label, and a group whose edit
    touches an entity of the source is not applicable.
    """

    only_kept: bool = False


class SpansFound(_Stated, frozen=True, kw_only=True, tag="spans-found"):
    """The known entities that are found in the source are found in the edited text (task ner)."""


OutputRelation: TypeAlias = (
    Same | Differs | Becomes | IsNot | Rises | Falls | Within | Equals | SpansMapped | SpansFound
)
_SPANS, _SCORES = (SpansMapped, SpansFound), (Rises, Falls, Within)
_KINDS: tuple[type[_Stated], ...] = (Same, Differs, Becomes, IsNot, *_SCORES, Equals, *_SPANS)


def kind_of(output: _Stated | type[_Stated]) -> str:
    """Return the name of a kind, as written in suites."""
    return str(output.__struct_config__.tag)


FORMS: Mapping[str, type[_Stated]] = {kind_of(kind): kind for kind in _KINDS}
"""The record of each kind, by name."""
KINDS = tuple(FORMS)
"""The names of all kinds."""


def kinds_of(task: TaskSpec) -> tuple[str, ...]:
    """Return the kinds that apply to the outputs of a task."""
    if task.spans:
        return tuple(kind_of(kind) for kind in _SPANS)
    read = [
        *([] if task.decided is None else set(_KINDS) - {*_SPANS, *_SCORES}),
        *([] if task.scores is None else _SCORES),
    ]
    return tuple(kind_of(kind) for kind in _KINDS if kind in read)


def labels_in(output: OutputRelation) -> tuple[str, ...]:
    """Return the distinct labels that an output relation names, in its order."""
    named: list[str] = [output.when.label] if output.when else []
    match output:
        case Same(labels=labels):
            named += labels
        case Becomes(labels=pairs):
            named += [label for pair in pairs.items() for label in pair]
        case IsNot(labels=ruled_out):
            named += [label for key, others in ruled_out.items() for label in (key, *others)]
        case Rises(label=label) | Falls(label=label) | Within(label=label):
            named.append(label)
        case _:
            pass
    return tuple(dict.fromkeys(named))


def unknown_kind(output: object) -> str:
    """Return what is wrong with the kind of an undecoded output relation; empty if nothing is."""
    kind = output.get("kind") if isinstance(output, Mapping) else None
    if isinstance(kind, str) and kind in KINDS:
        return ""
    stated = "no kind" if kind is None else f"kind {quoted(kind, 40)}"
    return f"output relation has {stated}. Expected one of {', '.join(KINDS)}"


def fault(output: OutputRelation, task: TaskSpec, labels: Collection[str]) -> str:
    """Return what is wrong with an output relation for a task; empty if nothing is.

    ``labels`` is the label set of the suite or the task, which may be empty.
    """
    kinds = kinds_of(task)
    if kind_of(output) not in kinds:
        return (
            f"output relation {kind_of(output)} does not fit task {task.id}. "
            f"Expected one of {', '.join(kinds)}"
        )
    unknown = [label for label in labels_in(output) if label not in labels]
    if unknown:
        known = "The suite has no labels. List them in its 'labels'"
        if labels:
            known = f"Its labels: {', '.join([*labels][:10])}"
        return (
            f"output relation {kind_of(output)} names label {quoted(unknown[0], 60)}, which is not "
            f"a label of the suite. {known}"
        )
    if isinstance(output, _Directed) and output.slack and output.by:
        return (
            f"output relation {kind_of(output)} has both by ({output.by:g}) and slack "
            f"({output.slack:g}), but a score that must move has no slack. Set one of them to 0"
        )
    return ""


@dataclass(frozen=True)
class StatedJudge:
    """A ``Judge`` that applies an output relation to the outputs of a task."""

    output: OutputRelation
    task: TaskSpec
    labels: frozenset[str] = frozenset()

    def __call__(self, case: ExecutedGroup) -> Judgement:
        """Judge a group."""
        task = self.task
        sources = [case.source_output, *([case.second.output] if case.second else [])]
        if reason := _unmet(self.output, task, sources):
            return Judgement(Verdict.NOT_APPLICABLE, reason)
        if task.unread(case.source, case.source_output, case.follow_up, case.follow_up_output):
            return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.EDIT_CUT_OFF)
        before, after = _decided(task, *sources), _decided(task, case.follow_up_output)
        match self.output:
            case Same(labels=labels):
                # ``_unmet`` has checked that the sources agree on these labels.
                before, after = (
                    side.intersection(labels) if labels else side for side in (before, after)
                )
                if not before and not after:
                    return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.VACUOUS)
                return _verdict(before == after)
            case Differs():
                return _verdict(before != after)
            case Becomes(labels=pairs):
                wanted = {pairs[label] for label in before.intersection(pairs)}
                gone = before.intersection(pairs) - wanted
                return _verdict(wanted <= after and not gone & after)
            case IsNot(labels=ruled_out):
                read = before.intersection(ruled_out)
                return _verdict(not any(after.intersection(ruled_out[label]) for label in read))
            case Equals():
                gold = case.gold
                if gold is None:  # reading a suite rejects such a group
                    return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.NO_FOLLOW_UP)
                right = (after & self.labels if self.labels else after) == {*gold}
                return _verdict(right, unmatched={"expected": sorted(gold)})
            case SpansMapped(only_kept=only_kept):
                return compare_entities(case, only_shared=only_kept)
            case SpansFound():
                return judge_edited(case)
            case Rises() | Falls() | Within():
                return _judge_scores(self.output, task, sources, case.follow_up_output)


def judge(output: OutputRelation, task: TaskSpec, labels: Collection[str] = ()) -> Judge:
    """Return the judge that applies an output relation to the outputs of a task.

    ``labels`` is the suite's label set, which includes the gold labels; it may be empty.
    """
    return StatedJudge(output, task, frozenset(labels))


def condition(output: OutputRelation, task: TaskSpec) -> Condition:
    """Return the precondition of an output relation on the predictions for the sources."""
    return lambda group: _unmet(
        output, task, [group.source_output, *([group.second.output] if group.second else [])]
    )


def _decided(task: TaskSpec, *outputs: Output) -> frozenset[str]:
    """Return the labels that all of these outputs predict."""
    if task.decided is None:
        return frozenset()
    return frozenset.intersection(*(frozenset(task.decided(output)) for output in outputs))


def _scores(task: TaskSpec, outputs: Sequence[Output], label: str) -> list[float]:
    scores = [task.scores(output).get(label) if task.scores else None for output in outputs]
    return [score for score in scores if score is not None]


def _unmet(output: OutputRelation, task: TaskSpec, sources: Sequence[Output]) -> str:
    """Return why nothing follows from the predictions for the sources; empty if something does."""
    labels = _decided(task, *sources)
    if output.when is not None and output.when.label not in labels:
        return NotApplicable.SOURCE_ANSWER
    follows = True
    match output:
        case Becomes() | IsNot():
            follows = bool(labels.intersection(output.labels))
        case Same() | Differs():
            counted = output.labels if isinstance(output, Same) else ()
            decided = (_decided(task, source) for source in sources)
            # If the sources differ, there are no common labels to keep.
            follows = (
                len({side.intersection(counted) if counted else side for side in decided}) == 1
            )
        case Rises() | Falls() | Within():
            scores = _scores(task, sources, output.label)
            if len(scores) < len(sources):
                return NotApplicable.NO_SCORE
            room = {Rises: 1 - max(scores), Falls: min(scores), Within: 1.0}[type(output)]
            return "" if room >= output.by - _EXACT else NotApplicable.NO_ROOM
        case _:
            pass
    return "" if follows else NotApplicable.SOURCE_ANSWER


def _verdict(
    holds: bool, margin: float | None = None, unmatched: Mapping[str, Any] | None = None
) -> Judgement:
    if holds:
        return Judgement(Verdict.SATISFIED, margin=margin)
    return Judgement(Verdict.VIOLATED, unmatched=unmatched, margin=margin)


def _judge_scores(
    output: Rises | Falls | Within, task: TaskSpec, sources: Sequence[Output], follow_up: Output
) -> Judgement:
    """Judge a difference of scores; the margin is its distance from the verdict's threshold."""
    before, after = (_scores(task, outputs, output.label) for outputs in (sources, [follow_up]))
    if not after or len(before) < len(sources):
        return Judgement(Verdict.NOT_APPLICABLE, NotApplicable.NO_SCORE)
    match output:
        case Rises():
            room = after[0] - max(before) - output.by + output.slack
        case Falls():
            room = min(before) - after[0] - output.by + output.slack
        case Within():
            room = output.by - max(max(before) - after[0], after[0] - min(before))
    return _verdict(room >= -_EXACT, margin=abs(room), unmatched={"label": output.label})
