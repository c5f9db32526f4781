"""Build a baseline from runs and write it, completely or not at all.

Its text has one id per line, so that a review shows which cases changed. The predictions of its
first run are in a second file (``outputs``).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base.errors import UsageError
from mt_gate.base.escaping import hide_bytes
from mt_gate.base.files import replacing, write_gzip_lines, write_whole
from mt_gate.baselines.outputs import OutputsFault, check_readable, output_lines, outputs_path
from mt_gate.baselines.schema import (
    FORMAT,
    Anchor,
    Baseline,
    BaselineRun,
    BaselineSource,
    check_name,
    digest_of,
    parse_baseline,
    relation_of,
)
from mt_gate.judging.verdicts import RelationVerdicts, RunVerdicts
from mt_gate.results.result import GroupRow, Result


class RunToRecord(NamedTuple):
    """A run's result, and the verdicts on its cases."""

    result: Result
    verdicts: RunVerdicts


def build_baseline(
    runs: Sequence[RunToRecord], name: str, accept: str | None = None, anchor: Anchor | None = None
) -> Baseline:
    """Make a baseline of runs that belong together, see ``recording.check_together``.

    Reports show the first run. ``accept`` is the reason to record these runs. Raises UsageError:
    the name cannot be a file's name. CannotJudge: the baseline could not be read again.
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
        runs=tuple(
            BaselineRun(
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
            for result, verdicts in runs
        ),
        anchor=anchor,
    )
    # Read it back before writing, so that an id that is too long fails now, not in a later run.
    # Hide secrets, and replace undecodable bytes of paths, before the digest is computed.
    return parse_baseline(hide_bytes(_text(baseline)), f"baseline {name}", sealed=False)


def record_pair(path: Path, baseline: Baseline, rows: Iterable[GroupRow]) -> str:
    """Write a baseline, and the predictions of its first run, whose cases are ``rows``.

    Write both to the disk before renaming either; rename the predictions first. If the process
    is killed in between, the old baseline's digest rejects the new predictions. If there are too
    many predictions to read, write the baseline alone and return why; else return an empty text.

    Raises UsageError: a file cannot be written; the old baseline is unchanged.
    """
    outputs = outputs_path(path)
    try:
        with replacing(path) as new_baseline, replacing(outputs) as new_outputs:
            digest = write_gzip_lines(new_outputs, output_lines(baseline, rows))
            check_readable(packed=new_outputs.stat().st_size)
            named = msgspec.structs.replace(baseline, answers_sha256=digest)
            new_baseline.write_bytes(format_baseline(named))
            with new_baseline.open("rb") as file:
                os.fsync(file.fileno())
        _sync_folder(path.parent)
    except OutputsFault as fault:
        record_alone(path, baseline)
        return f"Predictions were not stored, so reports cannot show them: {outputs.name} {fault}."
    except OSError as error:
        raise UsageError(
            f"{path} and {outputs.name} could not be written ({error.strerror}). Check free "
            "space and permissions of the folder, then record again."
        ) from error
    return ""


def in_memory(baseline: Baseline, rows: Iterable[GroupRow], against: str) -> BaselineSource:
    """Return a baseline of one run as the content of its files, without writing them.

    Predictions are included unless there are too many to read. ``against`` names the base.
    """
    try:
        text = b"".join(line + b"\n" for line in output_lines(baseline, rows))
        outputs = gzip.compress(text, 1, mtime=0)
        check_readable(packed=len(outputs))
    except OutputsFault:
        return BaselineSource(data=format_baseline(baseline), against=against)
    named = msgspec.structs.replace(baseline, answers_sha256=hashlib.sha256(text).hexdigest())
    return BaselineSource(data=format_baseline(named), outputs=outputs, against=against)


def record_alone(path: Path, baseline: Baseline) -> None:
    """Write a baseline without predictions, and remove those of an older one.

    Raises UsageError: a file cannot be written or removed.
    """
    write_baseline(path, baseline)
    outputs = outputs_path(path)
    try:
        outputs.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{outputs} could not be removed ({error.strerror}). It does not belong to the new "
            "baseline: remove it by hand."
        ) from error


def write_baseline(path: str | Path, baseline: Baseline) -> None:
    """Write a baseline, whole or not at all.

    Raises UsageError: the file cannot be written; the old one is unchanged.
    """
    try:
        write_whole(Path(path), format_baseline(baseline))
        _sync_folder(Path(path).parent)
    except OSError as error:
        raise UsageError(
            f"{path} could not be written ({error.strerror}). Nothing was changed. Check free "
            "space and permissions of the folder."
        ) from error


def format_baseline(baseline: Baseline) -> bytes:
    """Return a baseline file's text: one id per line, the same for the same baseline."""
    newest = msgspec.structs.replace(baseline, format=FORMAT, sha256="")
    return _text(msgspec.structs.replace(newest, sha256=digest_of(_text(newest))))


_COUNTS = re.compile(r"\[\n\d+,\n\[[^\[\]]*\]\n\]|\[\n\d+(?:,\n\d+)*\n\]")
"""Matches the verdict of a source, or a list of whole numbers; each goes on one line."""


def _text(baseline: Baseline) -> bytes:
    fields = msgspec.to_builtins(baseline, order="deterministic")
    lines = json.dumps(fields, ensure_ascii=False, indent=0)
    text = _COUNTS.sub(lambda match: match[0].replace(",\n", ", ").replace("\n", ""), lines)
    # "replace" is for undecodable bytes of paths, which UTF-8 cannot encode.
    return f"{text}\n".encode("utf-8", "replace")


def _sync_folder(folder: Path) -> None:
    # Make the rename survive a power cut. Windows and some network folders cannot do that, but the
    # file is written anyway.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
