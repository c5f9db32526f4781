"""Runs that are killed before each thing they do to a folder, one after another.

    python killing.py CHECKPOINT SUITE FOLDER

Prints a JSON line for each folder that a run is killed over: what a later command makes of it after
each kill. A run is a fork of this process, which has imported all there is to import, and ends by
SIGKILL before it opens a file to write, renames, removes or makes one there: no clean-up runs.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mt_gate import gate
from mt_gate.base.errors import CannotJudge
from mt_gate.results.store import RESULT, read_result, read_rows
from mt_gate.settings.record import Settings
from mt_gate.stored_results import compare_stored, record_stored, report_text

_EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def killed(work: Callable[[], object], folder: Path, point: int) -> bool:
    """Do the work in a process that is killed at its ``point``-th deed; say whether it was."""
    child = os.fork()
    if not child:
        deeds = itertools.count()

        def watch(event: str, arguments: tuple[Any, ...]) -> None:
            writes = event == "open" and (arguments[2] or 0) & _WRITING
            ours = (writes or event in _EVENTS) and str(folder) in str(arguments[0])
            if ours and next(deeds) == point:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        raise SystemExit(f"the run failed at {point}")
    return os.WIFSIGNALED(status)


def seen(out: Path, baseline: Path) -> str:
    """Return the id of the run that later commands take the folder for, or that they refuse it."""
    path = out / RESULT
    try:
        result = read_result(path)
        rows = [*read_rows(path, result)]
        report_text(path, "junit")
        compare_stored(path, baseline, None, {})
        record_stored([path], "again", baseline.parent, None)
    except CannotJudge:
        return "refused"
    assert rows
    assert result.run is not None
    return result.run.id


def after_each(
    work: Callable[[], object], old: Path | None, out: Path, baseline: Path, points: range
) -> list[str]:
    """Return what is seen after a kill at each point, and last after no kill at all."""
    result = []
    for point in points:
        shutil.rmtree(out, ignore_errors=True)
        if old:
            shutil.copytree(old, out)
        ended = not killed(work, out, point)
        result.append(seen(out, baseline))
        if ended:
            return result
    raise AssertionError


def main() -> None:
    checkpoint, suite, place = sys.argv[1:]
    folder = Path(place)
    out, old, baseline = folder / "out", folder / "old", folder / "b" / "ner.json"

    def run(into: Path, by: Path | None = None) -> None:
        settings = Settings(
            checkpoint=checkpoint, task="ner", suite=suite, out=into, baseline=by,
            cache=folder / "cache", device="cpu",
        )  # fmt: skip
        gate.run(settings, lambda _: None, lambda *_: None)

    def compare() -> None:
        compare_stored(out / RESULT, baseline, out, {})

    # Not in this process: threads of a session would not be there after a fork.
    assert not killed(lambda: run(old), old, -1)
    record_stored([old / RESULT], "ner", baseline.parent, None)
    stories = {
        "run into a new folder": after_each(
            lambda: run(out, baseline), None, out, baseline, range(0, 999, 3)
        ),
        "run over an old one": after_each(
            lambda: run(out, baseline), old, out, baseline, range(0, 999, 2)
        ),
        "compare into its own": after_each(compare, old, out, baseline, range(999)),
    }
    json.dump({"old": read_result(old / RESULT).run.id, **stories}, sys.stdout)


if __name__ == "__main__":
    main()
