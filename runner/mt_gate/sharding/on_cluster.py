"""A whole run on a cluster: workers ask its shards, which are merged and judged here."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate.base.console import Say
from mt_gate.base.errors import UsageError
from mt_gate.base.figures import counted
from mt_gate.base.files import scratch
from mt_gate.baselines.schema import BaselineSource
from mt_gate.ontologies.reading import shipped_ontologies
from mt_gate.results.out_folder import check_writable, reserved
from mt_gate.results.rows import Run
from mt_gate.running.predicting import Clock, Progress, default_folder
from mt_gate.running.preparing import options_of, prepare
from mt_gate.settings.record import Settings
from mt_gate.sharding.answering import asking, check_one_run
from mt_gate.sharding.cluster import Room, connected, reach, room_in
from mt_gate.sharding.distributing import Distribution, RayWorkers
from mt_gate.sharding.merging import judged, read_shards
from mt_gate.sharding.splitting import MOST, Part
from mt_gate.sharding.worker import Files, Identity, identity_of
from mt_gate.suites.format import shipped_suites
from mt_gate.suites.quick import quick_suites

SHARDS_A_WORKER = 4
"""Without a number: a worker that is lost costs a quarter of its work."""


class Cluster(NamedTuple):
    """Where a run is computed: ``HOST:PORT``, empty for this machine; None for as many as fit."""

    address: str = ""
    shards: int | None = None


def run_on_ray(settings: Settings, cluster: Cluster, say: Say, progress: Progress) -> Run:
    """Run a suite on a Ray cluster, and judge it here; write what one run would have written.

    Args:
        settings: of the run.
        cluster: which one, and how many shards.
        say: called with each line that the user should see at once.
        progress: called with how many shards are answered, and of how many.

    Raises:
        UsageError: a setting names what does not exist, or is none of a cluster's.
        CannotJudge: suite, baseline or checkpoint are unfit here or on a worker, or not the same;
            Ray is missing, no cluster answers, or its workers are lost again and again.
    """
    _check(settings)
    with reserved(settings.out):
        return _predict_and_judge(settings, cluster, say, progress)


def _predict_and_judge(settings: Settings, cluster: Cluster, say: Say, progress: Progress) -> Run:
    reached = reach(cluster.address)
    options, settings = options_of(settings), located(settings)
    expected = _expected(settings, say)
    with scratch() as folder:
        with connected(reached) as ray:
            room = room_in(ray.nodes(), settings)
            parts = parts_for(room, cluster.shards)
            most = min(room.workers, len(parts))
            say(f"{counted(len(parts), 'shard')} on {counted(most, 'worker')}")
            workers = RayWorkers(ray, room, asking(settings), expected)
            answers = Distribution(workers, parts, most, say).answers()
            folders = _stored(answers, len(parts), folder, progress)
            workers.close()
        # What one worker opened, all did: what they answered is compared again.
        shards = read_shards(folders)
        return judged(shards, settings, say, BaselineSource(), holds_out=True, options=options)


def _check(settings: Settings) -> None:
    check_one_run(settings, "--executor ray")
    if settings.system:
        raise UsageError(
            f"--executor ray: for a --checkpoint, and --system {settings.system} is another "
            "system; run it in shards (--shard), or without --executor"
        )
    check_writable(settings.out)


def located(settings: Settings) -> Settings:
    """Return settings that name the same files wherever a worker is started.

    The device of ``auto`` is the CPU: GPUs are run of a cluster by name.
    """
    return replace(
        settings,
        checkpoint=str(Path(settings.checkpoint).absolute()),
        suite=_placed(settings.suite, {*shipped_suites(), *quick_suites()}),
        ontology=_placed(settings.ontology, {"", *shipped_ontologies()}),
        labels=settings.labels and settings.labels.absolute(),
        cache=(settings.cache or default_folder()).absolute(),
        device="cpu" if settings.device == "auto" else settings.device,
    )


def _placed(place: str, names: Collection[str]) -> str:
    """Return the path of what is named, names that mt-gate knows as they are."""
    return place if place in names else str(Path(place).absolute())


def _expected(settings: Settings, say: Say) -> Identity:
    """Check here what can be checked before a cluster is used, and return who must answer."""
    # Files are what is looked at: this machine need not have a GPU.
    prepared = prepare(replace(settings, device="cpu"), say, Clock(), BaselineSource())
    with closing(prepared.system):
        return identity_of(prepared)


def parts_for(room: Room, shards: int | None) -> list[Part]:
    """Return all shards of a run."""
    of = shards or min(SHARDS_A_WORKER * room.workers, MOST)
    return [Part(number, of) for number in range(1, of + 1)]


def _stored(
    answers: Iterable[tuple[Part, Files]], of: int, folder: Path, progress: Progress
) -> list[Path]:
    """Write what comes to a folder for each shard, and return the folders."""
    folders: list[Path] = []
    for part, files in answers:
        folders.append(folder / str(part.number))
        files.write(folders[-1])
        progress(len(folders), of)
    return folders
