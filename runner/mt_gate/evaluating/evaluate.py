"""``mt-gate evaluate``, top to bottom: a system on labelled inputs, beside a run's violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mt_gate.base import errors
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import sha256_file, without_secrets, write_whole
from mt_gate.base.redaction import shorten
from mt_gate.evaluating.beside import beside, check_same_system
from mt_gate.evaluating.judging import check_fits, judged
from mt_gate.evaluating.labelled import (
    Labelled,
    LabelledFile,
    evaluation_of,
    read_labelled,
)
from mt_gate.evaluating.measures import Answered, labels_of, measures, right_share
from mt_gate.evaluating.records import (
    EVALUATION,
    FORMAT,
    ComparedRun,
    Evaluation,
    EvaluationSettings,
    Labels,
    Samples,
    encoded,
    read_evaluation,
    rest,
)
from mt_gate.evaluating.reports import markdown as evaluation_markdown
from mt_gate.evaluating.reports import page as evaluation_page
from mt_gate.evaluating.request import EvaluationRequest
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.results.out_folder import check_writable, held
from mt_gate.results.result import (
    NO_FINGERPRINT,
    TOOL,
    CheckpointHead,
    GateVerdict,
    GroupRow,
    Result,
)
from mt_gate.results.store import read_result, read_rows, result_file
from mt_gate.running.predicting import Cache, Predictor, Progress, default_folder
from mt_gate.running.systems import open_named
from mt_gate.sut.protocol import System
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from mt_gate.evaluating.relation_part import RelationAnswers, RelationPart


class _Run(NamedTuple):
    path: Path
    result: Result
    rows: list[GroupRow]


class _Asked(NamedTuple):
    head: CheckpointHead
    answers: list[Answered]
    unanswered: Counter[str]
    relations: RelationAnswers | None


def evaluate(request: EvaluationRequest, say: Say, progress: Progress) -> Evaluation:
    """Evaluate a system on labels, judge it against a baseline, and write three files.

    ``evaluation.json``, ``evaluation.md`` and ``evaluation.html`` are written
    once all is computed.

    Raises:
        UsageError: a setting that names what does not exist, a run of another system, or a
            folder that another run writes to.
        CannotJudge: labels, run, baseline or checkpoint missing or unfit.
    """
    settings = request.settings
    open_part = evaluation_of(settings.task).part
    part = open_part(request.labels, request.mapping, request.reading) if open_part else None
    found = part.found if part else read_labelled(request.labels, settings.task)
    check_writable(settings.out)
    with held(settings.out):
        return _evaluated(request, part, found, say, progress)


def _evaluated(
    request: EvaluationRequest,
    part: RelationPart | None,
    found: LabelledFile,
    say: Say,
    progress: Progress,
) -> Evaluation:
    settings = request.settings
    labels = _head(request, found, part)
    baseline = _baseline(request, labels)
    run = _read_run(request.result) if request.result else None
    folder = settings.cache or default_folder()
    inputs = [sample.input for sample in found.samples]
    system = open_named(settings, folder, inputs, say, scores=part is not None)
    with closing(system), closing(Cache(folder, system.cache_key)) as cache:
        if run:
            named = settings.system or settings.checkpoint
            check_same_system(run.result, settings.task, system.head, run.path, named)
        asked = _ask(settings.task, found.samples, part, system, Predictor(system, cache, progress))
    if part is None:
        _check_labels(settings.task, asked.answers, request.labels)
    evaluation = _evaluation(request, labels, asked, run)
    if baseline is not None and request.baseline is not None:
        clusters = {sample.id: sample.cluster or sample.id for sample in found.samples}
        evaluation = judged(evaluation, baseline, request.baseline, clusters)
    _write(settings.out, evaluation)
    if request.baseline is not None and baseline is None:
        _record(request.baseline, evaluation)
        say(f"no baseline at {request.baseline}: recorded this evaluation as the baseline")
    return evaluation


def _head(request: EvaluationRequest, found: LabelledFile, part: RelationPart | None) -> Labels:
    path, patch = request.labels, request.reading.patch
    return Labels(
        name=path.name.encode("utf-8", "replace").decode(),
        sha256=sha256_file(path),
        samples=len(found.samples),
        left_out=found.left_out,
        mapping=part.mapping.name if part else "",
        mapping_sha256=part.mapping.sha256 if part else "",
        patch_sha256=sha256_file(patch) if patch else "",
    )


def _baseline(request: EvaluationRequest, labels: Labels) -> Evaluation | None:
    """Read the baseline; None where none is asked for, or it is to be recorded."""
    path = request.baseline
    if path is None or (request.record_missing and not path.exists()):
        return None
    baseline = read_evaluation(path)
    check_fits(baseline, request.settings.task, labels, path)
    return baseline


def _read_run(path: Path) -> _Run:
    file = result_file(path)
    result = read_result(file)
    return _Run(file, result, [*read_rows(file, result)])


def _ask(
    task: str,
    samples: Sequence[Labelled],
    part: RelationPart | None,
    system: System,
    predictor: Predictor,
) -> _Asked:
    """Return what the system says of each sample; one it cannot answer is wrong."""
    relations = part.asked(system, predictor) if part else None
    answers, unanswered = [], Counter[str]()
    predictions = predictor.predict([sample.input for sample in samples])
    for sample, prediction in zip(samples, predictions, strict=True):
        output = prediction.output
        if output is None:
            unanswered[prediction.reason] += 1
        elif relations:
            output = relations.put(output)
        right = output is not None and TASKS[task].is_right(sample.gold, output)
        answers.append(Answered(sample, output, right))
    return _Asked(system.head, answers, unanswered, relations)


def _check_labels(task: str, answers: Sequence[Answered], path: Path) -> None:
    """Raise where the labels are of another kind than the system's: all would be wrong."""
    gold, said = _labels(task, answers)
    if evaluation_of(task).named and gold and said and not gold & said:
        raise CannotJudge(
            f"{path}: labels are {_listed(gold)}, the system's are "
            f"{_listed(said)}; expected the same names; map the labels of the "
            "file"
        )


def _labels(task: str, answers: Sequence[Answered]) -> tuple[set[str], set[str]]:
    gold = labels_of(task, (answer.sample.gold for answer in answers))
    outputs = (answer.output for answer in answers if answer.output is not None)
    return gold, labels_of(task, outputs)


def _evaluation(
    request: EvaluationRequest,
    labels: Labels,
    asked: _Asked,
    run: _Run | None,
) -> Evaluation:
    """Return what was measured, not judged yet."""
    settings = request.settings
    right = {answer.sample.id: answer.right for answer in asked.answers}
    accuracy = right_share(asked.answers)
    run_beside = beside(run.result, run.rows, run.path, right) if run else None
    return Evaluation(
        kind="evaluation",
        format=FORMAT,
        tool=TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=errors.PASS,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        task=settings.task,
        labels=labels,
        checkpoint=asked.head,
        settings=EvaluationSettings(alpha=settings.alpha, margin=settings.margin),
        accuracy=accuracy,
        error_rate=rest(accuracy),
        measures=measures(settings.task, asked.answers),
        unanswered=dict(sorted(asked.unanswered.items())),
        samples=Samples(
            right=tuple(sorted(name for name, fits in right.items() if fits)),
            wrong=tuple(sorted(name for name, fits in right.items() if not fits)),
        ),
        notes=_notes(settings.task, asked, run_beside),
        relations=asked.relations.protocols() if asked.relations else None,
        run=run_beside,
    )


def _notes(task: str, asked: _Asked, run: ComparedRun | None) -> tuple[str, ...]:
    head = asked.head
    notes = [] if head.fingerprint else [f"the system, {head.name}, has {NO_FINGERPRINT}"]
    notes += asked.relations.notes() if asked.relations else _label_notes(task, asked.answers)
    if run and run.overall.violation.count and not run.overall.labelled:
        notes.append("no violated group of the run has its source in the file of labels")
    return tuple(notes)


def _label_notes(task: str, answers: Sequence[Answered]) -> Iterator[str]:
    gold, said = _labels(task, answers)
    for words, names in (
        ("the file has labels that the system never predicted", gold - said),
        ("the system predicted labels that the file does not have", said - gold),
    ):
        if names:
            yield f"{words}: {_listed(names)}"


def _listed(names: Iterable[str]) -> str:
    return shorten(", ".join(sorted(names)[:6]), 200)


def _write(out: Path, evaluation: Evaluation) -> None:
    (evaluation,) = without_secrets([evaluation])
    texts: dict[str, Callable[[], bytes]] = {
        EVALUATION: lambda: encoded(evaluation),
        "evaluation.md": lambda: evaluation_markdown.render(evaluation, relation_texts()).encode(),
        "evaluation.html": lambda: evaluation_page.render(evaluation, relation_texts()).encode(),
    }
    made = {name: make() for name, make in texts.items()}
    for name, data in made.items():
        write_whole(out / name, data)


def _record(path: Path, evaluation: Evaluation) -> None:
    try:
        write_whole(path, encoded(evaluation))
    except OSError as error:
        raise UsageError(
            f"--baseline {path}: cannot be written ({error.strerror}); name a file that can be"
        ) from None
