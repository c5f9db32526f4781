"""Making a baseline of runs and writing it, whole or not at all.

Its text has one id a line, so that a review shows which groups moved. What the system of its first
run answered is kept in a second file (``outputs``); the two belong together.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base.errors import UsageError
from mt_gate.base.jsonio import replacing, write_gzip_lines, write_whole
from mt_gate.base.redaction import hide_bytes, watching
from mt_gate.baselines.outputs import OutputsFault, check_readable, output_lines, outputs_path
from mt_gate.baselines.schema import (
    FORMAT,
    Anchor,
    Baseline,
    BaselineRelation,
    BaselineRun,
    BaselineSource,
    check,
    check_name,
    decode,
    digest_of,
    relation_of,
)
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.results.result import GroupRow, LabelledAnswers, Result


class RunToRecord(NamedTuple):
    """A run's result, and the verdicts on its groups, which are those that it counts."""

    result: Result
    verdicts: RunVerdicts


def build_baseline(
    runs: Sequence[RunToRecord], name: str, accept: str | None = None, anchor: Anchor | None = None
) -> Baseline:
    """Make a baseline of runs that belong together, see ``recording.check_together``.

    Args:
        runs: at least one; the first is the one that is shown.
        name: of the file, without folder and ending.
        accept: why these runs are good enough, see ``recording.check_recordable``.
        anchor: which the runs after it are told against, too.

    Raises:
        UsageError: the name cannot be a file's name.
        CannotJudge: the baseline could not be read again.
    """
    first = runs[0].result
    baseline = Baseline(
        format=FORMAT,
        tool=first.tool,
        name=check_name(name),
        recorded=max(run.result.created for run in runs),
        accept=accept,
        suite=first.suite,
        settings=msgspec.structs.replace(
            first.settings, noise=max(run.result.settings.noise for run in runs)
        ),
        runs=tuple(_run(*run) for run in runs),
        anchor=anchor,
    )
    # Recorded is only what can be read again: an id too long is told now, not next week.
    # Of a path the undecodable bytes; secrets go before the digest is taken.
    text = hide_bytes(_text(baseline)) if watching() else _text(baseline)
    return check(decode(text, f"baseline {name}"), f"baseline {name}")


def _run(result: Result, verdicts: RunVerdicts) -> BaselineRun:
    return BaselineRun(
        id=result.run.id if result.run else "",
        created=result.created,
        checkpoint=result.checkpoint,
        profile=result.profile.candidate,
        labelled=result.labelled,
        relations=tuple(
            relation_of(verdicts.get(relation.id, RelationVerdicts(id=relation.id)))
            for relation in result.relations
        ),
    )


def record_pair(path: Path, baseline: Baseline, rows: Iterable[GroupRow]) -> str:
    """Write a baseline, and the answers of its first run beside it.

    Both are on the disk before one has its name. The answers get theirs first: a kill between
    the two leaves the old baseline, which then tells that these answers are not its own.

    Args:
        path: of the baseline's file.
        baseline: the digest of the answers is put into it.
        rows: the groups of its first run.

    Returns:
        Why the baseline was written alone, where there are more answers than can be read; else
        nothing.

    Raises:
        UsageError: the file system refused; the old baseline is as it was.
    """
    outputs = outputs_path(path)
    try:
        with replacing(path) as new_baseline, replacing(outputs) as new_outputs:
            digest = write_gzip_lines(new_outputs, output_lines(baseline, rows))
            check_readable(packed=new_outputs.stat().st_size)
            named = msgspec.structs.replace(baseline, answers_sha256=digest)
            new_baseline.write_bytes(format_baseline(named))
            _synced(new_baseline)
        _sync_folder(path.parent)
    except OutputsFault as fault:
        record_alone(path, baseline)
        return f"answers are not kept, and reports will not show them: {outputs.name} {fault}"
    except OSError as error:
        raise _refused(path, outputs, error) from error
    return ""


def in_memory(baseline: Baseline, rows: Iterable[GroupRow], against: str) -> BaselineSource:
    """Return what the files of a baseline would hold, without writing any.

    Its answers are included, where there are no more than can be read.

    Args:
        baseline: of one run.
        rows: the groups of that run.
        against: what was run.
    """
    try:
        text = b"".join(line + b"\n" for line in output_lines(baseline, rows))
        outputs = gzip.compress(text, 1, mtime=0)
        check_readable(packed=len(outputs))
    except OutputsFault:
        return BaselineSource(data=format_baseline(baseline), against=against)
    named = msgspec.structs.replace(baseline, answers_sha256=hashlib.sha256(text).hexdigest())
    data = format_baseline(named)
    return BaselineSource(data=data, outputs=outputs, against=against)


def record_alone(path: Path, baseline: Baseline) -> None:
    """Write a baseline without answers; those that an older one left beside it are removed.

    Raises:
        UsageError: the file system refused.
    """
    write_baseline(path, baseline)
    outputs = outputs_path(path)
    try:
        outputs.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{outputs}: could not be removed ({error.strerror}); it is not of the baseline that "
            "was recorded, remove it by hand"
        ) from error


def write_baseline(path: str | Path, baseline: Baseline) -> None:
    """Write a baseline, whole or not at all.

    Raises:
        UsageError: the file system refused; the old file is as it was.
    """
    try:
        write_whole(Path(path), format_baseline(baseline))
        _sync_folder(Path(path).parent)
    except OSError as error:
        raise UsageError(
            f"{path}: could not be written ({error.strerror}), nothing was changed; expected a "
            "folder with free space that this user may write to"
        ) from error


def format_baseline(baseline: Baseline) -> bytes:
    """Return the file's text, in the newest format: an id a line, the same every time."""
    newest = msgspec.structs.replace(baseline, format=FORMAT, sha256="")
    return _text(msgspec.structs.replace(newest, sha256=digest_of(_text(newest))))


def _text(baseline: Baseline) -> bytes:
    fields = [
        _field("format", baseline.format),
        *([_field("sha256", baseline.sha256)] if baseline.sha256 else []),
        _field("tool", baseline.tool),
        _field("name", baseline.name),
        _field("recorded", baseline.recorded),
        *([] if baseline.accept is None else [_field("accept", baseline.accept)]),
        _field("suite", baseline.suite),
        _field("settings", baseline.settings),
        *([_field("answers_sha256", baseline.answers_sha256)] if baseline.answers_sha256 else []),
        _runs(baseline.runs),
    ]
    if (anchor := baseline.anchor) is not None:
        parts = (_field("name", anchor.name), _field("recorded", anchor.recorded))
        fields.append(f'"anchor": {_object([*parts, _runs(anchor.runs)])}')
    # "replace": of a path what UTF-8 has no bytes for.
    return f"{_object(fields)}\n".encode("utf-8", "replace")


def _runs(runs: Iterable[BaselineRun]) -> str:
    return '"runs": [' + ",\n".join(map(_format_run, runs)) + "]"


def _format_run(run: BaselineRun) -> str:
    relations = ",\n".join(map(_format_relation, run.relations))
    fields = [
        *([_field("id", run.id)] if run.id else []),
        _field("created", run.created),
        _field("checkpoint", run.checkpoint),
        _field("profile", dict(sorted(run.profile.items()))),
        *([f'"labelled": {_labelled(run.labelled)}'] if run.labelled else []),
        f'"relations": [{relations}]',
    ]
    return _object(fields)


def _labelled(found: LabelledAnswers) -> str:
    """Return which labelled inputs were wrong, in one line: numbers of which none is looked at."""
    return _json(msgspec.to_builtins(found))


def _object(fields: Iterable[str]) -> str:
    return "{\n" + ",\n".join(fields) + "\n}"


def _field(name: str, value: object) -> str:
    return f"{_json(name)}: {json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=1)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _format_relation(relation: BaselineRelation) -> str:
    fields = [
        _field("id", relation.id),
        _field("bound", relation.bound),
        _field("groups", relation.groups),
        _field("applicable", relation.applicable),
        _field("violated", relation.violated),
        f'"not_applicable": {_json(dict(sorted(relation.not_applicable.items())))}',
    ]
    if relation.bound:
        lines = [f"{_json(key)}: {_json(value)}" for key, value in sorted(relation.sources.items())]
        fields.append(f'"sources": {_block("{", lines, "}")}')
    else:
        by_reason = sorted(relation.not_applicable_groups.items())
        lists = [f"{_json(reason)}: {_id_lines(ids)}" for reason, ids in by_reason]
        fields.append(f'"violated_groups": {_id_lines(relation.violated_groups)}')
        fields.append(f'"satisfied_groups": {_id_lines(relation.satisfied_groups)}')
        fields.append(f'"not_applicable_groups": {_block("{", lists, "}")}')
    if relation.unstable_groups is not None:
        fields.append(f'"unstable_groups": {_id_lines(relation.unstable_groups)}')
    if relation.silent_sources is not None:
        fields.append(f'"silent_sources": {_id_lines(relation.silent_sources)}')
    return _object(fields)


def _id_lines(ids: Iterable[str]) -> str:
    return _block("[", list(map(_json, ids)), "]")


def _block(opening: str, lines: list[str], closing: str) -> str:
    """Return an array or object with an entry a line."""
    return f"{opening}\n" + ",\n".join(lines) + f"\n{closing}" if lines else opening + closing


def _synced(path: Path) -> None:
    """Bring a file to the disk now, before the other of the pair takes its name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Make the rename last through a power cut, where folders can be synced."""
    # Windows and some network folders refuse; the file is in place all the same.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refused(path: Path, outputs: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{path} and {outputs.name}: could not be written ({error.strerror}); expected a folder "
        "with free space that this user may write to; record them again"
    )
