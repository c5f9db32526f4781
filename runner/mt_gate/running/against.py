"""The base of a candidate that runs in the same job, without a stored baseline."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.ontologies.label_parts import parts_of
from mt_gate.results.out_folder import BASE
from mt_gate.results.result import Result
from mt_gate.running.labels import few
from mt_gate.running.systems import labels_of_named
from mt_gate.settings.loading import OF_BOTH
from mt_gate.settings.record import Settings, dashed
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


def check_sides(settings: Settings) -> None:
    """Check both sides before anything of either is exported or run."""
    base = base_settings(settings)
    of_base = ("base_precision", "base_threads") if base.system else ()
    of_both = OF_BOTH if base.system and settings.system else ()
    for name in (*of_base, *of_both):
        if getattr(settings, name):
            more = ", and the candidate another" if name in of_both else ""
            raise UsageError(
                f"--{dashed(name)} is for checkpoints, but the base is the system "
                f"{quoted(base.system)}{more}. Omit it."
            )
    before, now = labels_of_named(base), labels_of_named(settings)
    if before is None or now is None or settings.label_map or TASKS[settings.task].answers:
        return  # the answers' words are the task's own, or the user's
    known, own = _answers(before), _answers(now)
    if known and own and known.isdisjoint(own):
        raise CannotJudge(
            f"The base {settings.against} predicts {few(known)}, the candidate {few(own)}. They "
            "have no label in common. Pass two checkpoints with the same labels."
        )


def _answers(labels: Iterable[str]) -> set[str]:
    labels_read = (parts_of(label) for label in labels)
    return {f"{parts.kind}{parts.direction}" for parts in labels_read if not parts.says_nothing}
