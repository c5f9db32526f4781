"""A small run with all that it needs and leaves, for what is done to runs by the hundred.

The demo's checkpoints of task ner on a part of their suite: an old result, a baseline of it, the
two shards of the candidate's run. One run takes a second or two of a processor.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from forked_commands import Ended, done, shows_traceback
from mt_gate.base.errors import CannotJudge, MtGateError
from mt_gate.baselines.schema import read_baseline
from mt_gate.demo import CHECKPOINTS
from mt_gate.results.result import Result
from mt_gate.results.store import RESULT, read_result, read_rows
from mt_gate.stored_results import compare_stored, report_text
from mt_gate.sut.card import DRAFT

SOURCES = 40
"""Sources that a run takes from the suite: some 50 cases."""
OLD, NEW = "ner-baseline", "ner-candidate"
SHARDS = 2
CODES = (0, 1)
"""Exit codes of commands that have judged."""
REFUSED = (2, 3)


class SmallRuns:
    """A folder of what every trial starts from, ``kept``, and one that trials ``work`` in."""

    def __init__(self, place: Path) -> None:
        """Make what is kept: all commands run to their end once."""
        self.place, self.kept = place, place / "kept"
        self.log, self.work = place / "log.txt", place / "work"
        self.out, self.baseline = self.work / "out", self.work / "b" / "ner.json"
        self.cache = self.work / "cache"
        self.kept.mkdir(parents=True)
        self.temporary = place / "temporary"
        self.temporary.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.temporary)  # of the commands, too
        self.whole(self.run(OLD, self.kept / "old"))
        self.whole(self.record(self.kept / "old", self.kept / "b"))
        for number in range(1, SHARDS + 1):
            out = self.kept / f"shard-{number}"
            self.whole([*self.run(NEW, out), "--shard", f"{number}/{SHARDS}"])
        self.whole([*self.run(NEW, self.kept / "new"), "--baseline", self.kept / "b" / "ner.json"])
        self.new = read_result(self.kept / "new" / RESULT)
        self.old = read_result(self.kept / "old" / RESULT)
        shutil.copytree(self.cache, self.kept / "cache")

    def run(self, checkpoint: str, out: Path) -> list[object]:
        """Return the command of a run."""
        settings = ("--task", "ner", "--device", "cpu", "--sources", SOURCES, "--cache", self.cache)
        return ["run", "--checkpoint", CHECKPOINTS / checkpoint, *settings, "--out", out]

    def judged(self) -> list[object]:
        """Return the command of the candidate's run, judged by the baseline."""
        return [*self.run(NEW, self.out), "--baseline", self.baseline]

    def merged(self) -> list[object]:
        """Return the command that merges the candidate's shards, judged alike."""
        shards = [self.kept / f"shard-{number}" for number in range(1, SHARDS + 1)]
        return ["merge", *shards, "--out", self.out, "--baseline", self.baseline]

    def record(self, result: Path, folder: Path) -> list[object]:
        """Return the command that records a result as a baseline in a folder."""
        named = ("--name", "ner", "--dir", folder)
        return ["baseline", "record", result, *named, "--accept", "a trial"]

    def whole(self, command: Sequence[object], file_size: int = 0) -> Ended:
        """Run a command that has to come to a verdict.

        Raises:
            RuntimeError: it does not.
        """
        ended = done(command, self.log, file_size)
        if ended.code not in CODES or shows_traceback(ended.output):
            raise RuntimeError(f"{command[0]}: exit code {ended.code}: {ended.output[-2000:]}")
        return ended

    def restore(self, *, cache: bool) -> None:
        """Put old result and baseline in their places; the cache full, or none."""
        for path in (self.out, self.baseline.parent, self.cache):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(self.kept / "old", self.out)
        shutil.copytree(self.kept / "b", self.baseline.parent)
        if cache:
            shutil.copytree(self.kept / "cache", self.cache)

    def seen(self) -> str:
        """Return what later commands take the results for: ``old``, ``refused`` or ``new``.

        Raises:
            RuntimeError: it is taken for a run, and is neither of the two.
        """
        path = self.out / RESULT
        try:
            result = read_result(path)
            for _ in read_rows(path, result):
                pass
            report_text(path, "junit")
            compare_stored(path, self.kept / "b" / "ner.json", None, {})
        except CannotJudge:
            return "refused"
        return self.which(result)

    def which(self, result: Result) -> str:
        """Return which run a result is: the ``old`` one, or one like the ``new`` one."""
        if result.run == self.old.run:
            return "old"
        if counted(result) != counted(self.new) or result.verdict != self.new.verdict:
            raise RuntimeError("a result is neither the old run nor the new one")
        return "new"

    def seen_baseline(self) -> str:
        """Return which run the baseline is of; raises where it is of none, or is not read.

        Raises:
            RuntimeError: it cannot be read, or is neither of the two.
        """
        try:
            found = read_baseline(self.baseline)
            compare_stored(self.kept / "new" / RESULT, self.baseline, None, {})
        except MtGateError as error:
            raise RuntimeError(f"the baseline is broken: {error}") from None
        runs = {run.checkpoint.fingerprint for run in found.runs}
        known = {self.old.checkpoint.fingerprint: "old", self.new.checkpoint.fingerprint: "new"}
        if len(runs) != 1 or not runs <= known.keys():
            raise RuntimeError("the baseline is neither the old nor the new one")
        return known[runs.pop()]

    def left(self) -> list[str]:
        """Return the temporary files in the folders, and what is mt-gate's in the temporary one."""
        places = (self.out, self.baseline.parent)
        files = [path for place in places for path in place.glob(".*") if path.is_file()]
        drafts = (*self.place.parent.glob(f"{DRAFT}*"), *self.temporary.glob("mt-gate-*"))
        return [path.name for path in (*files, *drafts)]


def counted(result: Result) -> list[tuple[object, ...]]:
    """Return what a run counts, by relation."""
    return [(one.id, one.groups, one.applicable, one.violated) for one in result.relations]
