"""A shard of a run: its part of the suite is run, predictions are stored, nothing is judged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError
from mt_gate.baselines.schema import BaselineSource
from mt_gate.results.out_folder import check_writable, renewed, reserved
from mt_gate.results.result import TOOL
from mt_gate.running.evaluation import ask, noise_of, sources_predicted
from mt_gate.running.labels import cluster_of
from mt_gate.running.predicting import Cache, Clock, Predictor, Progress
from mt_gate.running.preparing import Prepared, options_of, prepare
from mt_gate.running.systems import cache_of
from mt_gate.settings.policy import Policy
from mt_gate.settings.record import SETTINGS, Settings
from mt_gate.sharding.folder import FORMAT, Shard, write_shard
from mt_gate.sharding.splitting import Part, part_of, shard_of
from mt_gate.suites.format import DataFile
from mt_gate.sut.protocol import Prediction

SETTINGS_OF_SHARD = (
    "task",
    "precision",
    "relations",
    "sources",
    "exclude",
    "answers",
    "label_map",
    "threshold",
    "max_length",
    "ontology",
)
"""Settings that say what is run, and how answers are read: alike in all shards of a run."""


class WatchedCache(Cache):
    """A cache that knows what was put into it: what the system predicted, not known before."""

    def __init__(self, folder: Path, system: str) -> None:
        """Open, or make, the file of a system."""
        super().__init__(folder, system)
        self.predicted: set[bytes] = set()

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Keep predictions."""
        pending = [*items]
        self.predicted.update(key for key, _ in pending)
        super().put(pending)


def run_shard(settings: Settings, part: Part, say: Say, progress: Progress) -> Shard:
    """Run one shard of a run, and store its predictions in the folder of the run.

    Baseline, policy and limits are the merging run's: none of them is read.
    """
    check_one_run(settings, "--shard")
    check_writable(settings.out)
    with reserved(settings.out), renewed(settings.out) as new:
        prepared = prepare(asking(settings), say, Clock(), BaselineSource())
        with (
            closing(prepared.system) as system,
            cache_of(prepared.cache, settings, system.head) as folder,
            closing(WatchedCache(folder, system.cache_key)) as cache,
        ):
            return answer_shard(prepared, part, cache, new, progress)


def check_one_run(settings: Settings, option: str) -> None:
    """Raise UsageError where ``option``, which is of one whole run, is set for two, or a part."""
    if settings.early_stop:
        raise UsageError(
            f"{option} does not work with --early-stop, which judges while it runs. Omit one."
        )
    if settings.against:
        raise UsageError(
            f"{option} runs one checkpoint, but --against {settings.against} needs two. Record a "
            "baseline of the base, and pass it with --baseline."
        )


def asking(settings: Settings) -> Settings:
    """Return the settings of a run without what judges."""
    return replace(settings, baseline=None, record_missing=False, policy=Policy())


def answer_shard(
    prepared: Prepared, part: Part, cache: WatchedCache, folder: Path, progress: Progress
) -> Shard:
    """Run a shard of a prepared run, and store its predictions."""
    suite, relations, labels = prepared.suite, prepared.relations, prepared.labels
    predictor = Predictor(prepared.system, cache, progress)
    # Over the sources of the whole run.
    noise = noise_of(sources_predicted(suite, relations), predictor)
    of_labels = Predictor(prepared.system, cache, progress)
    samples = labels.samples if labels else ()
    own = [one for one in samples if shard_of(cluster_of(one), part.of) == part.number]
    if own:
        of_labels.predict([sample.input for sample in own])
    ask(part_of(suite, part), relations, predictor, prepared.context)
    answers = {**of_labels.answers, **predictor.answers}
    settings = prepared.settings
    system = settings.system.encode()
    shard = Shard(
        format=FORMAT,
        tool=TOOL,
        shard=part.number,
        shards=part.of,
        suite=prepared.suite.identity,
        checkpoint=prepared.system.head,
        run_settings=shard_settings(settings),
        suite_named=settings.suite,
        system_sha256=hashlib.sha256(system).hexdigest() if system else "",
        labels_named=str(labels.path) if labels else "",
        labels_sha256=labels.sha256 if labels else "",
        noise=noise,
        ontology=prepared.context.ontology,
        reads_types=prepared.context.reads_types,
        labels=tuple(sorted(prepared.context.labels)),
        options=options_of(settings),
        answers=DataFile(lines=0, sha256="0" * 64),
    )
    stored = ((key, key in cache.predicted, value) for key, value in answers.items())
    return write_shard(folder, shard, stored)


def shard_settings(settings: Settings) -> dict[str, Any]:
    """Return those settings that say what is run and how it is read, defaults omitted.

    As a shard's file has them, so that the two can be compared: a tuple is a list there.
    """
    values = {name: getattr(settings, name) for name in SETTINGS_OF_SHARD}
    changed = {name: value for name, value in values.items() if value != SETTINGS[name].default}
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(changed))
    return plain


def shard_line(shard: Shard, out: Path) -> str:
    """Return a message on a finished shard: its size, its folder, and the next command."""
    answers = figures.counted(shard.answers.lines, "answer")
    return (
        f"Shard {shard.part}: stored {answers} in {out}. There is no verdict yet: when all "
        "shards have run, run mt-gate merge DIR..."
    )
