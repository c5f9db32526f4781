"""Merge the shards of one run; judge, store and report it like a whole run.

Shards of different runs are rejected. The stored predictions then replace the system of the run
(``StoredSystem``), and ``gate.run`` does the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import asdict, replace

from mt_gate import gate
from mt_gate.base import files
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import canonical, scratch
from mt_gate.baselines.schema import BaselineSource
from mt_gate.relations.base import Context
from mt_gate.results.result import TOOL, CheckpointHead
from mt_gate.results.store import SHARD, Run, check_writable, reserved, shown
from mt_gate.running.entity_kinds import kinds_of
from mt_gate.running.predicting import Cache, chunks, input_key, unpacked
from mt_gate.running.preparing import LoadedSuite, RunInputs, load_suite
from mt_gate.settings.loading import AGAINST, check_missing, merged, read_file
from mt_gate.settings.record import CONFIG, DECIDING, SETTINGS, Settings, dashed
from mt_gate.settings.values import checked
from mt_gate.sharding.answering import (
    SETTINGS_OF_SHARD,
    Shard,
    read_answers,
    read_shard,
    shard_settings,
)
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.tasks.table import TASKS

JUDGING = (
    *("suite", "baseline", "out", "name", "labels", "record_missing", "mask_offensive"),
    *DECIDING,
)
"""Settings that the merge may set: for judging and reports, and the paths of suite and labels."""
_AT_ONCE = 1 << 12
"""Number of predictions in one batch."""
_MACHINE = {"cpu": "", "cpu_features": (), "threads": 0}
"""Machine properties that may differ between shards, because measured noise covers them."""


@dataclass
class StoredSystem:
    """A system that returns packed predictions by the key of their input, and measured noise."""

    head: CheckpointHead
    _noise: Noise
    _answers: Mapping[bytes, bytes]
    cache_key: str = "what shards answered"

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Return the stored prediction of every input."""
        for batch in chunks(enumerate(inputs), _AT_ONCE):
            answers = [(at, self._answers.get(input_key(canonical(item)))) for at, item in batch]
            if any(answer is None for _, answer in answers):
                raise CannotJudge(
                    "The shards have no prediction for an input of the run. Probably the model "
                    "gave two predictions for one text. Run all shards again."
                )
            yield [(at, unpacked(answer)) for at, answer in answers if answer is not None]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002 - as measured
        """Return the noise that was measured over the sources of the whole run."""
        return self._noise

    def close(self) -> None:
        """Do nothing: all predictions are in memory."""


class Shards(NamedTuple):
    """The shards of one run, in order, each with its folder."""

    folders: tuple[Path, ...]
    heads: tuple[Shard, ...]


def merge(
    folders: Sequence[Path], values: Mapping[str, Any], config: Path | None, say: Say
) -> tuple[Settings, Run]:
    """Judge the run that these shards belong to, and write the same files as a single run."""
    stored = read_file(config)
    out = Path(values.get("out") or stored.get("out") or SETTINGS["out"].default)
    check_no_shard_folder(out, folders)
    check_missing(
        *(values.get(name) or stored.get(name) for name in ("record_missing", "baseline"))
    )
    check_writable(out)
    with reserved(out):
        shards = read_shards(folders)
        settings = _settings(shards, values, stored, config or CONFIG)
        run = judged(shards, settings, say, BaselineSource(), holds_out=True)
    return settings, run


def check_no_shard_folder(out: Path, folders: Sequence[Path]) -> None:
    """Raise UsageError if ``out`` is the folder of a shard, whether it is in ``folders`` or not."""
    named = any(os.path.realpath(folder) == os.path.realpath(out) for folder in folders)
    if named or os.path.lexists(out / SHARD):
        raise UsageError(f"--out {out} is the folder of a shard. Choose another for the result.")


def shard_folders(within: str, settings: Settings) -> list[Path]:
    """Return the subfolders of ``within``, which are the shards; [] for an empty string."""
    if not within:
        return []
    if settings.against:
        raise UsageError(
            "merge does not work with against, because mt-gate compares shards with a baseline. "
            "Omit against."
        )
    try:
        folders = sorted(path for path in Path(within).iterdir() if path.is_dir())
    except OSError as error:
        raise UsageError(
            f"merge: {quoted(within)} cannot be read ({error.strerror}). Pass the parent folder of "
            "the shards."
        ) from None
    if not folders:
        raise UsageError(
            f"merge: {quoted(within)} has no folders. Pass the parent folder of the shards."
        )
    check_no_shard_folder(settings.out, [Path(within), *folders])
    return folders


def judged(
    shards: Shards,
    settings: Settings,
    say: Say,
    source: BaselineSource,
    *,
    holds_out: bool = False,
    options: Mapping[str, str] | None = None,
) -> Run:
    """Judge the predictions of shards, and write the five files.

    ``holds_out`` is whether the caller has reserved the folder of reports. ``options`` are stored
    in the result; by default, those of the first shard.
    """
    loaded = load_suite(settings)
    _check_inputs(shards.heads[0], settings, loaded)
    answers: dict[bytes, bytes] = {}  # if two shards have an input, the first prediction counts
    predicted: set[bytes] = set()
    for folder, shard in zip(shards.folders, shards.heads, strict=True):
        for answer in read_answers(folder, shard):
            answers.setdefault(answer.key, answer.packed)
            if answer.is_predicted:
                predicted.add(answer.key)
    first = shards.heads[0]
    ways = dict.fromkeys(way for shard in shards.heads for way in shard.noise)
    noise = {way: max(shard.noise.get(way, 0.0) for shard in shards.heads) for way in ways}
    system = StoredSystem(_head(shards), noise, answers)
    kinds = kinds_of(first.checkpoint) if TASKS[settings.task].spans else {}
    context = Context(first.ontology, first.reads_types, frozenset(first.labels), kinds)
    answering = system, context
    with scratch() as folder:
        # Predictions that all shards read from a cache count as cached, as in one run.
        known = ((key, unpacked(text)) for key, text in answers.items() if key not in predicted)
        with closing(Cache(folder, system.cache_key)) as cache:
            for batch in chunks(known, _AT_ONCE):
                cache.put(batch)
        settings = replace(settings, cache=folder)
        options = first.options if options is None else options
        if settings.name:
            options = {**options, "name": settings.name}
        inputs = RunInputs(loaded, answering, holds_out, options=options)
        return shown(
            shards.folders[0], lambda: gate.run(settings, say, lambda *_: None, source, inputs)
        )


def read_shards(folders: Sequence[Path]) -> Shards:
    """Read the ``shard.json`` of all shards, and check that they belong to one run."""
    by_place: dict[int, tuple[Path, Shard]] = {}
    first: tuple[Path, Shard] | None = None
    for folder in folders:
        shard = read_shard(folder)
        first = first or (folder, shard)
        here, there = _facts(shard), _facts(first[1])
        for what in {**here, **there}:
            if here.get(what) != there.get(what):
                raise CannotJudge(
                    f"{folder}: {what} of shard {shard.part} is {_shown(here.get(what))}, but in "
                    f"{first[0]} it is {_shown(there.get(what))}. Run all shards with the same "
                    "suite, checkpoint and settings."
                )
        if shard.shard in by_place:
            raise CannotJudge(
                f"{folder} and {by_place[shard.shard][0]} are both shard {shard.part}. Omit one."
            )
        by_place[shard.shard] = folder, shard
    if first is None:
        raise UsageError("No shard to merge. Pass the folders of all shards of a run.")
    missing = [str(n) for n in range(1, first[1].shards + 1) if n not in by_place]
    if missing:
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        raise CannotJudge(
            f"Missing of {first[1].shards} shards: {', '.join(missing[:10])}{more}. Run them, and "
            "pass the folders of all shards."
        )
    if first[1].tool != TOOL:
        tool = first[1].tool
        raise CannotJudge(
            f"{tool.name} {quoted(tool.version)} wrote {first[0]}, but this is {TOOL.version}. "
            "Merge with the version that ran the shards, or run them again."
        )
    ordered = [by_place[number] for number in sorted(by_place)]
    return Shards(tuple(folder for folder, _ in ordered), tuple(shard for _, shard in ordered))


def _facts(shard: Shard) -> dict[str, object]:
    """Return the properties that all shards of a run share, by their names in messages."""
    runtime = replace(shard.checkpoint.runtime, **_MACHINE)
    suite, head = shard.suite, asdict(shard.checkpoint)
    return {
        "number of shards": shard.shards,
        "mt-gate version": shard.tool.version,
        # Settings come before properties that depend on them, such as the fingerprint.
        **{dashed(name): shard.run_settings[name] for name in sorted(shard.run_settings)},
        "suite": f"{suite.name} {suite.version} ({suite.sha256[:12]})",
        **{f"suite {name}": value for name, value in asdict(suite).items()},
        **{name: value for name, value in head.items() if name != "runtime"},
        **{f"runtime {name}": value for name, value in asdict(runtime).items()},
        "labelled inputs": shard.labels_sha256[:12],
        "system": shard.system_sha256[:12],
        "ontology": shard.ontology,
        "reading": shard.reads_types,
    }


def _shown(value: object) -> str:
    return quoted(value) if value or value == 0 else "none"


def _settings(
    shards: Shards, values: Mapping[str, Any], stored: Mapping[str, Any], path: Path
) -> Settings:
    """Return the settings of the whole run: those of the shards, and the merge's for judging."""
    first = shards.heads[0]
    shard_values = {
        name: checked(f"{shards.folders[0]}: {dashed(name)}", name, value)
        for name, value in first.run_settings.items()
        if name in SETTINGS_OF_SHARD
    }
    of_shards = {
        **shard_values,
        "suite": first.suite_named,
        # The system is not run again: only its name is left.
        "checkpoint": first.checkpoint.name,
    }
    labels = first.labels_named
    if labels and not (values.get("labels") or stored.get("labels")):
        # Shards may come from a stranger, so no message may reveal anything about other files.
        if not files.is_within(Path(labels), Path.cwd()):
            raise CannotJudge(
                f"{shards.folders[0]}: labels {quoted(labels)} are outside the working folder. "
                "mt-gate does not read them on behalf of a shard. Pass the file with --labels."
            )
        of_shards["labels"] = Path(labels)
    if stored.get(AGAINST):
        raise UsageError(
            f"{path} sets against, but mt-gate compares shards with a baseline. Omit it there."
        )
    stored_values = {
        name: stored[name] for name in (*SETTINGS_OF_SHARD, *JUDGING) if name in stored
    }
    return merged(values, {**of_shards, **stored_values}, path)


def _check_inputs(first: Shard, settings: Settings, loaded: LoadedSuite) -> None:
    """Check that settings, suite and labels are those that the shards ran with."""
    wanted, path = shard_settings(settings), settings.labels
    for name in SETTINGS_OF_SHARD:
        if first.run_settings.get(name) != wanted.get(name):
            raise CannotJudge(
                f"{dashed(name)} is {_shown(wanted.get(name))} here, but the shards ran with "
                f"{_shown(first.run_settings.get(name))}. Pass the same value."
            )
    identity = loaded.suite.under(first.ontology).identity
    if identity != first.suite:
        raise CannotJudge(
            f"Suite {identity.name} {identity.version} ({identity.sha256[:12]}) is not the suite "
            f"of the shards: {first.suite.name} {first.suite.version} ({first.suite.sha256[:12]}), "
            f"from {quoted(first.suite_named, 200)}. Pass that one with --suite, or run the "
            "shards again."
        )
    labels = files.digest(path, cause="Pass the file that the shards had.") if path else ""
    if labels != first.labels_sha256:
        had = f"sha256 {first.labels_sha256[:12]}" if first.labels_sha256 else "they had none"
        raise CannotJudge(
            f"--labels ({path or 'not set'}) is not the file that the shards had ({had}). "
            "Pass the same file, or run the shards again."
        )


def _head(shards: Shards) -> CheckpointHead:
    """Return the checkpoint's head with the CPUs of all machines, and without differing values."""
    head = shards.heads[0].checkpoint
    runtimes = [shard.checkpoint.runtime for shard in shards.heads]
    cpus = "; ".join(dict.fromkeys(runtime.cpu for runtime in runtimes))[:1000]
    unlike = {
        name: nothing
        for name, nothing in _MACHINE.items()
        if len({getattr(runtime, name) for runtime in runtimes}) > 1
    }
    return replace(head, runtime=replace(head.runtime, **{**unlike, "cpu": cpus}))
