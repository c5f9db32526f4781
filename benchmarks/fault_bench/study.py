"""One candidate of a study: made, run, compared with its reference, and stored."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from fault_bench import making, paired
from fault_bench.faults import Fault
from fault_bench.halving import halved
from fault_bench.kept_verdicts import as_judged
from fault_bench.opening import digest, open_side
from fault_bench.records import (
    CANDIDATE,
    CANDIDATES,
    VERDICTS,
    CandidateRecord,
    Gate,
    ReferenceRecord,
    SampleCounts,
    kept_candidate,
    write_candidate,
)
from fault_bench.scoring import sample_counts
from mt_gate.base import figures
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.files import canonical
from mt_gate.evaluating.labelled import Labelled
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows
from mt_gate.relations.base import Context, MetamorphicRelation
from mt_gate.results.result import TOOL, Decision, GroupRow, RelationResult, RunSettings, is_loss
from mt_gate.results.store import as_rows
from mt_gate.running import evaluation, measuring
from mt_gate.running.operating import OperatedSystem, needs_of, operated
from mt_gate.running.predicting import Cache, Predictor, Progress
from mt_gate.running.preparing import context_of, run_settings
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.protocol import System, largest_noise
from mt_gate.tasks.table import TASKS

DRAFT = ".mt-gate-draft-"
_FILES = {CANDIDATE, VERDICTS}
LOSSES = (Decision.REGRESSION, Decision.COLLAPSE)


class StudySetup(NamedTuple):
    """Inputs of every system of a study; ``suite`` is under the reference's ontology."""

    settings: Settings
    suite: Suite
    relations: tuple[MetamorphicRelation, ...]
    labelled: Sequence[Labelled]
    progress: Progress

    def run_settings(self, noise: float) -> RunSettings:
        """Return the gate's settings; ``noise`` is the system's."""
        ids = [relation.id for relation in self.relations]
        return run_settings(self.settings, self.suite, ids, {"": noise})

    def inputs(self) -> list[Mapping[str, object]]:
        """Return the inputs of the suite's sources."""
        return [source.input for source in self.suite.sources]

    def as_read(self, system: ConfinedCheckpoint) -> System:
        """Return a checkpoint as its answers are read by label map and thresholds (task text).

        Raises:
            UsageError: map or thresholds do not fit the checkpoint.
            CannotJudge: it lacks a label that the suite needs.
        """
        needs = needs_of(self.suite.head, [relation.id for relation in self.relations])
        return operated(system, self.settings, needs)

    def key(self, system: System) -> str:
        """Return a hash of all that a candidate's figures hang on, the reference's answers too."""
        parts = [
            TOOL,
            system.cache_key,
            *([system.point] if isinstance(system, OperatedSystem) else []),
            self.run_settings(0.0),
            self.suite.identity,
            [source.id for source in self.suite.sources],
            [[item.id, item.gold] for item in self.labelled],
        ]
        return hashlib.sha256(canonical(parts)).hexdigest()


class Seen(NamedTuple):
    """What a system answered; ``error`` says why there are no verdicts, where there are none.

    ``seconds`` are those of the suite, ``labels_seconds`` those of the labelled set.
    """

    samples: SampleCounts
    labels_seconds: float = 0.0
    verdicts: RunVerdicts = MappingProxyType({})
    counts: tuple[RelationResult, ...] = ()
    noise: float = 0.0
    asked_characters: Mapping[str, int] = MappingProxyType({})
    seconds: float = 0.0
    error: str = ""


class Compared(NamedTuple):
    """The reference that candidates are made of, and what it showed, which they are judged by."""

    made_of: making.Reference
    record: ReferenceRecord


class Wanted(NamedTuple):
    """A candidate to run; ``folder`` is its checkpoint where it need not be made."""

    fault: Fault
    folder: Path | None = None


def ask(setup: StudySetup, system: System, cache: Path) -> Seen:
    """Ask a system labelled set and suite."""
    started = time.monotonic()
    with closing(Cache(cache, system.cache_key)) as kept:
        predictor = Predictor(system, kept, setup.progress)
        answers = predictor.predict([item.input for item in setup.labelled])
        samples = sample_counts(setup.settings.task, setup.labelled, answers)
        of_labels = time.monotonic() - started
        try:
            context = _context(setup, system)
            judged, noise = evaluation.evaluate(setup.suite, setup.relations, predictor, context)
            rows = as_rows(judged)
        except CannotJudge as error:
            return Seen(samples, of_labels, error=str(error))
    counts = measuring.count_all([relation.id for relation in setup.relations], rows)
    return Seen(
        samples,
        of_labels,
        verdicts_from_rows(rows),
        counts,
        largest_noise(noise),
        _characters(setup.settings.task, rows),
        time.monotonic() - started - of_labels,
    )


def _context(setup: StudySetup, system: System) -> Context:
    """Return what relations may know of a system: its labels mean what the reference's do."""
    context = context_of(setup.settings.task, setup.settings.ontology, system)
    own = setup.suite.under(context.ontology).ontology
    if own != setup.suite.ontology:
        raise CannotJudge(
            f"its ontology is {own}, the reference's {setup.suite.ontology}; expected the same; "
            "name one with --ontology"
        )
    return context


def _characters(task: str, rows: Iterable[GroupRow]) -> dict[str, int]:
    """Count the characters of the follow-ups that were answered, by relation.

    Those that the source's answer made needless stand in rows, too, and took no time.
    """
    text, found = TASKS[task].text, Counter[str]()
    for row in rows:
        setup = row.follow_up is not None and row.follow_up_output is not None
        found[row.relation] += len(text(row.follow_up or {})) if setup else 0
    return dict(found)


def measured(setup: StudySetup, wanted: Wanted, reference: Compared, say: Say) -> CandidateRecord:
    """Return what a candidate shows; one that was judged in this very study does not run again.

    Its folder has the result whole, or is not there.

    Raises:
        UsageError: the folder of the study cannot be written.
    """
    folder = setup.settings.out / CANDIDATES / wanted.fault.name
    record = CandidateRecord(study=reference.record.study, fault=wanted.fault)
    try:
        origin = digest(wanted.folder) if wanted.folder else ""
        record = msgspec.structs.replace(record, origin=origin)
    except CannotJudge as error:
        record = msgspec.structs.replace(record, error=str(error))
    kept = kept_candidate(folder, record)
    if kept:
        say(f"{wanted.fault.name}: kept from an earlier run")
        return kept
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=DRAFT, dir=folder.parent) as temporary:
            draft = Path(temporary) / "result"
            verdicts: RunVerdicts = {}
            if not record.error:
                record, verdicts = _measured(setup, wanted, reference, record, Path(temporary))
            draft.mkdir()
            write_candidate(draft, record, verdicts)
            check_place(folder)
            if folder.exists():
                shutil.rmtree(folder)
            draft.replace(folder)
    except OSError as error:
        raise UsageError(
            f"--out {setup.settings.out}: {wanted.fault.name} cannot be kept ({error.strerror}); "
            "check permissions and disk space"
        ) from None
    say(in_words(record, reference.record))
    return record


def _measured(
    setup: StudySetup, wanted: Wanted, reference: Compared, record: CandidateRecord, room: Path
) -> tuple[CandidateRecord, RunVerdicts]:
    """Make a candidate in ``room``, ask it, and judge it."""
    started = time.monotonic()
    try:
        checkpoint = wanted.folder or _made(wanted.fault, reference.made_of, room / "checkpoint")
        made = time.monotonic() - started
        cache, inputs = room / "cache", setup.inputs()
        with closing(
            open_side(setup.settings, checkpoint, cache, inputs, lambda _: None)
        ) as system:
            read = setup.as_read(system)
            fingerprint = read.head.fingerprint
            seen = ask(setup, read, cache)
    except (CannotJudge, UsageError) as error:
        return msgspec.structs.replace(record, error=str(error)), {}
    gate = None if seen.error else judged(setup, seen, reference.record)
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


def judged(setup: StudySetup, now: Seen, before: ReferenceRecord) -> Gate:
    """Return what the gate says of a candidate, by the whole suite and by half of its sources."""
    settings = setup.run_settings(now.noise)
    old = as_judged(before.verdicts)
    outcome = compare(now.verdicts, [old], settings)
    half = compare(halved(now.verdicts), [halved(old)], settings)
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


def check_place(folder: Path) -> None:
    """Check that a candidate's result may take the place of a folder: nothing is there but one.

    Raises:
        UsageError: something else is there, a checkpoint of the user's, say.
    """
    try:
        own = not folder.is_symlink() and {path.name for path in folder.iterdir()} <= _FILES
    except FileNotFoundError:
        return
    except OSError:  # no folder, or one that cannot be read
        own = False
    if not own:
        raise UsageError(
            f"--out: {folder} is not the result of a candidate, which would take its place; name "
            "another --out, or move it away"
        )


def remove_drafts(out: Path) -> None:
    """Take away what a killed study left; who calls holds the folder."""
    for left in (*out.glob(f"{DRAFT}*"), *(out / CANDIDATES).glob(f"{DRAFT}*")):
        shutil.rmtree(left, ignore_errors=True)


def in_words(record: CandidateRecord, before: ReferenceRecord) -> str:
    """Return a candidate's line for who waits."""
    name = record.fault.name
    if not record.counts:
        return f"{name}: left out: {record.error}"
    cost = paired.score(before.counts) - paired.score(record.counts)
    verdict = record.gate.verdict.value if record.gate else f"not judged: {record.error}"
    taken = figures.seconds(record.made_seconds + record.asked_seconds)
    return f"{name}: cost {figures.points(cost)}, {verdict} ({taken})"
