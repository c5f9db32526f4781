"""Shards of one run put together: judged, stored and told as the whole run would have been.

Whatever does not belong together is refused. What is left is a run whose system is what the
shards answered (``stored_system.py``): ``gate.run`` does the rest, as of any run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from mt_gate import gate
from mt_gate.base import files
from mt_gate.base.console import Say
from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import scratch
from mt_gate.baselines.recording import check_missing
from mt_gate.baselines.schema import BaselineSource
from mt_gate.relations.base import Context
from mt_gate.results.out_folder import SHARD, check_writable, reserved
from mt_gate.results.result import TOOL, CheckpointHead, Runtime, short_fingerprint
from mt_gate.results.rows import Run
from mt_gate.results.store import shown
from mt_gate.running.predicting import Cache, chunks, unpacked
from mt_gate.running.preparing import Given, LoadedSuite, load_suite
from mt_gate.settings.loading import AGAINST, config_path, merged, read_file
from mt_gate.settings.record import DECIDING, SETTINGS, Settings, dashed
from mt_gate.settings.values import checked
from mt_gate.sharding.answering import ASKED, asked_by
from mt_gate.sharding.folder import Shard, read_answers, read_shard
from mt_gate.sharding.stored_system import StoredSystem
from mt_gate.sut.protocol import Noise, Prediction

JUDGING = ("suite", "baseline", "out", "labels", "record_missing", "mask_offensive", *DECIDING)
"""Settings of the merging run: what judges and shows, and where suite and labels lie there."""
_AT_ONCE = 1 << 12
"""Answers that are read together."""
_MACHINE = {"cpu": "", "cpu_features": (), "threads": 0}
"""What shards may have been computed on: noise is measured between such machines."""


class Shards(NamedTuple):
    """All shards of a run, in their order, each with its folder; they belong together."""

    folders: tuple[Path, ...]
    heads: tuple[Shard, ...]

    @property
    def first(self) -> Shard:
        """The first one; what all have alike is read of it."""
        return self.heads[0]


def merge(
    folders: Sequence[Path], given: Mapping[str, Any], config: Path | None, say: Say
) -> tuple[Settings, Run]:
    """Judge the run that these shards are of, and write what it would have written.

    Args:
        folders: of all shards, in any order.
        given: what the command line says of ``JUDGING``, by setting's name.
        config: a settings file that must be there; None for ``mt-gate.toml`` if it is.
        say: called with each line that the user should see at once.

    Raises:
        UsageError: a setting outside what is allowed, or ``out`` is the folder of a shard.
        CannotJudge: a shard is missing, twice, unfinished, changed, or of another run; suite,
            labels or baseline are not those that the shards were asked.
    """
    path = config_path(config)
    stored = read_file(path) if path else {}
    out = Path(given.get("out") or stored.get("out") or SETTINGS["out"].default)
    check_no_shard_folder(out, folders)
    check_missing(*(given.get(name) or stored.get(name) for name in ("record_missing", "baseline")))
    check_writable(out)
    with reserved(out):
        shards = read_shards(folders)
        settings = _settings(shards, given, stored, path)
        run = judged(shards, settings, say, BaselineSource(), holds_out=True)
    return settings, run


def check_no_shard_folder(out: Path, folders: Sequence[Path]) -> None:
    """Raise UsageError where the result would go into the folder of a shard, named or not."""
    named = any(os.path.realpath(folder) == os.path.realpath(out) for folder in folders)
    if named or os.path.lexists(out / SHARD):
        raise UsageError(f"--out {out}: the folder of a shard; name another for the result")


def shard_folders(within: str, settings: Settings) -> list[Path]:
    """Return the folders in a folder, as shards of a run are fetched into one; none for none.

    Args:
        within: the folder's name; empty where no shards are meant.
        settings: of the run, whose own folder must be another.

    Raises:
        UsageError: it has no folders, asks for two runs, or the result would go into one of them.
    """
    if not within:
        return []
    if settings.against:
        raise UsageError("merge: shards are of one run, and are judged by a baseline; omit against")
    try:
        found = sorted(path for path in Path(within).iterdir() if path.is_dir())
    except OSError as error:
        raise UsageError(
            f"merge is {quoted(within)}: {error.strerror}; expected the folder that holds those "
            "of the shards"
        ) from None
    if not found:
        raise UsageError(
            f"merge is {quoted(within)}: no folders in it; expected those of all shards"
        )
    check_no_shard_folder(settings.out, [Path(within), *found])
    return found


def judged(
    shards: Shards,
    settings: Settings,
    say: Say,
    source: BaselineSource,
    *,
    holds_out: bool = False,
    options: Mapping[str, str] | None = None,
) -> Run:
    """Judge what shards answered, and write the five files.

    Args:
        shards: all of a run.
        settings: of the run.
        say: called with each line that the user should see at once.
        source: the baseline as read from elsewhere; empty for its file.
        holds_out: whether the caller has reserved the folder of reports.
        options: that the result keeps; None for those of the first shard.

    Raises:
        CannotJudge: suite, labels or baseline are not those that the shards were asked.
    """
    _check_questions(shards, settings)
    loaded = load_suite(settings)
    _check_suite(shards, loaded)
    _check_labels(shards, settings)
    stored = _answers(shards)
    first = shards.first
    system = StoredSystem(_head(shards), _noise(shards), stored.answers)
    context = Context(first.ontology, first.reads_types, frozenset(first.labels))
    answering = system, context
    with scratch() as folder:
        # What no shard had to ask counts as known before, as it would have in one run.
        with closing(Cache(folder, system.cache_key)) as cache:
            for some in chunks(stored.unasked(), _AT_ONCE):
                cache.put(some)
        settings = replace(settings, cache=folder)
        kept = first.options if options is None else options
        given = Given(loaded, answering, holds_out, options=kept)
        return shown(
            shards.folders[0], lambda: gate.run(settings, say, lambda *_: None, source, given)
        )


def read_shards(folders: Sequence[Path]) -> Shards:
    """Read the heads of shards, and check that they are all of one run.

    Raises:
        CannotJudge: they are not.
    """
    found: dict[int, tuple[Path, Shard]] = {}
    first: tuple[Path, Shard] | None = None
    for folder in folders:
        shard = read_shard(folder)
        first = first or (folder, shard)
        for what, here, there in _apart(shard, first[1]):
            raise CannotJudge(
                f"{folder}: shard {shard.part} has {what} {here}, that of {first[0]} has {there}; "
                "expected shards of one run; run them with the same suite, checkpoint and settings"
            )
        if shard.shard in found:
            raise CannotJudge(
                f"{folder}: shard {shard.part}, as is {found[shard.shard][0]}; expected each shard "
                "once; omit one"
            )
        found[shard.shard] = folder, shard
    if first is None:
        raise UsageError("no shard is named; name the folders of all shards of a run")
    missing = [str(n) for n in range(1, first[1].shards + 1) if n not in found]
    if missing:
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        shards = "shard" if len(missing) == 1 else "shards"
        raise CannotJudge(
            f"{shards} {', '.join(missing[:10])}{more} missing, of {first[1].shards}; "
            "expected all; run what is missing, and name the folders of all"
        )
    if first[1].tool != TOOL:
        tool = first[1].tool
        raise CannotJudge(
            f"{first[0]}: asked by {tool.name} {quoted(tool.version)}, this is {TOOL.version}; "
            "merge with the version that ran the shards, or run them again"
        )
    ordered = [found[number] for number in sorted(found)]
    return Shards(tuple(one for one, _ in ordered), tuple(one for _, one in ordered))


def _apart(one: Shard, other: Shard) -> Iterator[tuple[str, str, str]]:
    """Yield what sets two shards apart that should be of one run, and how each has it."""
    heads = _plain(one.checkpoint), _plain(other.checkpoint)
    for name, values in (
        ("a number of shards of", (one.shards, other.shards)),
        ("mt-gate version", (one.tool.version, other.tool.version)),
        # Before what hangs on them: part of the suite, fingerprint.
        *(
            (dashed(name), (one.asked.get(name), other.asked.get(name)))
            for name in sorted({*one.asked, *other.asked})
        ),
        (
            "suite",
            tuple(f"{s.name} {s.version} ({s.sha256[:12]})" for s in (one.suite, other.suite)),
        ),
        ("part of the suite", (one.suite.part, other.suite.part)),
        ("checkpoint", tuple(head.name for head in heads)),
        ("fingerprint", tuple(short_fingerprint(head.fingerprint, 12) for head in heads)),
        ("label map and thresholds", tuple(head.reading for head in heads)),
        *(
            (name, tuple(getattr(head.runtime, name) for head in heads))
            for name in ("provider", "precision", "device", "onnxruntime", "integers")
        ),
        ("labelled inputs", (one.labels_sha256[:12], other.labels_sha256[:12])),
        ("system", (one.system_sha256[:12], other.system_sha256[:12])),
        ("ontology", tuple(s.ontology.digest[:12] if s.ontology else "" for s in (one, other))),
        ("reading", (one.reads_types, other.reads_types)),
    ):
        if values[0] != values[1]:
            yield name, _shown(values[0]), _shown(values[1])
    if (one.suite, heads[0], one.ontology) != (other.suite, heads[1], other.ontology):
        yield "other figures of suite or checkpoint", "in its head", "others"


def _plain(head: CheckpointHead) -> CheckpointHead:
    """Return who answered, without what it was computed on."""
    return replace(head, runtime=replace(head.runtime, **_MACHINE))


def _shown(value: object) -> str:
    return quoted(value) if value or value == 0 else "none"


def _settings(
    shards: Shards, given: Mapping[str, Any], stored: Mapping[str, Any], path: Path | None
) -> Settings:
    """Return the settings of the whole run: what the shards were asked, what judges it as given."""
    first = shards.first
    asked = {
        name: checked(f"{shards.folders[0]}: {dashed(name)}", name, value)
        for name, value in first.asked.items()
        if name in ASKED
    }
    named = bool(given.get("labels") or stored.get("labels"))
    of_shards = {
        **asked,
        "suite": first.suite_named,
        **({} if named else _labels_named(shards)),
        # Who answered is not asked again: of it the name alone is left.
        "checkpoint": first.checkpoint.name,
    }
    if stored.get(AGAINST):
        raise UsageError(
            f"{path}: against; shards are of one run, and are judged by a baseline; omit it there"
        )
    kept = {name: stored[name] for name in (*ASKED, *JUDGING) if name in stored}
    return merged(given, {**of_shards, **kept}, path or Path("mt-gate.toml"))


def _labels_named(shards: Shards) -> dict[str, Path]:
    """Return the labelled file that shards name, if any: one below the working folder.

    Shards may come from a stranger: no message says anything about other files of the machine.
    """
    named = shards.first.labels_named
    if not named:
        return {}
    if not files.is_within(Path(named), Path.cwd()):
        raise CannotJudge(
            f"{shards.folders[0]}: labels {quoted(named)} are outside the working folder, and only "
            "the shard names them; name the file yourself with --labels"
        )
    return {"labels": Path(named)}


def _check_questions(shards: Shards, settings: Settings) -> None:
    """Check that what is to be judged is what the shards were asked."""
    asked, wanted = shards.first.asked, asked_by(settings)
    for name in ASKED:
        if asked.get(name) != wanted.get(name):
            raise CannotJudge(
                f"{dashed(name)} is {_shown(wanted.get(name))} here, the shards were asked with "
                f"{_shown(asked.get(name))}; expected the same; give it as the shards were given it"
            )


def _check_suite(shards: Shards, loaded: LoadedSuite) -> None:
    first = shards.first
    found = loaded.suite.under(first.ontology).identity
    if found != first.suite:
        raise CannotJudge(
            f"suite {found.name} {found.version} ({found.sha256[:12]}): the shards were asked "
            f"{first.suite.name} {first.suite.version} ({first.suite.sha256[:12]}), named "
            f"{quoted(first.suite_named, 200)}; name that one with --suite, or run the shards again"
        )


def _check_labels(shards: Shards, settings: Settings) -> None:
    asked, path = shards.first.labels_sha256, settings.labels
    if path is None:
        if asked:
            raise CannotJudge(
                "labels: the shards were asked labelled inputs, and none are named here; give the "
                "file as the shards were given it"
            )
        return
    if not asked:
        raise CannotJudge(
            f"--labels {path}: the shards were asked no labelled inputs; omit it, or run them with "
            "it"
        )
    if not path.is_file():
        raise CannotJudge(f"--labels {path}: no such file; name the one that the shards were given")
    if files.digest(path, cause="name the file that the shards were given") != asked:
        raise CannotJudge(
            f"--labels {path}: another file, the shards were asked those of sha256 {asked[:12]}; "
            "name that file"
        )


class _Stored(NamedTuple):
    """All answers of shards as text, by key, and the keys of those that one had to ask."""

    answers: dict[bytes, bytes]
    asked: set[bytes]

    def unasked(self) -> Iterator[tuple[bytes, Prediction]]:
        """Yield the answers that no shard had to ask for."""
        for key, text in self.answers.items():
            if key not in self.asked:
                yield key, unpacked(text)


def _answers(shards: Shards) -> _Stored:
    """Return all answers; an input that two shards share has the answer of the first."""
    stored = _Stored({}, set())
    for folder, shard in zip(shards.folders, shards.heads, strict=True):
        for answer in read_answers(folder, shard):
            stored.answers.setdefault(answer.key, answer.packed)
            if answer.asked:
                stored.asked.add(answer.key)
    return stored


def _noise(shards: Shards) -> Noise:
    """Return the largest noise that a shard measured, by what moves scores."""
    ways = dict.fromkeys(way for shard in shards.heads for way in shard.noise)
    return {way: max(shard.noise.get(way, 0.0) for shard in shards.heads) for way in ways}


def _head(shards: Shards) -> CheckpointHead:
    """Return who answered; of several machines all CPUs, and nothing that they have not alike."""
    head = shards.first.checkpoint
    runtimes = [shard.checkpoint.runtime for shard in shards.heads]
    return replace(head, runtime=_of_all(runtimes))


def _of_all(runtimes: Sequence[Runtime]) -> Runtime:
    first = runtimes[0]
    features = {runtime.cpu_features for runtime in runtimes}
    threads = {runtime.threads for runtime in runtimes}
    return replace(
        first,
        cpu="; ".join(dict.fromkeys(runtime.cpu for runtime in runtimes))[:1000],
        cpu_features=first.cpu_features if len(features) == 1 else (),
        threads=first.threads if len(threads) == 1 else 0,
    )
