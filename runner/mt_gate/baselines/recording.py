"""Recording: a baseline and what its checkpoint answered, two files that belong together."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from mt_gate.base.errors import UsageError
from mt_gate.base.jsonio import replacing, write_gzip_lines
from mt_gate.baselines.outputs import answer_lines, answers_path
from mt_gate.baselines.store import Baseline, format_baseline, sync_folder, write_baseline
from mt_gate.results.result import GroupRow


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
    answers = answers_path(path)
    try:
        with replacing(path) as new_baseline, replacing(answers) as new_answers:
            digest = write_gzip_lines(new_answers, answer_lines(baseline, rows))
            named = msgspec.structs.replace(baseline, answers_sha256=digest)
            new_baseline.write_bytes(format_baseline(named).encode())
            _synced(new_baseline)
        sync_folder(path.parent)
    except OSError as error:
        raise _refused(path, answers, error) from error


def record_alone(path: Path, baseline: Baseline) -> None:
    """Write a baseline without answers; those that an older one left beside it are removed.

    Raises:
        UsageError: the file system refused.
    """
    write_baseline(path, baseline)
    answers = answers_path(path)
    try:
        answers.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{answers}: could not be removed ({error.strerror}); it is not of the baseline that "
            "was recorded, remove it by hand"
        ) from error


def _synced(path: Path) -> None:
    """Bring a file to the disk now, before the other of the pair takes its name."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _refused(path: Path, answers: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{path} and {answers.name}: could not be written ({error.strerror}); expected a folder "
        "with room that this user may write to; record them again"
    )
