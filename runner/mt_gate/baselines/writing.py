"""Making a baseline of a run and writing it, whole or not at all.

Its text has one id a line, so that a review shows which groups moved. What its system answered is
kept in a second file (``outputs``); the two belong together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from mt_gate.base.errors import UsageError
from mt_gate.base.jsonio import replacing, write_gzip_lines, write_whole
from mt_gate.base.redaction import hide_bytes
from mt_gate.baselines.outputs import output_lines, outputs_path
from mt_gate.baselines.reading import consistent, decoded
from mt_gate.baselines.schema import (
    FORMAT,
    Baseline,
    BaselineRelation,
    check_name,
    digest_of,
    relation_of,
)
from mt_gate.judging.verdicts import RelationVerdicts, verdicts_from_rows
from mt_gate.results.result import GateVerdict, GroupRow, Result, is_loss


def check_recordable(result: Result, accept: str | None) -> None:
    """Refuse to record a bad or partial run that nobody has accepted.

    Raises:
        UsageError: the run needs ``--accept`` and a reason, and has none.
    """
    if accept is not None and not accept.strip():
        raise UsageError('--accept: the reason is empty, expected a sentence; --accept "reason"')
    if accept is not None:
        return
    advice = 'record it anyway with --accept "reason"'
    if is_loss(result.verdict) or result.verdict is GateVerdict.CANNOT_JUDGE:
        raise UsageError(f"the run's verdict is {result.verdict.value}; {advice}")
    if not result.settings.complete:
        raise UsageError(f"the run is partial, it ran only a part of the suite; {advice}")


def build_baseline(
    result: Result,
    rows: Iterable[GroupRow],
    name: str,
    recorded: str,
    accept: str | None = None,
) -> Baseline:
    """Make a baseline of a run.

    Args:
        result: of the run.
        rows: its groups, which are those that it counts.
        name: of the file, without folder and ending.
        recorded: now, UTC in ISO 8601.
        accept: why this run is good enough, see ``check_recordable``.

    Raises:
        UsageError: the name cannot be a file's name.
        CannotJudge: a group appears twice, or the baseline could not be read again.
    """
    verdicts = verdicts_from_rows(rows)
    baseline = Baseline(
        format=FORMAT,
        tool=result.tool,
        name=check_name(name),
        recorded=recorded,
        accept=accept,
        suite=result.suite,
        checkpoint=result.checkpoint,
        settings=result.settings,
        profile=result.profile.candidate,
        relations=tuple(
            relation_of(verdicts.get(relation.id, RelationVerdicts(id=relation.id)))
            for relation in result.relations
        ),
    )
    # Recorded is only what can be read again: an id too long is told now, not next week.
    # Of a path the undecodable bytes; secrets go before the digest is taken.
    text = hide_bytes(_text(baseline).encode("utf-8", "replace"))
    return consistent(decoded(text, f"baseline {name}"), f"baseline {name}")


def record_pair(path: Path, baseline: Baseline, rows: Iterable[GroupRow]) -> None:
    """Write a baseline, and the answers of its run beside it.

    Both are on the disk before one has its name. The answers get theirs first: a kill between
    the two leaves the old baseline, which then tells that these answers are not its own.

    Args:
        path: of the baseline's file.
        baseline: of the run; the digest of the answers is put into it.
        rows: the run's groups.

    Raises:
        UsageError: the file system refused; the old baseline is as it was.
    """
    outputs = outputs_path(path)
    try:
        with replacing(path) as new_baseline, replacing(outputs) as new_outputs:
            digest = write_gzip_lines(new_outputs, output_lines(baseline, rows))
            named = msgspec.structs.replace(baseline, answers_sha256=digest)
            new_baseline.write_bytes(format_baseline(named).encode())
            _synced(new_baseline)
        _sync_folder(path.parent)
    except OSError as error:
        raise _refused(path, outputs, error) from error


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


def format_baseline(baseline: Baseline) -> str:
    """Return the file's text: keys in one order, an id a line, the same every time."""
    return _text(msgspec.structs.replace(baseline, sha256=digest_of(baseline)))


def _text(baseline: Baseline) -> str:
    fields = [
        _field("format", baseline.format),
        *([_field("sha256", baseline.sha256)] if baseline.sha256 else []),
        _field("tool", baseline.tool),
        _field("name", baseline.name),
        _field("recorded", baseline.recorded),
        *([] if baseline.accept is None else [_field("accept", baseline.accept)]),
        _field("suite", baseline.suite),
        _field("checkpoint", baseline.checkpoint),
        _field("settings", baseline.settings),
        _field("profile", dict(sorted(baseline.profile.items()))),
        *([_field("answers_sha256", baseline.answers_sha256)] if baseline.answers_sha256 else []),
    ]
    relations = ",\n".join(map(_format_relation, baseline.relations))
    return "{\n" + ",\n".join(fields) + ',\n"relations": [' + relations + "]\n}\n"


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
    return "{\n" + ",\n".join(fields) + "\n}"


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
