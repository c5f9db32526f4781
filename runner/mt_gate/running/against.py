"""What a candidate is compared with where both are run in one job, without a stored baseline."""

from __future__ import annotations

import re

from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge
from mt_gate.base.redaction import shorten
from mt_gate.results.out_folder import BASE
from mt_gate.results.result import AnswerChurn, Result
from mt_gate.settings.record import Settings
from mt_gate.sut.systems.kinds import is_system
from mt_gate.tasks.table import TASKS


def base_settings(settings: Settings) -> Settings:
    """Return the settings of the base's own run: those of the candidate's, but for what it is."""
    named = settings.against
    system = is_system(named)
    return replace(
        settings,
        checkpoint="" if system else named,
        system=named if system else "",
        against="",
        baseline=None,
        out=settings.out / BASE,
        device=settings.base_device or settings.device,
        precision=settings.base_precision,
        threads=settings.base_threads,
        base_precision=None,
        base_device=None,
        base_threads=None,
        answers={} if system else settings.answers,
        max_length=None if system else settings.max_length,
        max_violation_rate={},
        must_hold=(),
        required=(),
    )


def base_name(result: Result) -> str:
    """Return the base's name as a baseline may be called: its own, and its precision."""
    runtime = result.checkpoint.runtime
    parts = [result.checkpoint.name, runtime.precision]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(filter(None, parts)))
    return plain.strip("._-")[:100] or BASE


def check_answers_meet(found: AnswerChurn, task: str, against: str) -> None:
    """Check that both sides answer in the same labels.

    Raises:
        CannotJudge: no label that the one answered was answered by the other.
    """
    if TASKS[task].answers:  # they are the task's own
        return
    before = {move.before for move in found.moves if move.before}
    after = {move.after for move in found.moves if move.after}
    if before and after and not before & after:
        raise CannotJudge(
            f"base {against}: answers {_few(before)}, the candidate {_few(after)}; expected labels "
            "that both have; name two checkpoints of one label scheme"
        )


def _few(labels: set[str]) -> str:
    return shorten(", ".join(sorted(labels)[:6]), 200)
