"""``mt-gate repair``: relabel the suspicious entities of a run by vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from mt_gate import gate
from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.figures import counted, percent
from mt_gate.domain import Side
from mt_gate.evaluating.judging import check_same_system
from mt_gate.evaluating.labelled import labelled_sentences
from mt_gate.relations.ner.entities import Span, Votes, categorise, core
from mt_gate.repairing.conflicts import Ballot, EntityOutcome, Repaired, settle
from mt_gate.repairing.reading import (
    Violated,
    ViolatedSentence,
    distinct_sentences,
    violated_groups,
)
from mt_gate.repairing.records import fixes_of, record, write_repairs
from mt_gate.repairing.vote import MIN_SCORE, RepairTools, votes
from mt_gate.results.result import GroupRow, Repair, RepairMeasures, RepairSettings, Result
from mt_gate.results.store import (
    GROUPS,
    RESULT,
    Run,
    check_writable,
    read_result,
    read_rows,
    renewed,
    reserved,
    shown,
)
from mt_gate.running import measuring
from mt_gate.running.labels import check_common
from mt_gate.running.predicting import Cache, Predictor, Progress, default_folder
from mt_gate.running.systems import PARITY_INPUTS, open_named
from mt_gate.settings.record import Settings
from mt_gate.sut.processes import Allowed
from mt_gate.sut.protocol import System
from mt_gate.tasks.table import TASKS, listed


def explained_rows(
    rows: Sequence[GroupRow], groups: Iterable[Violated], repaired: Mapping[str, Repaired]
) -> list[GroupRow]:
    """Return the rows with error categories decided by the votes."""
    errors = {
        group.id: categorise(group.case, group.lost, group.added, _known(group, repaired))
        for group in groups
    }
    return [
        msgspec.structs.replace(row, errors=errors[row.id]) if errors.get(row.id) else row
        for row in rows
    ]


def _known(group: Violated, repaired: Mapping[str, Repaired]) -> Votes:
    """Return the sure labels from the votes on both sentences of a group."""
    texts = {Side.SOURCE: group.case.source["text"], Side.FOLLOW_UP: group.case.follow_up["text"]}
    return {
        (side, *decision.ballot.suspect.span): decision.label
        for side, text in texts.items()
        if text in repaired
        for decision in repaired[text].decisions
        if decision.sure
    }


def recounted(result: Result, rows: Sequence[GroupRow]) -> Result:
    """Return the result with its errors counted again; all else is unchanged."""
    counted = measuring.count_all([relation.id for relation in result.relations], rows)
    relations = tuple(
        msgspec.structs.replace(relation, errors=again.errors)
        for relation, again in zip(result.relations, counted, strict=True)
    )
    overall = msgspec.structs.replace(result.overall, errors=measuring.overall(counted).errors)
    return msgspec.structs.replace(result, relations=relations, overall=overall)


Gold = Mapping[Span, str]
"""The entities of a sentence by span, without articles and full stops."""


def read_labels(path: Path) -> dict[str, Gold]:
    """Return the labelled sentences by text; skip a sentence with two different labellings.

    Raises CannotJudge: the file is missing or too large, or a line has neither form.
    """
    by_text: dict[str, Gold | None] = {}
    for sentence in labelled_sentences(path):
        if sentence is None:
            continue
        cores = [core(sentence.text, entity) for entity in sentence.entities]
        gold = {(span.start, span.end): span.label for span in cores}
        known = by_text.setdefault(sentence.text, gold)
        by_text[sentence.text] = gold if known == gold else None
    return {text: gold for text, gold in by_text.items() if gold is not None}


Label = str | None
"""Label of a span; None means no entity."""


def measure(
    labels: str, sentences: int, answers: Iterable[tuple[Label, Label, Label]]
) -> RepairMeasures:
    """Count predictions by whether they were right before and after a repair.

    Each of ``answers`` is (predicted label, label after repair, gold label).
    """
    counts = Counter((said == right, repaired == right) for said, repaired, right in answers)
    ft, tf = counts[False, True], counts[True, False]
    tt, ff = counts[True, True], counts[False, False]
    return RepairMeasures(
        labels=labels,
        sentences=sentences,
        ft=ft,
        tf=tf,
        tt=tt,
        ff=ff,
        err2cor=_ratio(ft, ft + ff),
        cor2err=_ratio(tf, tt + tf),
        error_reduction=_ratio(ft - tf, ft + ff),
    )


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True, kw_only=True)
class RepairRequest:
    """Options of a repair, named like the flags. Either ``checkpoint`` or ``system`` is set.

    ``min_score`` None means the default for the tool's kind of scores.
    """

    result: Path
    checkpoint: str = ""
    system: str = ""
    allowed: Allowed = field(default_factory=Allowed)
    system_environment: tuple[str, ...] = ()
    max_length: int | None = None
    labels: Path | None = None
    out: Path | None = None
    device: str = "auto"
    cache: Path | None = None
    top: int = 50
    min_score: float | None = None
    min_cosine: float = 0.45


def repair(
    request: RepairRequest, open_tools: Callable[[], RepairTools], say: Say, progress: Progress
) -> Repair:
    """Repair the violated groups of a stored run, and write ``repairs.jsonl`` and the reports.

    Every distinct sentence is repaired once, even if several groups share it. The verdict does not
    change. The result gains a ``repair`` block, and error categories decided by the votes.

    Raises UsageError: a flag is invalid, or the checkpoint is not the run's. CannotJudge: result,
    labels, checkpoint or tools are missing or unfit.
    """
    path = request.result / RESULT if request.result.is_dir() else request.result
    out = request.out or path.parent
    check_writable(out)
    with reserved(out):
        return _repair(request, path, out, open_tools, say, progress)


def _repair(
    request: RepairRequest,
    path: Path,
    out: Path,
    open_tools: Callable[[], RepairTools],
    say: Say,
    progress: Progress,
) -> Repair:
    result = _checked(read_result(path), path, request)
    gold = read_labels(request.labels) if request.labels else {}
    rows = [*read_rows(path, result)]
    groups = [*violated_groups(rows, path.parent / GROUPS)]
    sentences = distinct_sentences(groups)
    predicted = {entity.label for sentence in sentences.values() for entity in sentence.entities}
    right = {label for entities in gold.values() for label in entities.values()}
    check_common(request.labels, right, predicted)
    tools = open_tools()
    least = MIN_SCORE[tools.scores] if request.min_score is None else request.min_score
    settings = RepairSettings(
        scores=tools.scores.value, top=request.top, min_score=least, min_cosine=request.min_cosine
    )
    system = _system(request, path, result, groups, say)
    folder = request.cache or default_folder()
    with closing(system), closing(Cache(folder, system.cache_key)) as cache:
        predictor = Predictor(system, cache, progress)
        every = [suspect for sentence in sentences.values() for suspect in sentence.suspects]
        outcome = votes(every, tools, predictor, settings)
        repaired = {
            text: settle(
                text,
                sentence.entities,
                [Ballot(suspect, next(outcome)) for suspect in sentence.suspects],
            )
            for text, sentence in sentences.items()
        }
    outcomes = Counter(
        decision.outcome for sentence in repaired.values() for decision in sentence.decisions
    )
    fixed = Counter(
        fixes.value
        for text, sentence in sentences.items()
        for fixes in fixes_of(sentence, repaired[text])
        if fixes is not None
    )
    block = Repair(
        fillers=tools.fillers.name,
        similarity=tools.similarity.name,
        settings=settings,
        groups=len(groups),
        sentences=len(sentences),
        suspicious=outcomes.total(),
        voted=outcomes.total() - outcomes[EntityOutcome.NO_CANDIDATE],
        changed=outcomes[EntityOutcome.CHANGED],
        unchanged=outcomes[EntityOutcome.UNCHANGED],
        no_candidate=outcomes[EntityOutcome.NO_CANDIDATE],
        changed_by_category=dict(sorted(fixed.items())),
        predictions=predictor.counts,
        measures=_measures(request.labels, sentences, repaired, gold) if request.labels else None,
    )
    explained = explained_rows(rows, groups, repaired)
    finished = msgspec.structs.replace(recounted(result, explained), repair=block)
    # If ``out`` is the run's folder, the old reports stay until all new ones are written.
    with renewed(out, keep=path.parent) as folder:
        shown(path, lambda: gate.report(folder, Run(finished, explained)))
        records = (record(text, item, repaired[text]) for text, item in sentences.items())
        write_repairs(out, records)
    return block


def _checked(result: Result, path: Path, request: RepairRequest) -> Result:
    """Return the result after checking it and the flags."""
    task = TASKS.get(result.suite.task)
    if task is None or not task.repairable:
        known = listed(lambda spec: spec.repairable)
        raise UsageError(
            f"{path} is a run of task {result.suite.task}, but repair works only with task "
            f"{known}. Pass the result of such a run."
        )
    if bool(request.checkpoint) == bool(request.system):
        raise UsageError("mt-gate repair needs the --checkpoint or --system of the run.")
    for flag, value, low, high in (
        ("--top", request.top, 1, 1000),
        ("--min-score", request.min_score or 0.0, -1000, 1000),
        ("--min-cosine", request.min_cosine, -1, 1),
    ):
        if not low <= value <= high:
            raise UsageError(f"{flag} must be a number from {low} to {high} (got {quoted(value)}).")
    return result


def _system(
    request: RepairRequest, path: Path, result: Result, groups: Sequence[Violated], say: Say
) -> System:
    """Open the system, and check that it is the run's."""
    settings = Settings(
        checkpoint=request.checkpoint,
        system=request.system,
        task=result.suite.task,
        suite=result.suite.name,
        device=request.device,
        timeout=request.allowed.timeout,
        max_memory=request.allowed.max_memory,
        max_length=request.max_length,
        system_environment=request.system_environment,
    )
    texts = dict.fromkeys(group.case.source["text"] for group in groups)
    inputs = [{"text": text} for text in texts][:PARITY_INPUTS]
    system = open_named(settings, request.cache or default_folder(), inputs, say)
    try:
        named = request.system or request.checkpoint
        check_same_system(path, result.checkpoint, system.head, named)
    except UsageError:
        system.close()
        raise
    return system


def _measures(
    labels: Path,
    sentences: Mapping[str, ViolatedSentence],
    repaired: Mapping[str, Repaired],
    gold: Mapping[str, Gold],
) -> RepairMeasures:
    """Compare the decisions on labelled source texts with the gold labels."""
    sources = [
        text for text, item in sentences.items() if Side.SOURCE in item.sides and text in gold
    ]
    answers = (
        (suspect.said, decision.label, gold[text].get(suspect.span))
        for text in sources
        for decision in repaired[text].decisions
        for suspect in [decision.ballot.suspect]
    )
    return measure(labels.name, len(sources), answers)


def in_words(repair: Repair) -> list[str]:
    """Return one or two lines on what a repair changed."""
    changed = "".join(
        f", {name} {number}" for name, number in repair.changed_by_category.items()
    ).removeprefix(", ")
    lines = [
        f"{counted(repair.suspicious, 'suspicious entity', 'suspicious entities')} in "
        f"{counted(repair.sentences, 'sentence')} of "
        f"{counted(repair.groups, 'violated case')}: {repair.changed} "
        f"changed{f' ({changed})' if changed else ''}, {repair.unchanged} unchanged, "
        f"{repair.no_candidate} without a candidate"
    ]
    figures = repair.measures
    if figures:
        lines.append(
            f"Compared with {figures.labels}, {counted(figures.sentences, 'labelled original')}: "
            f"FT {figures.ft}, TF {figures.tf}, TT {figures.tt}, FF {figures.ff}, err2cor "
            f"{percent(figures.err2cor)}, cor2err {percent(figures.cor2err)}, error reduction "
            f"{percent(figures.error_reduction)}"
        )
    return lines
