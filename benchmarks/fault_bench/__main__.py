"""Measure which faults of a checkpoint the gate finds (needs mt-gate[export]).

PYTHONPATH=runner:benchmarks python -m fault_bench CHECKPOINT --task TASK --labels FILE --out DIR
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from fault_bench import sensitivity as study
from fault_bench import tables
from mt_gate.base.console import Failure, Progress, fail, guarded, say
from mt_gate.base.errors import PASS
from mt_gate.commands import options
from mt_gate.settings.loading import merged
from mt_gate.settings.record import CONFIG

NAME = "fault_bench"


@click.command()
@click.argument("checkpoint", type=options.PLACE)
@options.setting("task", required=True)
@options.settings("suite")
@options.setting("labels", required=True)
@click.option("--kinds", metavar="NAME,...", help="Kinds of fault [default: all].")
@click.option(
    "--candidates",
    type=options.PATH,
    metavar="DIR",
    help="Folder of checkpoints that are judged as well.",
)
@options.SEED
@options.settings("sources", "alpha", "margin")
@options.setting("out", required=True)
@options.settings("device", "cache", "answers", "ontology", "label_map", "threshold")
@options.LIMITS
def measure(
    labels: Path, kinds: str | None, candidates: Path | None, seed: int, **values: Any
) -> None:
    """Measure which faults of a checkpoint the gate finds (needs mt-gate[export]).

    Its options alone say how: no settings file is read, whose limits would catch every candidate.
    """
    request = study.StudyRequest(
        settings=merged(values, {}, CONFIG),
        labels=labels,
        kinds=tuple(name.strip() for name in (kinds or "").split(",") if name.strip()),
        candidates=candidates,
        seed=seed,
    )
    with Progress() as progress:
        found = study.sensitivity(request, say, progress)
    tables.show(found)


def exit_code(arguments: Sequence[str] | None = None) -> int:
    """Run the bench and return its exit code; every failure becomes one line."""
    done = guarded(lambda: measure.main(arguments, NAME, standalone_mode=False))
    return fail(*done) if isinstance(done, Failure) else PASS


if __name__ == "__main__":
    sys.exit(exit_code())
