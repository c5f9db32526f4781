"""The suite of a run and the relations of it that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from mt_gate.base.errors import UsageError, quoted
from mt_gate.relations.base import MetamorphicRelation
from mt_gate.results.result import RunSettings
from mt_gate.settings.record import STORED, Settings
from mt_gate.suites.drawing import draw
from mt_gate.suites.format import Suite, SuiteFile
from mt_gate.suites.quick import open_suite
from mt_gate.suites.relations import relations_in
from mt_gate.sut.card import is_exported

PARITY_INPUTS = 256
"""Inputs that an export is compared with its original on."""


class LoadedSuite(NamedTuple):
    """A suite, or the part of it that is run, and the relations that are asked for."""

    suite: Suite
    relations: tuple[MetamorphicRelation, ...]


def load_suite(settings: Settings) -> LoadedSuite:
    """Read the suite and the relations of it that are asked for, in its order."""
    suite = open_suite(settings.suite).without(settings.exclude)
    relations = _asked_for(settings, suite.head)
    drawn = draw(suite, relations, settings.sources, suite.head.seed)
    return LoadedSuite(drawn.suite, relations)


def parity_inputs(settings: Settings, suite: Suite) -> list[Mapping[str, Any]]:
    """Return inputs for the parity of an export, of the whole suite where a part has too few.

    The export is kept, and later runs of the whole take it.
    """
    few = bool(suite.part) and len(suite.sources) < PARITY_INPUTS
    if few and settings.checkpoint and not is_exported(settings.checkpoint):
        suite = open_suite(settings.suite)
    return [source.input for source in islice(suite.sources, PARITY_INPUTS)]


def _asked_for(settings: Settings, head: SuiteFile) -> tuple[MetamorphicRelation, ...]:
    """Return the relations of a suite that are asked for, in its order."""
    if head.task != settings.task:
        raise UsageError(
            f"suite {head.name}: for task {head.task}, the run is for {settings.task}; "
            f"name another --suite or --task {head.task}"
        )
    listed = [relation.id for relation in head.relations]
    missing = [name for name in settings.relations if name not in listed]
    if missing:
        raise UsageError(
            f"relation {quoted(missing[0])}: suite {head.name} has {', '.join(listed)}; fix "
            "--relations or name another --suite"
        )
    known = relations_in(head)
    wanted = settings.relations or _by_default(known.values())
    return tuple(relation for name, relation in known.items() if name in wanted)


def _by_default(relations: Iterable[MetamorphicRelation]) -> list[str]:
    """Return the relations that a run takes where none is asked for by name."""
    return [relation.id for relation in relations if relation.default]


def is_complete(relations: Sequence[str], suite: Suite) -> bool:
    """Say whether a run of these relations leaves out none that it takes by default."""
    return set(relations).issuperset(_by_default(relations_in(suite.head).values()))


def run_settings(
    settings: Settings, suite: Suite, relations: Sequence[str], noise: float
) -> RunSettings:
    """Return the settings that can move a verdict, as they are kept with a result."""
    ids = tuple(relations)
    stored = {name: getattr(settings, name) for name in STORED} | {"relations": ids}
    return RunSettings(**stored, complete=is_complete(ids, suite), noise=noise)
