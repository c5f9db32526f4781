"""``mt-gate evaluate``: evaluate a system on labelled inputs, together with a run's violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from mt_gate.base import errors
from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError
from mt_gate.base.files import hidden_and_read, readable, sha256_file, write_whole
from mt_gate.evaluating.judging import Run, check_fits, check_same_system, compared_run, judged
from mt_gate.evaluating.labelled import Labelled, LabelledFile, evaluation_of, read_labelled
from mt_gate.evaluating.records import (
    EVALUATION,
    FORMAT,
    Evaluation,
    EvaluationSettings,
    Labels,
    Measure,
    Samples,
    Share,
    encoded,
    plain_share,
    read_evaluation,
    rest,
)
from mt_gate.evaluating.relation_labels import OWN_FORMAT, LabelFormat
from mt_gate.evaluating.reports import page
from mt_gate.evaluating.reports.texts import summary
from mt_gate.judging import statistics
from mt_gate.reporting.words.texts import relation_texts
from mt_gate.results.result import NO_FINGERPRINT, TOOL, GateVerdict
from mt_gate.results.store import check_writable, locked, read_result, read_rows, result_file
from mt_gate.running.labels import check_common, few
from mt_gate.running.predicting import Cache, Predictor, Progress, default_folder
from mt_gate.running.systems import open_named
from mt_gate.settings.loading import check_missing, load
from mt_gate.settings.record import Settings
from mt_gate.tasks.table import TASKS, listed

if TYPE_CHECKING:
    from mt_gate.evaluating.relations import RelationPart


class EvaluationRequest(NamedTuple):
    """Options of an evaluation. ``baseline`` is a stored evaluation, not a run's baseline.

    ``mapping`` is a table of labels, ``reading`` the format of the labelled file. Both are only for
    tasks whose ``TaskEvaluation`` has a ``part``.
    """

    settings: Settings
    labels: Path
    result: Path | None
    baseline: Path | None
    record_missing: bool
    mapping: Path | None
    reading: LabelFormat


def request_of(
    values: Mapping[str, Any],
    config: Path | None,
    *,
    labels: Path,
    result: Path | None,
    mapping: Path | None,
    reading: LabelFormat,
) -> EvaluationRequest:
    """Return the request from flags and ``mt-gate.toml``."""
    checked = load(values, config)
    # In mt-gate.toml these two are for runs, so an evaluation reads them from flags only.
    baseline, record_missing = values.get("baseline"), values.get("record_missing")
    check_missing(record_missing, baseline)
    own = checked.baseline if baseline is not None else None
    if own is not None and own.resolve() == (checked.out / EVALUATION).resolve():
        raise UsageError(f"--baseline {own} would be overwritten. Choose another --out.")
    flags = {
        "--mapping": mapping is not None,
        "--format": reading.form != OWN_FORMAT,
        "--patch": reading.patch is not None,
        "--distant": reading.distant,
    }
    unfit = [flag for flag, used in flags.items() if used]
    if unfit and evaluation_of(checked.task).part is None:
        known = listed(lambda spec: spec.evaluation and resolve_name(spec.evaluation).part)
        raise UsageError(f"{unfit[0]} is for task {known}, not for {checked.task}. Omit it.")
    return EvaluationRequest(checked, labels, result, own, bool(record_missing), mapping, reading)


def evaluate(request: EvaluationRequest, say: Say, progress: Progress) -> Evaluation:
    """Evaluate a system on labels, judge it against a baseline, and write three files.

    ``evaluation.json``, ``evaluation.md`` and ``evaluation.html`` are written once all is computed.
    """
    settings = request.settings
    open_part = evaluation_of(settings.task).part
    part = open_part(request.labels, request.mapping, request.reading) if open_part else None
    labelled = part.labelled if part else read_labelled(request.labels, settings.task)
    check_writable(settings.out)
    with locked(settings.out):
        return _evaluated(request, part, labelled, say, progress)


def _evaluated(
    request: EvaluationRequest,
    part: RelationPart | None,
    labelled: LabelledFile,
    say: Say,
    progress: Progress,
) -> Evaluation:
    settings, path, patch = request.settings, request.labels, request.reading.patch
    labels = Labels(
        name=path.name.encode("utf-8", "replace").decode(),
        sha256=sha256_file(path),
        samples=len(labelled.samples),
        left_out=labelled.left_out,
        mapping=part.mapping.name if part else "",
        mapping_sha256=part.mapping.sha256 if part else "",
        patch_sha256=sha256_file(patch) if patch else "",
    )
    to_record = request.record_missing and request.baseline and not request.baseline.exists()
    baseline = None
    if request.baseline is not None and not to_record:
        baseline = read_evaluation(request.baseline)
        check_fits(baseline, settings.task, labels, request.baseline)
    run = None
    if request.result:
        file = result_file(request.result)
        result = read_result(file)
        if result.suite.task != settings.task:
            raise UsageError(
                f"{file} is a run of task {result.suite.task}, but the evaluation is of task "
                f"{settings.task}. Pass a run of that task."
            )
        run = Run(file, result, [*read_rows(file, result)])
    folder = settings.cache or default_folder()
    inputs = [sample.input for sample in labelled.samples]
    system = open_named(settings, folder, inputs, say, scores=part is not None)
    with closing(system), closing(Cache(folder, system.cache_key)) as cache:
        if run:
            named = settings.system or settings.checkpoint
            check_same_system(run.path, run.result.checkpoint, system.head, named)
        predictor = Predictor(system, cache, progress)
        relations = part.predicted(system, predictor) if part else None
        predictions = predictor.predict(inputs)
    answers, unanswered = [], Counter[str]()
    for sample, prediction in zip(labelled.samples, predictions, strict=True):
        output = prediction.output
        if output is None:  # counts as wrong
            unanswered[prediction.reason] += 1
        elif relations:
            output = relations.put(output)
        right = output is not None and TASKS[settings.task].is_right(sample.gold, output)
        answers.append(Answered(sample, output, right))
    fits = {answer.sample.id: answer.right for answer in answers}
    compared = compared_run(run, fits) if run else None
    notes = [*relations.notes()] if relations else [*_label_notes(settings.task, answers, path)]
    if not system.head.fingerprint:
        notes.insert(0, f"the system, {system.head.name}, has {NO_FINGERPRINT}")
    if compared and compared.overall.violation.count and not compared.overall.labelled:
        notes.append("The file of labels has no original text of a violated case.")
    accuracy = right_share(answers)
    evaluation = Evaluation(
        kind="evaluation",
        format=FORMAT,
        tool=TOOL,
        verdict=GateVerdict.MEASURED,
        exit_code=errors.PASS,
        reasons=(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        task=settings.task,
        labels=labels,
        checkpoint=system.head,
        settings=EvaluationSettings(alpha=settings.alpha, margin=settings.margin),
        accuracy=accuracy,
        error_rate=rest(accuracy),
        measures=measures(settings.task, answers),
        unanswered=dict(sorted(unanswered.items())),
        samples=Samples(
            right=tuple(sorted(name for name, right in fits.items() if right)),
            wrong=tuple(sorted(name for name, right in fits.items() if not right)),
        ),
        notes=tuple(notes),
        relations=relations.protocols() if relations else None,
        run=compared,
    )
    if baseline is not None and request.baseline is not None:
        clusters = {sample.id: sample.cluster or sample.id for sample in labelled.samples}
        evaluation = judged(evaluation, baseline, request.baseline, clusters)
    shown = hidden_and_read(readable(evaluation), Evaluation)
    texts = relation_texts()
    write_whole(settings.out / EVALUATION, encoded(shown))
    write_whole(settings.out / "evaluation.md", summary(shown, texts))
    write_whole(settings.out / "evaluation.html", page.render(shown, texts))
    if request.baseline is not None and baseline is None:
        try:
            write_whole(request.baseline, encoded(evaluation))
        except OSError as error:
            raise UsageError(
                f"--baseline {request.baseline} cannot be written ({error.strerror}). Choose "
                "another path."
            ) from None
        say(f"No baseline at {request.baseline}. Recorded this evaluation as the baseline.")
    return evaluation


def _label_notes(task: str, answers: Sequence[Answered], path: Path) -> Iterator[str]:
    """Yield a note on labels that only the file has, and on labels that only the model predicts."""
    items = evaluation_of(task).items
    gold = {label for answer in answers for label, _ in items(answer.sample.gold)}
    outputs = [answer.output for answer in answers if answer.output is not None]
    said = {label for output in outputs for label, _ in items(output)}
    if evaluation_of(task).named:
        check_common(path, gold, said)
    if gold - said:
        yield f"Labels in the file that the model never predicted: {few(gold - said)}"
    if said - gold:
        yield f"Labels that the model predicted but that are not in the file: {few(said - gold)}"


class Answered(NamedTuple):
    """A sample, the model's output (None if there is no prediction), and whether it is right."""

    sample: Labelled
    output: Mapping[str, Any] | None
    right: bool


def measures(task: str, answers: Sequence[Answered]) -> tuple[Measure, ...]:
    """Return precision, recall and F1: of all labels if ``pooled``, then by label.

    The intervals are score intervals by sample, or by cluster if samples share clusters.
    """
    about = evaluation_of(task)
    parts = [
        (
            set(about.items(answer.output) if answer.output is not None else ()),
            set(about.items(answer.sample.gold)),
        )
        for answer in answers
    ]
    labels = sorted({label for both in parts for items in both for label, _ in items})
    return tuple(
        measure
        for label in ([None] if about.pooled else []) + labels
        for measure in _figures(label, parts, answers)
    )


def _figures(
    label: str | None,
    predicted_and_gold: Iterable[tuple[set[Any], set[Any]]],
    answers: Sequence[Answered],
) -> Iterator[Measure]:
    sizes = []
    for predicted, gold in predicted_and_gold:
        if label is not None:
            predicted, gold = (
                {item for item in side if item[0] == label} for side in (predicted, gold)
            )
        sizes.append((len(predicted & gold), len(predicted), len(gold)))
    counts = _summed(sizes, answers)
    for name, pairs in (
        ("precision", [(both, predicted) for both, predicted, _ in counts]),
        ("recall", [(both, gold) for both, _, gold in counts]),
        # F1 is a ratio of sums too: 2 * both / (predicted + gold).
        ("F1", [(2 * both, predicted + gold) for both, predicted, gold in counts]),
    ):
        yield Measure(name=name, label=label or "", share=_ratio(pairs))


def right_share(answers: Sequence[Answered]) -> Share:
    """Return the share of samples predicted correctly.

    The interval is Wilson's; if samples share clusters, it accounts for the clusters.
    """
    outcomes = [(int(answer.right), 1) for answer in answers]
    if not any(answer.sample.cluster for answer in answers):
        return plain_share(sum(count for count, _ in outcomes), len(outcomes))
    return _ratio(_summed(outcomes, answers))


def _summed(
    counts: Iterable[tuple[int, ...]], answers: Sequence[Answered]
) -> list[tuple[int, ...]]:
    """Add up counts by cluster; a sample without a cluster is a cluster itself."""
    sums: dict[str, tuple[int, ...]] = {}
    for number, (own, answer) in enumerate(zip(counts, answers, strict=True)):
        cluster = answer.sample.cluster or f"{number}"
        before = sums.get(cluster, (0,) * len(own))
        sums[cluster] = tuple(map(sum, zip(before, own, strict=True)))
    return [*sums.values()]


def _ratio(pairs: Iterable[tuple[int, ...]]) -> Share:
    """Add up (count, of) by cluster; skip clusters with nothing to count."""
    # Most clusters are equal, so count distinct pairs.
    kinds = Counter(pair for pair in pairs if pair[1])
    count = sum(number * pair[0] for pair, number in kinds.items())
    of = sum(number * pair[1] for pair, number in kinds.items())
    if not of:
        return Share(count=0, of=0, rate=None, ci95=None)
    parts, wholes = zip(*kinds.elements(), strict=True)
    interval = statistics.rate_interval(parts, wholes)
    return Share(count=count, of=of, rate=count / of, ci95=interval)
