"""``mt-gate evaluate``, top to bottom: a system on labelled inputs, beside a run's violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from mt_gate import errors, gate
from mt_gate.cache import Cache, default_folder
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.evaluating.beside import beside, check_same_system
from mt_gate.evaluating.judging import check_fits, judged
from mt_gate.evaluating.labelled import Labelled, LabelledFile, read_labelled_file
from mt_gate.evaluating.measures import MEASURES, Answered, labels_of, measures
from mt_gate.evaluating.records import (
    EVALUATION,
    FORMAT,
    Beside,
    Evaluation,
    EvaluationSettings,
    Labels,
    Samples,
    encoded,
    plain_share,
    read_evaluation,
)
from mt_gate.jsonio import replacing, sha256_file
from mt_gate.predicting import Predictor, Progress
from mt_gate.reporting import evaluation_markdown, evaluation_page
from mt_gate.reporting.identity import NO_FINGERPRINT
from mt_gate.result import CheckpointHead, GateVerdict, GroupRow, Result
from mt_gate.result_store import read_result, read_rows, result_file
from mt_gate.settings import Settings, load
from mt_gate.tasks.table import TASKS

_OWN = ("baseline", "record_missing")
"""Settings that stand in ``mt-gate.toml`` for a run; an evaluation takes them as flags only."""


class Request(NamedTuple):
    """What to evaluate. ``baseline`` is an evaluation's, not a run's."""

    settings: Settings
    labels: Path
    result: Path | None = None
    baseline: Path | None = None
    record_missing: bool = False


class _Run(NamedTuple):
    path: Path
    result: Result
    rows: list[GroupRow]


def request_of(
    given: Mapping[str, Any], config: Path | None, *, labels: Path, result: Path | None
) -> Request:
    """Return the request that flags and ``mt-gate.toml`` make.

    Raises:
        UsageError: a setting outside what is allowed.
    """
    checked = load(given, config)
    baseline, record_missing = (given.get(name) for name in _OWN)
    if record_missing and baseline is None:
        raise UsageError("--record-missing: no --baseline to record; name its file")
    own = checked.baseline if baseline is not None else None
    if own is not None and own.resolve() == (checked.out / EVALUATION).resolve():
        raise UsageError(
            f"--baseline {own}: this evaluation would be written over it; name another --out"
        )
    return Request(checked, labels, result, own, bool(record_missing))


def evaluate(request: Request, say: gate.Say, progress: Progress) -> Evaluation:
    """Evaluate a system on labels, judge it against a baseline, and write three files.

    ``evaluation.json``, ``evaluation.md`` and ``evaluation.html`` are written
    once all is computed.

    Raises:
        UsageError: a setting that names what does not exist, or a run of another system.
        CannotJudge: labels, run, baseline or checkpoint missing or unfit.
    """
    settings = request.settings
    found = read_labelled_file(request.labels, settings.task)
    labels = _head(request.labels, found)
    gate.check_writable(settings.out)
    baseline = _baseline(request, labels)
    run = _read_run(request.result) if request.result else None
    folder = settings.cache or default_folder()
    system = gate.open_named(settings, folder, [sample.input for sample in found.samples], say)
    with closing(system), closing(Cache(folder, system.cache_key)) as cache:
        if run:
            named = settings.system or settings.checkpoint
            check_same_system(run.result, settings.task, system.head, run.path, named)
        predictor = Predictor(system, cache, progress)
        answers, unanswered = _answers(settings.task, found.samples, predictor)
        head = system.head
    _check_labels(settings.task, answers, request.labels)
    evaluation = _evaluation(request, labels, head, answers, unanswered, run)
    if baseline is not None and request.baseline is not None:
        evaluation = judged(evaluation, baseline, request.baseline)
    _write(settings.out, evaluation)
    if request.baseline is not None and baseline is None:
        _record(request.baseline, evaluation)
        say(f"no baseline at {request.baseline}: recorded this evaluation as the baseline")
    return evaluation


def _head(path: Path, found: LabelledFile) -> Labels:
    return Labels(
        name=path.name,
        sha256=sha256_file(path),
        samples=len(found.samples),
        left_out=found.left_out,
    )


def _baseline(request: Request, labels: Labels) -> Evaluation | None:
    """Read the baseline; None where none is asked for, or it is to be recorded."""
    path = request.baseline
    if path is None or (request.record_missing and not path.exists()):
        return None
    baseline = read_evaluation(path)
    check_fits(baseline, request.settings.task, labels, path)
    return baseline


def _read_run(path: Path) -> _Run:
    file = result_file(path)
    return _Run(file, read_result(file), [*read_rows(file)])


def _answers(
    task: str, samples: Sequence[Labelled], predictor: Predictor
) -> tuple[list[Answered], Counter[str]]:
    """Return what the system says of each sample; one it cannot answer is wrong."""
    answers, unanswered = [], Counter[str]()
    predictions = predictor.predict([sample.input for sample in samples])
    for sample, prediction in zip(samples, predictions, strict=True):
        output = prediction.output
        if output is None:
            unanswered[prediction.reason] += 1
        right = output is not None and TASKS[task].is_right(sample.gold, output)
        answers.append(Answered(sample, output, right))
    return answers, unanswered


def _check_labels(task: str, answers: Sequence[Answered], path: Path) -> None:
    """Raise where the labels are of another kind than the system's: all would be wrong."""
    gold, said = _labels(task, answers)
    if MEASURES[task].named and gold and said and not gold & said:
        raise CannotJudge(
            f"{path}: labels are {', '.join(sorted(gold)[:6])[:200]}, the system's are "
            f"{', '.join(sorted(said)[:6])[:200]}; expected the same names; map the labels of the "
            "file"
        )


def _labels(task: str, answers: Sequence[Answered]) -> tuple[set[str], set[str]]:
    gold = labels_of(task, (answer.sample.gold for answer in answers))
    outputs = (answer.output for answer in answers if answer.output is not None)
    return gold, labels_of(task, outputs)


def _evaluation(
    request: Request,
    labels: Labels,
    head: CheckpointHead,
    answers: Sequence[Answered],
    unanswered: Mapping[str, int],
    run: _Run | None,
) -> Evaluation:
    """Return what was measured, not judged yet."""
    settings = request.settings
    right = {answer.sample.id: answer.right for answer in answers}
    good = sum(right.values())
    run_beside = beside(run.result, run.rows, run.path, right) if run else None
    return Evaluation(
        kind="evaluation",
        format=FORMAT,
        tool=gate.TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=errors.PASS,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        task=settings.task,
        labels=labels,
        checkpoint=head,
        settings=EvaluationSettings(alpha=settings.alpha, margin=settings.margin),
        accuracy=plain_share(good, len(right)),
        error_rate=plain_share(len(right) - good, len(right)),
        measures=measures(settings.task, answers),
        unanswered=dict(sorted(unanswered.items())),
        samples=Samples(
            right=tuple(sorted(name for name, fits in right.items() if fits)),
            wrong=tuple(sorted(name for name, fits in right.items() if not fits)),
        ),
        notes=_notes(settings.task, head, answers, run_beside),
        run=run_beside,
    )


def _notes(
    task: str, head: CheckpointHead, answers: Sequence[Answered], run: Beside | None
) -> tuple[str, ...]:
    notes = [] if head.fingerprint else [f"the system, {head.name}, has {NO_FINGERPRINT}"]
    gold, said = _labels(task, answers)
    for words, names in (
        ("the file has labels that the system never gave", gold - said),
        ("the system gave labels that the file does not have", said - gold),
    ):
        if names:
            notes.append(f"{words}: {', '.join(sorted(names)[:6])[:200]}")
    if run and run.overall.violation.count and not run.overall.labelled:
        notes.append("no violated group of the run has its source in the file of labels")
    return tuple(notes)


def _write(out: Path, evaluation: Evaluation) -> None:
    texts: dict[str, Callable[[], bytes]] = {
        EVALUATION: lambda: encoded(evaluation),
        "evaluation.md": lambda: evaluation_markdown.render(evaluation, gate.TEXTS).encode(),
        "evaluation.html": lambda: evaluation_page.render(evaluation, gate.TEXTS).encode(),
    }
    made = {name: make() for name, make in texts.items()}
    for name, data in made.items():
        with replacing(out / name) as temporary:
            temporary.write_bytes(data)


def _record(path: Path, evaluation: Evaluation) -> None:
    try:
        with replacing(path) as temporary:
            temporary.write_bytes(encoded(evaluation))
    except OSError as error:
        raise UsageError(
            f"--baseline {path}: cannot be written ({error.strerror}); name a file that can be"
        ) from None
