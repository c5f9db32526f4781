"""Read suite and baseline, open the system, and check them before the first prediction."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import UNSET

from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, nearest, quoted, unknown
from mt_gate.baselines.schema import (
    Baseline,
    BaselineSource,
    Units,
    check_covers,
    check_fits,
    check_name,
    parse_baseline,
    read_baseline,
)
from mt_gate.domain import LABELS
from mt_gate.ontologies.reading import ontology_for, shipped_ontologies
from mt_gate.relations import catalogue
from mt_gate.relations.base import Context, MetamorphicRelation
from mt_gate.results.result import OwnFlips, RunSettings
from mt_gate.results.rules import EVERY_RELATION
from mt_gate.results.store import NAMES, check_writable
from mt_gate.running.entity_kinds import kinds_of
from mt_gate.running.labels import LabelledInputs, read_labels
from mt_gate.running.operating import Needs, OperatedSystem, needs_of
from mt_gate.running.predicting import Clock, default_folder
from mt_gate.running.systems import PARITY_INPUTS, open_named
from mt_gate.settings.loading import check_missing
from mt_gate.settings.policy import Policy, task_of
from mt_gate.settings.record import OPTIONS, SETTINGS, STORED, Settings, dashed
from mt_gate.settings.values import in_text
from mt_gate.suites.format import Suite, relations_in
from mt_gate.suites.quick import draw, open_suite
from mt_gate.sut.card import CARD, is_exported
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.protocol import FLIPS, MOST_FLIPS, Noise, ProgramPlace, System, largest_noise
from mt_gate.sut.systems.kinds import PROGRAM
from mt_gate.tasks.table import TASKS


class LoadedSuite(NamedTuple):
    """A suite, or the subset to run, and the relations to run."""

    suite: Suite
    relations: tuple[MetamorphicRelation, ...]


class Prepared(NamedTuple):
    """Checked inputs of a run; ``system`` is open, ``cache`` is a folder."""

    settings: Settings
    suite: Suite
    relations: Sequence[MetamorphicRelation]
    baseline: Baseline | None
    system: System
    context: Context
    cache: Path
    labels: LabelledInputs | None = None


class RunInputs(NamedTuple):
    """Inputs that the caller has read or opened; the run reads all others as its settings say.

    Several runs may share ``suite``. ``answering`` has stored predictions of shards, which replace
    the system of the settings. ``holds_out``: the caller has reserved the folder of reports.
    ``place`` is where a command runs, ``base_place`` where the command of ``against`` runs.
    ``options`` are stored in the result, by default those of the settings. ``parity`` is the number
    of inputs on which an export is compared with its original. ``system`` and ``base_system`` are
    callables, which the settings only name.
    """

    suite: LoadedSuite | None = None
    answering: tuple[System, Context] | None = None
    holds_out: bool = False
    place: ProgramPlace | None = None
    base_place: ProgramPlace | None = None
    options: Mapping[str, str] | None = None
    parity: int = PARITY_INPUTS
    system: System | None = None
    base_system: System | None = None


_OF_THE_WHOLE = (
    "strict",
    "max_violation_rate",
    "must_hold",
    "required",
    "max_churn",
    "max_negative_flips",
    "policy",
)
"""Settings that apply only to a run of the whole suite."""


def list_whole_run_settings(settings: Settings | RunSettings) -> list[str]:
    """Return the names of settings that are set and need the whole suite."""
    return [name for name in _OF_THE_WHOLE if getattr(settings, name) != SETTINGS[name].default]


def check_settings(settings: Settings) -> None:
    """Do the cheap checks before anything is read. Raises UsageError."""
    if settings.early_stop and settings.against:
        raise UsageError(
            "--early-stop does not work with --against or qualify. Omit it (also in mt-gate.toml)."
        )
    for name in list_whole_run_settings(settings) if settings.early_stop else ():
        raise UsageError(
            f"--early-stop does not work with {dashed(name)}, which needs the whole suite. Omit "
            "one of them."
        )
    check_missing(settings.record_missing, settings.baseline)
    check_writable(settings.out)


def prepare(
    settings: Settings,
    say: Say,
    clock: Clock,
    source: BaselineSource,
    inputs: RunInputs = RunInputs(),  # noqa: B008 - a tuple
) -> Prepared:
    """Read suite and baseline, open the system, and check that they fit together."""
    with clock.phase("load"):
        suite, relations = inputs.suite or load_suite(settings)
        listed = [relation.id for relation in suite.head.relations]
        listed += [f"{settings.task}/{LABELS}"] if settings.labels else []
        check_policy(settings.policy, settings.task, today(), listed, settings.max_violation_rate)
        if any(entry.slices for entry in settings.policy.relations.values()):
            check_slices(settings.policy, suite)
        baseline = load_baseline(settings, suite, relations, source)
        labels = None
        if settings.labels:
            labels = read_labels(settings.labels, settings.task, settings.label_map)
        cache = settings.cache or default_folder()
    with ExitStack() as opened:
        with clock.phase("export"):
            if inputs.answering:
                system, context = inputs.answering
                opened.enter_context(closing(system))
            else:
                sample = parity_inputs(settings, suite)[: inputs.parity]
                needs = Needs()
                if suite.head.labels and TASKS[settings.task].spans:
                    needs = Needs(suite.head.name, kinds=suite.head.labels)
                elif TASKS[settings.task].label_map:
                    needs = needs_of(suite.head, {relation.id for relation in relations})
                system = open_named(
                    settings,
                    cache,
                    sample,
                    say,
                    needs=needs,
                    place=inputs.place,
                    opened_before=inputs.system,
                )
                opened.enter_context(closing(system))
                context = context_of(settings.task, settings.ontology, system)
        suite = suite.under(context.ontology)
        if baseline is not None and settings.baseline is not None:
            check_baseline(baseline, suite, relations, named(settings.baseline, source))
        opened.pop_all()
    return Prepared(settings, suite, relations, baseline, system, context, cache, labels)


def options_of(settings: Settings) -> dict[str, str]:
    """Return the options that a result stores, as text, for the command that repeats the run.

    A program is stored without its arguments, which may contain secrets.
    """
    values = {name: getattr(settings, name) for name in OPTIONS}
    if settings.system.startswith(PROGRAM):
        values["system"] = f"{PROGRAM}PROGRAM"
    return {
        name: in_text(value)
        for name, value in values.items()
        if value and value != SETTINGS[name].default
    }


def load_suite(settings: Settings) -> LoadedSuite:
    """Read the suite, and its relations that the settings select, in suite order."""
    suite = open_suite(settings.suite).without(settings.exclude)
    if suite.head.task != settings.task:
        raise UsageError(
            f"Suite {suite.head.name} is for task {suite.head.task}, but the run is for "
            f"{settings.task}. Choose another --suite, or pass --task {suite.head.task}."
        )
    listed = [relation.id for relation in suite.head.relations]
    missing = [name for name in settings.relations if name not in listed]
    if missing:
        raise UsageError(
            f"Suite {suite.head.name} has no relation "
            f"{quoted(missing[0])}.{did_you_mean(missing[0], listed)} It has "
            f"{', '.join(listed)}. Fix --relations, or choose another --suite."
        )
    known = relations_in(suite.head)
    wanted = settings.relations or [relation.id for relation in known.values() if relation.default]
    relations = tuple(relation for name, relation in known.items() if name in wanted)
    return LoadedSuite(draw(suite, relations, settings.sources), relations)


def parity_inputs(settings: Settings, suite: Suite) -> list[Mapping[str, Any]]:
    """Return inputs to compare an export on; if a subset has too few, use the whole suite.

    The export is cached, and later runs of the whole suite use it.
    """
    few = bool(suite.part) and len(suite.sources) < PARITY_INPUTS
    if few and settings.checkpoint and not is_exported(settings.checkpoint):
        suite = open_suite(settings.suite)
    return [source.input for source in suite.sources[:PARITY_INPUTS]]


def is_complete(relations: Sequence[str], suite: Suite) -> bool:
    """Return whether these relations include all that run by default."""
    known = relations_in(suite.head).values()
    return set(relations).issuperset(relation.id for relation in known if relation.default)


def run_settings(
    settings: Settings, suite: Suite, relations: Sequence[str], noise: Noise
) -> RunSettings:
    """Return the settings that can change a verdict, as a result stores them, with the noise."""
    ids = tuple(relations)
    stored = {name: getattr(settings, name) for name in STORED} | {"relations": ids}
    stored["retrained"] = settings.retrained or UNSET
    flips = OwnFlips(noise[FLIPS], noise[MOST_FLIPS]) if FLIPS in noise else UNSET
    return RunSettings(
        **stored, complete=is_complete(ids, suite), noise=largest_noise(noise), flips=flips
    )


def context_of(task: str, ontology: str, system: System) -> Context:
    """Return the context of a run. Raises CannotJudge and UsageError."""
    if isinstance(system, OperatedSystem):
        kinds = kinds_of(system.head) if TASKS[task].spans else {}
        return Context(labels=frozenset(system.labels), kinds=kinds)
    if not TASKS[task].needs_ontology:
        return Context()
    if not isinstance(system, ConfinedCheckpoint):
        return Context(ontology_for(ontology, (), system.head.name))
    own = system.card.ontology
    if own and own not in shipped_ontologies() and not ontology:
        if set(own) & {"/", "\\"} or own.startswith("."):
            raise CannotJudge(
                f"{system.folder / CARD}: ontology is {own[:60]!r}. Expected "
                f"{', '.join(shipped_ontologies())} or the name of a file next to it. Fix the "
                "file."
            )
        own = str(system.folder / own)
    meanings = ontology_for(ontology or own, system.labels, f"checkpoint {system.head.name}")
    return Context(meanings, system.reads_types)


def load_baseline(
    settings: Settings,
    suite: Suite,
    relations: Sequence[MetamorphicRelation],
    source: BaselineSource,
) -> Baseline | None:
    """Read the baseline; None if there is none, or if this run will record it."""
    path = settings.baseline
    if path is None:
        return None
    if source.data is None and settings.record_missing and not os.path.exists(path):
        if settings.relations:
            raise UsageError(
                "--record-missing with --relations would record only some relations. Omit one."
            )
        check_name(path.stem)
        if path.name in NAMES and os.path.realpath(path.parent) == os.path.realpath(settings.out):
            raise UsageError(
                f"--baseline {path} is a report of the run in --out {settings.out}. Choose "
                "another file, or another folder."
            )
        check_writable(path.parent, f"--baseline {path}")
        return None
    name = named(path, source)
    baseline = read_baseline(path) if source.data is None else parse_baseline(source.data, name)
    if not TASKS[suite.head.task].needs_ontology:  # else check when the labels' meanings are known
        check_baseline(baseline, suite, relations, name)
    return baseline


def check_baseline(
    baseline: Baseline, suite: Suite, relations: Sequence[MetamorphicRelation], name: str
) -> None:
    """Check a baseline against the suite, before anything is predicted. Raises CannotJudge."""
    check_fits(baseline, suite.identity, name)
    recorded = baseline.settings
    if recorded.complete != is_complete(recorded.relations, suite):
        raise CannotJudge(
            f"{name} is of a {'whole' if recorded.complete else 'partial'} run of the relations "
            f"{', '.join(recorded.relations)[:200] or 'none'}, but suite {suite.head.name} has "
            f"{', '.join(relation.id for relation in suite.head.relations)[:200]}. Record a new "
            "baseline with mt-gate baseline record."
        )
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for group in suite.groups:
        groups[group.relation].add(group.id)
    units = {}
    for relation in relations:
        binding = (source for source in suite.sources if relation.id in source.bind)
        clusters = {source.cluster or source.id for source in binding}
        own = clusters if relation.at_run_time else groups[relation.id]
        units[relation.id] = Units(relation.at_run_time, own)
    check_covers(baseline, units, name)


def named(path: Path, source: BaselineSource) -> str:
    """Return the baseline's name in messages: its file, and the commit it was read from."""
    return f"{path} of base commit {source.commit[:7]}" if source.commit else str(path)


def check_policy(
    policy: Policy,
    task: str,
    today: str,
    relations: Collection[str] = (),
    limits: Collection[str] = (),
) -> None:
    """Check that a policy names existing relations, and that no accepted regression has expired.

    A limit with a misspelled relation would limit nothing. A misspelled required relation needs no
    check, because it fails a judged run. Raises UsageError.
    """
    known = {EVERY_RELATION, *catalogue.BY_ID, *relations}
    for name in limits:
        if name not in known and (task_of(name) not in TASKS or nearest(name, known)):
            raise UsageError(f"max-violation-rate: {unknown('relation', name, relations)}")
    for name in policy.named():
        if name in known:
            continue
        alike = [
            key
            for key in dict.fromkeys((*catalogue.BY_ID, *relations))
            if task_of(key) == task_of(name)
        ]
        if alike or task_of(name) == task:
            raise UsageError(f"policy: {unknown('relation', name, alike)}")
    check_day(policy, task, today)


def check_slices(policy: Policy, suite: Suite) -> None:
    """Check that a policy names existing slices; a sample may lack some. Raises UsageError."""
    known = {f"{name}: {value}" for s in suite.sources for name, value in s.slices.items()}
    known |= {f"kind: {label}" for label in suite.head.labels}
    for relation, entry in policy.relations.items():
        for name in entry.slices or ():
            if task_of(relation) == suite.head.task and name not in known and not suite.part:
                raise UsageError(f"policy: {unknown('slice', name, sorted(known))}")


def check_day(
    policy: Policy,
    task: str,
    today: str,
    where: str = "policy",
    todo: str = "Remove it, or set a later day under accepted.",
) -> None:
    """Check that no accepted regression of the task has expired. Raises UsageError."""
    for loss in policy.accepted:
        if loss.expires < today and task_of(loss.relation) == task:
            raise UsageError(
                f"{where}: the accepted regression of {loss.relation} expired on {loss.expires} "
                f"(owner {loss.owner}: {loss.reason}). {todo}"
            )


def today() -> str:
    """Return the current day in UTC, on which policies are checked."""
    return datetime.now(UTC).date().isoformat()
