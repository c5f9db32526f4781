"""Several checkpoints run on one suite, one after another, each to a folder of its own.

Each run is the one that its checkpoint would have alone; the suite is read once. What fails of one
does not stop the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mt_gate import gate
from mt_gate.base.console import Say
from mt_gate.base.errors import USAGE, CannotJudge, UsageError, quoted
from mt_gate.base.guarding import Failure, guarded
from mt_gate.base.interrupts import INTERRUPTED
from mt_gate.reporting.words.texts import VERDICT_WORDS
from mt_gate.results.old_reports import remove_reports
from mt_gate.results.out_folder import check_writable, reserved
from mt_gate.results.result import GateVerdict, Result
from mt_gate.running.loading import load_suite
from mt_gate.running.predicting import Progress
from mt_gate.running.systems import labels_of_named
from mt_gate.settings.record import Settings, dashed


class Outcome(NamedTuple):
    """What a checkpoint's run came to; without a result ``exit_code`` says why, and a line did."""

    name: str
    settings: Settings
    exit_code: int
    result: Result | None = None

    @property
    def words(self) -> str:
        """What to say of it where there is no result."""
        if self.exit_code == USAGE:
            return "Not run"
        return VERDICT_WORDS[GateVerdict.CANNOT_JUDGE]


def run_several(
    checkpoints: Sequence[str], settings: Settings, say: Say, progress: Progress
) -> list[Outcome]:
    """Run checkpoints, in the order given.

    Args:
        checkpoints: their folders, two or more.
        settings: of each run, checkpoint and folder of the reports aside.
        say: called with each line that the user should see at once.
        progress: called with how many inputs are predicted, and of how many.

    Raises:
        UsageError: two have one name, one is not there, a setting is for a single run, or their
            folders cannot be made.
        CannotJudge: the suite cannot be read.
    """
    named = _named(checkpoints, settings)
    check_writable(settings.out)
    for one in named.values():
        with suppress(CannotJudge):  # told in its turn; what is not there is told at once
            labels_of_named(one)
    given = gate.Given(suite=load_suite(settings))
    outcomes = []
    with reserved(settings.out):
        for name, one in named.items():
            say(f"running {one.checkpoint}")
            outcomes.append(_outcome(name, one, say, progress, given))
        if any(outcome.result for outcome in outcomes):
            # Those of an earlier run of one checkpoint would be taken for this run's.
            remove_reports(settings.out)
    return outcomes


def worst(outcomes: Sequence[Outcome]) -> int:
    """Return the exit code of all: the highest, so that a verdict never hides a failure."""
    return max(outcome.exit_code for outcome in outcomes)


def _outcome(
    name: str, settings: Settings, say: Say, progress: Progress, given: gate.Given
) -> Outcome:
    # The result alone is kept: rows of one run at a time are enough to hold.
    done = guarded(lambda: gate.run(settings, say, progress, given=given).result)
    if not isinstance(done, Failure):
        return Outcome(name, settings, done.exit_code, done)
    if done.code == INTERRUPTED:
        raise KeyboardInterrupt
    say(f"{name}: {done.message}")
    return Outcome(name, settings, done.code)


def _named(checkpoints: Sequence[str], settings: Settings) -> dict[str, Settings]:
    """Return the settings of each run, by the name of its checkpoint's folder."""
    for other in ("against", "record_missing"):
        if getattr(settings, other):
            raise UsageError(
                f"--{dashed(other)}: of a run of one checkpoint, {len(checkpoints)} are named; "
                "omit it, or run them one by one"
            )
    found: dict[str, Settings] = {}
    for checkpoint in checkpoints:
        name = Path(checkpoint).resolve().name
        if not name:
            raise UsageError(f"--checkpoint {quoted(checkpoint)}: has no name; name its folder")
        if name in found:
            raise UsageError(
                f"--checkpoint {found[name].checkpoint} and {checkpoint}: both are named {name}, "
                f"and the reports of each go to {settings.out / name}; rename one, or run them one "
                "by one"
            )
        found[name] = replace(settings, checkpoint=checkpoint, out=settings.out / name)
    return found
