"""One candidate of a study: made, asked, compared with its reference, and kept."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from mt_gate.base import figures
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical, sha256_file
from mt_gate.evaluating.labelled import Labelled, evaluation_of
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts, verdicts_from_rows
from mt_gate.mutating import making, paired
from mt_gate.mutating.faults import Fault
from mt_gate.mutating.records import (
    CANDIDATES,
    CandidateRecord,
    Gate,
    SampleCounts,
    kept_candidate,
    write_candidate,
)
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.identity import TOOL
from mt_gate.results.result import Decision, GroupRow, RelationResult, RunSettings, is_loss
from mt_gate.running import evaluation
from mt_gate.running.cache import Cache
from mt_gate.running.checkpoints import open_checkpoint
from mt_gate.running.context import context_of
from mt_gate.running.loading import run_settings
from mt_gate.running.predicting import Predictor, Progress
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.limits import Allowed
from mt_gate.sut.noise import largest
from mt_gate.sut.protocol import Prediction, System
from mt_gate.tasks.table import TASKS

_DRAFT = ".candidate-"
PARITY_INPUTS = 64
"""Inputs that the export of a candidate is compared with its original on."""
LOSSES = (Decision.REGRESSION, Decision.COLLAPSE)


class StudySetup(NamedTuple):
    """What every system of a study is asked."""

    settings: Settings
    suite: Suite
    relations: tuple[MetamorphicRelation, ...]
    labelled: Sequence[Labelled]
    progress: Progress

    def run_settings(self, noise: float) -> RunSettings:
        """Return the gate's settings; ``noise`` is the asked system's."""
        return run_settings(self.settings, self.suite, self.relations, noise)

    def key(self, system: System) -> str:
        """Return a hash of all that a candidate's figures hang on, the reference's answers too."""
        parts = [
            TOOL,
            system.cache_key,
            self.run_settings(0.0),
            self.suite.identity,
            [source.id for source in self.suite.sources],
            [[item.id, item.gold] for item in self.labelled],
        ]
        return hashlib.sha256(canonical(parts)).hexdigest()


class Seen(NamedTuple):
    """What a system answered; ``error`` says why there are no verdicts, where there are none."""

    samples: SampleCounts
    verdicts: RunVerdicts = MappingProxyType({})
    counts: tuple[RelationResult, ...] = ()
    noise: float = 0.0
    asked_characters: Mapping[str, int] = MappingProxyType({})
    seconds: float = 0.0
    error: str = ""


class Compared(NamedTuple):
    """The reference that candidates are made of and judged by; ``study`` names all of it."""

    made_of: making.Reference
    seen: Seen
    study: str


class Wanted(NamedTuple):
    """A candidate to be asked; ``folder`` is its checkpoint where it need not be made."""

    fault: Fault
    folder: Path | None = None


def ask(asked: StudySetup, system: System, cache: Path) -> Seen:
    """Ask a system labelled set and suite; it is closed then."""
    started = time.monotonic()
    with closing(system), closing(Cache(cache, system.cache_key)) as kept:
        predictor = Predictor(system, kept, asked.progress)
        answers = predictor.predict([item.input for item in asked.labelled])
        samples = sample_counts(asked.settings.task, asked.labelled, answers)
        try:
            context = context_of(asked.settings.task, asked.settings.ontology, system)
            rows, noise = evaluation.evaluate(asked.suite, asked.relations, predictor, context)
        except CannotJudge as error:
            return Seen(samples, seconds=time.monotonic() - started, error=str(error))
    counts = evaluation.count_all([relation.id for relation in asked.relations], rows)
    return Seen(
        samples,
        verdicts_from_rows(rows),
        counts,
        largest(noise),
        _characters(asked.settings.task, rows),
        time.monotonic() - started,
    )


def measure_of(task: str) -> str:
    """Return what a checkpoint's score on labels is."""
    return "F1" if evaluation_of(task).pooled else "accuracy"


def sample_counts(
    task: str, labelled: Sequence[Labelled], answers: Sequence[Prediction]
) -> SampleCounts:
    """Return of each sample what the task's score is the ratio of sums of."""
    about, is_right = evaluation_of(task), TASKS[task].is_right

    def of(item: Labelled, answer: Prediction) -> tuple[int, int]:
        if not about.pooled:
            return int(answer.output is not None and is_right(item.gold, answer.output)), 1
        given = set(about.items(answer.output)) if answer.output is not None else set()
        gold = set(about.items(item.gold))
        return 2 * len(given & gold), len(given) + len(gold)

    return tuple(of(item, answer) for item, answer in zip(labelled, answers, strict=True))


def _characters(task: str, rows: Sequence[GroupRow]) -> dict[str, int]:
    """Count the characters of the follow-ups that were asked, by relation."""
    text, found = TASKS[task].text, Counter[str]()
    for row in rows:
        found[row.relation] += len(text(row.follow_up)) if row.follow_up is not None else 0
    return dict(found)


def measured(asked: StudySetup, wanted: Wanted, reference: Compared, say: Say) -> CandidateRecord:
    """Return what a candidate shows; one that is kept of this very study is not asked again.

    Its folder has the result whole, or is not there.

    Raises:
        UsageError: the folder of the study cannot be written.
    """
    folder = asked.settings.out / CANDIDATES / wanted.fault.name
    origin = digest(wanted.folder) if wanted.folder else ""
    kept = kept_candidate(folder, reference.study, origin)
    if kept:
        say(f"{wanted.fault.name}: kept from an earlier run")
        return kept
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=_DRAFT, dir=folder.parent) as temporary:
            draft = Path(temporary) / "result"
            record, verdicts = _asked(asked, wanted, reference, Path(temporary))
            record = msgspec.structs.replace(record, origin=origin)
            draft.mkdir()
            write_candidate(draft, record, verdicts)
            if folder.exists():
                shutil.rmtree(folder)
            draft.replace(folder)
    except OSError as error:
        raise UsageError(
            f"--out {asked.settings.out}: {wanted.fault.name} cannot be kept ({error.strerror}); "
            "check permissions and disk space"
        ) from None
    say(in_words(record, reference.seen))
    return record


def _asked(
    asked: StudySetup, wanted: Wanted, reference: Compared, room: Path
) -> tuple[CandidateRecord, RunVerdicts]:
    """Make a candidate in ``room``, ask it, and judge it."""
    record = CandidateRecord(study=reference.study, fault=wanted.fault)
    started = time.monotonic()
    try:
        checkpoint = wanted.folder or _made(wanted.fault, reference.made_of, room / "checkpoint")
        made = time.monotonic() - started
        system = _opened(asked, checkpoint, room / "cache")
        fingerprint = system.head.fingerprint
        seen = ask(asked, system, room / "cache")
    except CannotJudge as error:
        return msgspec.structs.replace(record, error=str(error)), {}
    gate = None if seen.error else judged(asked, seen, reference.seen)
    record = msgspec.structs.replace(
        record,
        fingerprint=fingerprint,
        made_seconds=round(made, 1),
        asked_seconds=round(time.monotonic() - started - made, 1),
        counts=seen.samples,
        gate=gate,
        error=seen.error,
    )
    return record, seen.verdicts


def _made(fault: Fault, reference: making.Reference, folder: Path) -> Path:
    folder.mkdir()
    making.make(fault, reference, folder)
    return folder


def _opened(asked: StudySetup, checkpoint: Path, cache: Path) -> System:
    settings = asked.settings
    return open_checkpoint(
        str(checkpoint),
        settings.task,
        settings.device,
        cache=cache,
        parity_inputs=lambda: [source.input for source in asked.suite.sources[:PARITY_INPUTS]],
        say=lambda _: None,
        asked=CheckpointOptions(settings.answers),
        allowed=Allowed(settings.timeout, settings.max_memory),
    )


def judged(asked: StudySetup, now: Seen, before: Seen) -> Gate:
    """Return what the gate says of a candidate, by the whole suite and by half of its sources."""
    settings = asked.run_settings(now.noise)
    outcome = compare(now.verdicts, [before.verdicts], settings)
    half = compare(halved(now.verdicts), [halved(before.verdicts)], settings)
    return Gate(
        verdict=outcome.verdict,
        caught=is_loss(outcome.verdict),
        fired=tuple(
            name for name, comparison in outcome.relations.items() if comparison.decision in LOSSES
        ),
        difference=outcome.overall.delta,
        reasons=outcome.reasons,
        half_caught=is_loss(half.verdict),
    )


def halved(verdicts: RunVerdicts) -> RunVerdicts:
    """Return the verdicts on half of the sources, the same half whatever the run."""
    return {name: _halved(of) for name, of in verdicts.items()}


def _halved(verdicts: RelationVerdicts) -> RelationVerdicts:
    kept = {source for source in verdicts.source_of.values() if _is_in_half(source)}
    ids = {group for group, source in verdicts.source_of.items() if source in kept}
    units = kept if verdicts.bound else ids
    return replace(
        verdicts,
        violated=verdicts.violated & ids,
        satisfied=verdicts.satisfied & ids,
        not_applicable={why: of & ids for why, of in verdicts.not_applicable.items()},
        source_of={group: verdicts.source_of[group] for group in ids},
        sources={source: of for source, of in verdicts.sources.items() if source in kept},
        silent_sources=None if verdicts.silent_sources is None else verdicts.silent_sources & kept,
        unstable=None if verdicts.unstable is None else verdicts.unstable & units,
    )


def _is_in_half(source: str) -> bool:
    return hashlib.sha256(source.encode()).digest()[0] % 2 == 0


def digest(folder: Path) -> str:
    """Return a hash of the files of a checkpoint's folder.

    Raises:
        CannotJudge: it has none, or one cannot be read.
    """
    try:
        found = {
            path.name: sha256_file(path) for path in sorted(folder.iterdir()) if path.is_file()
        }
    except OSError as error:
        raise CannotJudge(
            f"{folder}: cannot be read ({error.strerror}); expected a checkpoint"
        ) from None
    return hashlib.sha256(canonical(found)).hexdigest()


def remove_drafts(out: Path) -> None:
    """Take away what a killed study left; who calls holds the folder."""
    for left in (out / CANDIDATES).glob(f"{_DRAFT}*"):
        shutil.rmtree(left, ignore_errors=True)


def in_words(record: CandidateRecord, before: Seen) -> str:
    """Return a candidate's line for who waits."""
    name = record.fault.name
    if not record.counts:
        return f"{name}: left out: {record.error}"
    cost = paired.score(before.samples) - paired.score(record.counts)
    verdict = record.gate.verdict.value if record.gate else f"not judged: {record.error}"
    taken = figures.seconds(record.made_seconds + record.asked_seconds)
    return f"{name}: cost {figures.points(cost)}, {verdict} ({taken})"
