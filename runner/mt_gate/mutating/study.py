"""One mutant of a study: made, asked, compared with its original, and kept."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical
from mt_gate.evaluating.labelled import Labelled
from mt_gate.judging.comparison import compare
from mt_gate.judging.verdicts import RunVerdicts, verdicts_from_rows
from mt_gate.mutating import sensing
from mt_gate.mutating.mutate import write_exported
from mt_gate.mutating.onnx_weights import OnnxWeights
from mt_gate.mutating.operators import Mutation
from mt_gate.mutating.records import Mutant, kept_mutant, write_mutant
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.identity import TOOL
from mt_gate.results.result import RelationResult, RunSettings
from mt_gate.running import evaluation
from mt_gate.running.cache import Cache
from mt_gate.running.context import context_of
from mt_gate.running.loading import run_settings
from mt_gate.running.predicting import Predictor, Progress
from mt_gate.settings.record import Settings
from mt_gate.suites.format import Suite
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.limits import Allowed
from mt_gate.sut.noise import largest
from mt_gate.sut.protocol import System
from mt_gate.tasks.table import TASKS


class StudySetup(NamedTuple):
    """What every system of a study is asked."""

    settings: Settings
    suite: Suite
    relations: tuple[MetamorphicRelation, ...]
    labelled: Sequence[Labelled]
    cache: Path
    progress: Progress

    def run_settings(self, noise: float) -> RunSettings:
        """Return the gate's settings; ``noise`` is the asked system's."""
        return run_settings(self.settings, self.suite, self.relations, noise)


class Seen(NamedTuple):
    """What a system answered: verdicts and counts by relation, right or wrong by sample."""

    verdicts: RunVerdicts
    counts: tuple[RelationResult, ...]
    right: list[bool]
    noise: float


class Original(NamedTuple):
    """The checkpoint that mutants are made of; ``key`` is all that its answers hang on."""

    folder: Path
    weights: OnnxWeights
    seen: Seen
    key: str


def ask(asked: StudySetup, system: System) -> Seen:
    """Ask a system suite and labelled set; it is closed then."""
    with closing(system), closing(Cache(asked.cache, system.cache_key)) as cache:
        predictor = Predictor(system, cache, asked.progress)
        context = context_of(asked.settings.task, asked.settings.ontology, system)
        rows, noise = evaluation.evaluate(asked.suite, asked.relations, predictor, context)
        answers = predictor.predict([item.input for item in asked.labelled])
    is_right = TASKS[asked.settings.task].is_right
    right = [
        answer.output is not None and is_right(item.gold, answer.output)
        for item, answer in zip(asked.labelled, answers, strict=True)
    ]
    counts = evaluation.count_all([relation.id for relation in asked.relations], rows)
    return Seen(verdicts_from_rows(rows), counts, right, largest(noise))


def studied(
    asked: StudySetup, mutation: Mutation, original: Original, folder: Path, say: Say
) -> Mutant:
    """Return what a mutant shows; one that ``folder`` has of this very study is not run again.

    Raises:
        CannotJudge: the mutant cannot be made, or fails to answer.
    """
    name = f"{mutation.operator}-{mutation.seed}"
    path, key = folder / f"{name}.json", _key(asked, mutation, original)
    kept = kept_mutant(path, key)
    if kept:
        say(f"{name}: reused from an earlier run")
        return kept
    try:
        found = _run(asked, mutation, original, name)
    except CannotJudge as error:
        raise CannotJudge(f"mutant {name}: {error}") from None
    write_mutant(path, key, found)
    say(_in_words(name, found))
    return found


def _run(asked: StudySetup, mutation: Mutation, original: Original, name: str) -> Mutant:
    before = original.seen
    with tempfile.TemporaryDirectory(prefix="mt-gate-mutant-") as temporary:
        folder = Path(temporary)
        card = write_exported(original.folder, original.weights, mutation, folder)
        after = ask(asked, _opened(asked.settings, folder, name))
    settings = asked.run_settings(after.noise)
    return Mutant(
        mutation=mutation,
        fingerprint=card.fingerprint,
        accuracy=sensing.answers(before.right, after.right, settings) if asked.labelled else None,
        relations=sensing.failing(after.verdicts, before.verdicts),
        gate=sensing.judged(compare(after.verdicts, [before.verdicts], settings)),
    )


def _opened(settings: Settings, folder: Path, name: str) -> ConfinedCheckpoint:
    own = CheckpointOptions(settings.answers, settings.max_length)
    allowed = Allowed(settings.timeout, settings.max_memory)
    return ConfinedCheckpoint(folder, settings.task, settings.device, name, own, allowed)


def _in_words(name: str, found: Mutant) -> str:
    by = [("the gate", found.gate.caught)]
    by += [("accuracy", found.accuracy.caught)] if found.accuracy else []
    caught = [who for who, did in by if did]
    return f"{name}: {found.gate.verdict.value}; caught by {' and '.join(caught) or 'none'}"


def _key(asked: StudySetup, mutation: Mutation, original: Original) -> str:
    """Return a hash of all that a mutant's figures hang on."""
    parts = [
        TOOL,
        mutation,
        original.key,
        asked.run_settings(0.0),
        asked.suite.identity,
        [source.id for source in asked.suite.sources],
        [[item.id, item.gold] for item in asked.labelled],
    ]
    return hashlib.sha256(canonical(parts)).hexdigest()
