"""Run a shard: predict its part of the suite and store the predictions, without judging.

All sources of a cluster are in one shard. The cluster's key alone decides which shard that is
(``domain.shard_index``), so shards do not depend on one another. The digests in ``shard.json``
detect accidents, not forgery: anybody who can write its files can write a whole run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from mt_gate.base import figures
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError, page, quoted, reported
from mt_gate.base.escaping import hide_bytes, hide_lines
from mt_gate.base.files import (
    HIDDEN_WORD,
    QUICK,
    canonical,
    decode_format,
    hidden_and_read,
    read_gzip_lines,
    read_whole,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.baselines.schema import BaselineSource
from mt_gate.domain import shard_index
from mt_gate.ontologies.ontology import Ontology
from mt_gate.ontologies.reading import faults
from mt_gate.relations.stated import MAX_LABELS
from mt_gate.results.result import TOOL, CheckpointHead, Digest, Name, Positive, SuiteHead, Tool
from mt_gate.results.store import ANSWERS, RESULT, SHARD, check_writable, renewed, reserved
from mt_gate.running.evaluation import ask, sources_predicted
from mt_gate.running.labels import cluster_of
from mt_gate.running.predicting import Cache, Clock, Predictor, Progress, unpacked
from mt_gate.running.preparing import Prepared, options_of, prepare
from mt_gate.running.systems import cache_of
from mt_gate.settings.policy import Policy
from mt_gate.settings.record import SETTINGS, Settings
from mt_gate.suites import quick
from mt_gate.suites.format import DataFile, Suite
from mt_gate.sut.protocol import Prediction

MOST = 10_000
"""Maximum number of shards of a run."""
SLURM = "slurm"
"""Value of ``--shard`` that means the position of a task in its Slurm job array."""
_ID, _FIRST, _STEP, _COUNT = (f"SLURM_ARRAY_TASK_{name}" for name in ("ID", "MIN", "STEP", "COUNT"))
_NUMBER = re.compile(r"[0-9]{1,9}")


class Part(NamedTuple):
    """Shard ``number`` (counted from 1) of ``of`` shards."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def read_part(text: str, environment: Mapping[str, str]) -> Part:
    """Read ``I/N``, I from 1 to N, or ``slurm``."""
    if text.strip() == SLURM:
        return _slurm(environment)
    number, slash, of = (word.strip() for word in text.partition("/"))
    if slash and _NUMBER.fullmatch(number) and _NUMBER.fullmatch(of):
        part = Part(int(number), int(of))
        if 1 <= part.number <= part.of <= MOST:
            return part
    raise UsageError(
        f"--shard must be I/N, with I from 1 to N and N up to {MOST}, or {SLURM} (got "
        f"{quoted(text)})."
    )


def _slurm(environment: Mapping[str, str]) -> Part:
    """Return the position of a task in its job array, which may start at any number."""
    variables = {name: environment.get(name, "") for name in (_ID, _FIRST, _COUNT)}
    variables[_STEP] = environment.get(_STEP) or "1"
    for name, value in variables.items():
        if not _NUMBER.fullmatch(value):
            shown = quoted(value) if value else "not set"
            raise UsageError(
                f"--shard {SLURM}: {name} is {shown}. Use a job array (sbatch --array) or I/N."
            )
    task, first, step, count = (int(variables[name]) for name in (_ID, _FIRST, _STEP, _COUNT))
    place, rest = divmod(task - first, max(step, 1))
    if rest or not 0 <= place < count <= MOST:
        raise UsageError(
            f"--shard {SLURM} needs an array without gaps (got task {task} of {count}, from "
            f"{first} in steps of {step}). Use --array=1-{min(max(count, 1), MOST)}, or pass I/N."
        )
    return Part(place + 1, count)


def part_of(suite: Suite, part: Part) -> Suite:
    """Return the part of a suite that a shard predicts."""
    return quick.part_of(suite, lambda key: shard_index(key, part.of) == part.number)


FORMAT = 1
CAUSE = "Run the shard again."
_MAX_HEAD = 8 << 20


class Shard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``shard.json``: the run's inputs, and the number and hash of the stored predictions.

    ``run_settings`` are the settings that affect predictions and how they are read, without
    defaults. ``suite_named`` and ``labels_named`` are ``--suite`` and the path of the labelled
    inputs. ``labels_sha256`` is empty if there are no labelled inputs. ``system_sha256`` is the
    digest of ``--system``, whose text may be private. ``ontology``, ``reads_types`` and ``labels``
    are the context of relations. ``noise`` is measured over the sources of the whole run.
    ``options`` are those of ``Result``, and ``digest`` is the sha256 of all other fields.
    """

    format: int
    tool: Tool
    shard: Annotated[int, Meta(ge=1, le=MOST)]
    shards: Annotated[int, Meta(ge=1, le=MOST)]
    suite: SuiteHead
    checkpoint: CheckpointHead
    run_settings: Annotated[Mapping[Name, Any], Meta(max_length=100)]
    suite_named: Name
    system_sha256: str = ""
    labels_named: Name = ""
    labels_sha256: str = ""
    noise: Annotated[Mapping[Name, Positive], Meta(max_length=20)] = {}
    ontology: Ontology | None = None
    reads_types: bool = True
    labels: Annotated[tuple[Name, ...], Meta(max_length=MAX_LABELS)] = ()
    options: Annotated[Mapping[Name, Name], Meta(max_length=20)] = {}
    answers: DataFile
    digest: Digest | None = None

    @property
    def part(self) -> Part:
        """The number of the shard, and of all shards."""
        return Part(self.shard, self.shards)


class Answer(NamedTuple):
    """A packed prediction for the input with this ``key``; not ``is_predicted`` if cached."""

    key: bytes
    is_predicted: bool
    packed: bytes


_Line = tuple[Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")], bool, msgspec.Raw]
_LINES = msgspec.json.Decoder(_Line)


def write_shard(
    folder: Path, shard: Shard, answers: Iterable[tuple[bytes, bool, Prediction]]
) -> Shard:
    """Write a shard's files, ``shard.json`` last. Equal predictions give equal bytes."""
    lines = [
        msgspec.json.encode([key.hex(), is_predicted, msgspec.Raw(msgspec.json.encode(answer))])
        for key, is_predicted, answer in sorted(answers, key=lambda one: one[0])
    ]
    if [*hide_lines(lines)] != lines:
        raise CannotJudge(
            "A prediction contains the value of a secret of the environment. mt-gate never writes "
            "secrets, so merge could not judge that prediction. Run without shards, or rename the "
            f"variable so that it does not look like a secret: {page('action', 'secrets')}"
        )
    run_settings = canonical(shard.run_settings)
    if hide_bytes(run_settings) != run_settings:  # a merge compares them with its settings
        raise CannotJudge(HIDDEN_WORD)
    with replacing(folder / ANSWERS) as temporary:
        digest = write_gzip_lines(temporary, lines, QUICK)
    shard = msgspec.structs.replace(shard, answers=DataFile(lines=len(lines), sha256=digest))
    read = hidden_and_read(readable(shard), Shard)
    if (read.suite, read.answers, read.part) != (shard.suite, shard.answers, shard.part):
        raise CannotJudge(HIDDEN_WORD)
    complete = msgspec.structs.replace(read, digest=_digest(read))
    write_whole(folder / SHARD, readable(complete))
    return complete


def read_shard(folder: Path) -> Shard:
    """Read the ``shard.json`` in a folder."""
    path = folder / SHARD
    if not path.is_file():
        seen = "does not exist" if not folder.is_dir() else f"has no {SHARD}"
        if (folder / RESULT).is_file():
            seen = "is the folder of a whole run"
        raise CannotJudge(f"{folder} {seen}. Pass the --out folders of finished --shard runs.")
    data = read_whole(path, limit=_MAX_HEAD, cause=CAUSE)
    shard = decode_format(data, Shard, path=path, what="shard", latest=FORMAT, cause=CAUSE)
    if shard.digest != _digest(shard):
        raise CannotJudge(f"{path} was changed after it was written. {CAUSE}")
    if shard.shard > shard.shards:
        raise CannotJudge(f"{path}: shard {shard.part} cannot exist. {CAUSE}")
    if shard.ontology is not None and (fault := next(faults(shard.ontology), None)):
        raise CannotJudge(f"{path}: ontology: {fault}. {CAUSE}")
    return shard


def read_answers(folder: Path, shard: Shard) -> Iterator[Answer]:
    """Yield the predictions of a shard; their digest is checked after the last one."""
    path = folder / ANSWERS
    lines = read_gzip_lines(
        path, digest=shard.answers.sha256, cause=CAUSE, exact=shard.answers.lines
    )
    for line in lines:
        try:
            key, is_predicted, packed = _LINES.decode(line)
            unpacked(bytes(packed))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CannotJudge(
                f"{path} has an invalid prediction ({reported(error)}). {CAUSE}"
            ) from None
        yield Answer(bytes.fromhex(key), is_predicted, bytes(packed))


def _digest(shard: Shard) -> str:
    return hashlib.sha256(canonical(msgspec.structs.replace(shard, digest=None))).hexdigest()


SETTINGS_OF_SHARD = (
    "task",
    "precision",
    "backend",
    "relations",
    "sources",
    "exclude",
    "answers",
    "label_map",
    "threshold",
    "max_length",
    "ontology",
)
"""Settings on what is run and how predictions are read; equal in all shards of a run."""


class WatchedCache(Cache):
    """A cache that records the keys of new predictions in ``predicted``."""

    def __init__(self, folder: Path, system: str) -> None:
        super().__init__(folder, system)
        self.predicted: set[bytes] = set()

    def put(self, items: Iterable[tuple[bytes, Prediction]]) -> None:
        """Store predictions, and record their keys."""
        pending = [*items]
        self.predicted.update(key for key, _ in pending)
        super().put(pending)


def run_shard(
    settings: Settings,
    part: Part,
    say: Say,
    progress: Progress,
    cache_class: type[WatchedCache] = WatchedCache,
) -> Shard:
    """Run one shard of a run, and store its predictions in the folder of the run.

    Baseline, policy and limits are not read, because only the merge uses them.
    """
    check_one_run(settings, "--shard")
    check_writable(settings.out)
    with reserved(settings.out), renewed(settings.out) as new:
        prepared = prepare(asking(settings), say, Clock(), BaselineSource())
        with (
            closing(prepared.system) as system,
            cache_of(prepared.cache, settings, system.head) as folder,
            closing(cache_class(folder, system.cache_key)) as cache,
        ):
            return answer_shard(prepared, part, cache, new, progress)


def check_one_run(settings: Settings, option: str) -> None:
    """Raise UsageError if ``option`` is combined with ``--early-stop`` or ``--against``."""
    if settings.early_stop:
        raise UsageError(
            f"{option} does not work with --early-stop: no shard can decide to stop. Omit one."
        )
    if settings.against:
        raise UsageError(
            f"{option} runs one checkpoint, but --against {settings.against} needs two. Record a "
            "baseline of the base, and pass it with --baseline."
        )


def asking(settings: Settings) -> Settings:
    """Return the settings without baseline and policy, which only judging needs."""
    return replace(settings, baseline=None, record_missing=False, policy=Policy())


def answer_shard(
    prepared: Prepared, part: Part, cache: WatchedCache, folder: Path, progress: Progress
) -> Shard:
    """Run a shard of a prepared run, and store its predictions."""
    suite, relations, labels = prepared.suite, prepared.relations, prepared.labels
    predictor = Predictor(prepared.system, cache, progress)
    # Measure over the sources of the whole run, not only of this shard.
    noise = predictor.noise([source.input for source in sources_predicted(suite, relations)])
    of_labels = Predictor(prepared.system, cache, progress)
    samples = labels.samples if labels else ()
    own = [sample for sample in samples if shard_index(cluster_of(sample), part.of) == part.number]
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
    """Return the settings of ``SETTINGS_OF_SHARD`` without defaults.

    They are plain JSON values (tuples become lists), so that they compare with a shard's file.
    """
    values = {name: getattr(settings, name) for name in SETTINGS_OF_SHARD}
    changed = {name: value for name, value in values.items() if value != SETTINGS[name].default}
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(changed))
    return plain


def shard_line(shard: Shard, out: Path) -> str:
    """Return a message on a finished shard, with its size, folder, and the next command."""
    answers = figures.counted(shard.answers.lines, "prediction")
    return (
        f"Shard {shard.part}: stored {answers} in {out}. There is no verdict yet. When all "
        "shards are done, run mt-gate merge DIR..."
    )
