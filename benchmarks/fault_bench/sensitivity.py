"""``mt-gate sensitivity``, top to bottom: which faults of a checkpoint the gate finds."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fault_bench.faults import Family, Fault, Half, planned
from fault_bench.kept_verdicts import to_keep
from fault_bench.making import Reference
from fault_bench.opening import open_side
from fault_bench.records import (
    CANDIDATES,
    LabelCounts,
    ReferenceRecord,
    Sensitivity,
    kept_reference,
    write_json,
    write_reference,
)
from fault_bench.scoring import measure_of
from fault_bench.study import (
    DRAFT,
    Compared,
    StudySetup,
    Wanted,
    ask,
    check_place,
    measured,
    remove_drafts,
)
from fault_bench.summarising import summarised
from fault_bench.tables import write_markdown
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import sha256_file
from mt_gate.evaluating.labelled import evaluation_of
from mt_gate.mutating.operators import MAX_SEED
from mt_gate.results.result import TOOL
from mt_gate.results.store import check_writable, locked
from mt_gate.running.predicting import Progress, default_folder
from mt_gate.running.preparing import context_of, load_suite
from mt_gate.settings.record import Settings
from mt_gate.sut.card import CARD
from mt_gate.sut.protocol import System

JSON, MARKDOWN = "sensitivity.json", "sensitivity.md"
MOST_OWN = 1000
_OWN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, kw_only=True)
class StudyRequest:
    """What to study.

    ``kinds`` are names of kinds of fault, all where empty; ``candidates`` is a folder of
    checkpoints: those named after a fault of training are that fault, others the user's own.
    """

    settings: Settings
    labels: Path
    kinds: tuple[str, ...] = ()
    candidates: Path | None = None
    seed: int = 0


def sensitivity(request: StudyRequest, say: Say, progress: Progress) -> Sensitivity:
    """Ask suite and labelled set of a checkpoint and of its candidates; write what was found.

    What is finished is kept in the folder, so that a killed study goes on from there.

    Raises:
        UsageError: a setting that cannot be followed, or a folder that another run writes to.
        CannotJudge: checkpoint, suite or labels are unfit.
    """
    wanted = [*_wanted(request)]
    settings = request.settings
    suite, relations = load_suite(settings)
    labelled = evaluation_of(settings.task).samples(request.labels, settings.task)
    setup = StudySetup(settings, suite, relations, labelled, progress)
    check_writable(settings.out)
    with locked(settings.out):
        for candidate in wanted:
            check_place(settings.out / CANDIDATES / candidate.fault.name)
        remove_drafts(settings.out)
        setup, reference = _reference(request, setup, say)
        for candidate in wanted:
            measured(setup, candidate, reference, say)
        found = summarised(settings.out)
        write_json(settings.out / JSON, found)
        write_markdown(settings.out / MARKDOWN, found)
    return found


def _wanted(request: StudyRequest) -> Iterator[Wanted]:
    """Yield the candidates: those made by kind, and the user's."""
    if not 0 <= request.seed < MAX_SEED:
        raise UsageError(f"--seed is {request.seed}; expected 0 to {MAX_SEED - 1}")
    task = request.settings.task
    faults = planned(task, request.kinds, request.seed)
    yield from (Wanted(fault) for fault in faults if fault.family is not Family.TRAINING)
    if request.candidates is None:
        return
    known = {fault.name: fault for fault in planned(task)}  # those of training draw nothing here
    for folder in _folders(request.candidates):
        fault = known.get(folder.name, _own(folder.name))
        if fault.family not in (Family.TRAINING, Family.OWN):
            raise UsageError(
                f"--candidates {request.candidates}: folder {folder.name} is called as a candidate "
                "that is made of the checkpoint; rename it"
            )
        if fault.family is Family.OWN or not request.kinds or fault.kind in request.kinds:
            yield Wanted(fault, folder)


def _folders(candidates: Path) -> list[Path]:
    try:
        found = sorted(path for path in candidates.iterdir() if path.is_dir())
    except OSError as error:
        raise UsageError(
            f"--candidates {candidates}: cannot be read ({error.strerror}); expected a folder with "
            "a folder for each checkpoint"
        ) from None
    shown = [path for path in found if not path.name.startswith(".")]
    if not 1 <= len(shown) <= MOST_OWN:
        raise UsageError(
            f"--candidates {candidates}: {len(shown)} folders; expected 1 to {MOST_OWN}, one for "
            "each checkpoint"
        )
    strange = [path.name for path in shown if not _OWN.fullmatch(path.name)]
    if strange:
        raise UsageError(
            f"--candidates {candidates}: folder {quoted(strange[0])}; expected a name of letters, "
            "digits, '.', '_' and '-', at most 100; rename it"
        )
    return shown


def _own(name: str) -> Fault:
    return Fault(kind=name, family=Family.OWN, half=Half.NONE, strength=0.0)


def _reference(request: StudyRequest, setup: StudySetup, say: Say) -> tuple[StudySetup, Compared]:
    """Run the reference, and store its results; return the suite under its ontology, too.

    Stored results of the same study stay unchanged: their time is that of a whole run.
    """
    settings, inputs = setup.settings, setup.inputs()
    folder = Path(settings.checkpoint)
    with closing(
        open_side(settings, folder, settings.cache or default_folder(), inputs, say)
    ) as system:
        context = context_of(settings.task, settings.ontology, system)
        setup = setup._replace(suite=setup.suite.under(context.ontology))
        read = setup.as_read(system)
        record = kept_reference(settings.out, setup.key(read))
        if record is None:
            record = _measured_first(request, setup, read)
            write_reference(settings.out, record)
        hugging_face = None if (folder / CARD).is_file() else folder
        return setup, Compared(Reference(system.folder, hugging_face, inputs), record)


def _measured_first(request: StudyRequest, setup: StudySetup, system: System) -> ReferenceRecord:
    with tempfile.TemporaryDirectory(prefix=DRAFT, dir=setup.settings.out) as cache:
        seen = ask(setup, system, Path(cache))
    if seen.error:
        raise CannotJudge(seen.error)
    if not any(part for part, _ in seen.samples):
        raise CannotJudge(
            f"{request.labels}: the checkpoint predicts none of {len(seen.samples)} samples "
            "correctly, so no candidate can be worse; expected labels of its task, in its label "
            "names"
        )
    return ReferenceRecord(
        study=setup.key(system),
        tool=TOOL,
        checkpoint=system.head,
        suite=setup.suite.identity,
        labels=LabelCounts(
            file=request.labels.name.encode("utf-8", "replace").decode(),
            sha256=sha256_file(request.labels),
            samples=len(seen.samples),
            measure=measure_of(setup.settings.task),
        ),
        settings=setup.run_settings(seen.noise),
        relations=seen.counts,
        asked_characters=seen.asked_characters,
        seconds=round(seen.seconds, 1),
        labels_seconds=round(seen.labels_seconds, 1),
        counts=seen.samples,
        verdicts=to_keep(seen.verdicts),
    )
