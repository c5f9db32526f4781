"""``mt-gate sensitivity``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say
from mt_gate.base.errors import PASS
from mt_gate.commands import options


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
def sensitivity(
    labels: Path, kinds: str | None, candidates: Path | None, seed: int, **given: Any
) -> int:
    """Measure which faults of a checkpoint the gate finds (needs mt-gate[export]).

    Its options alone say how: no settings file is read, whose limits would catch every candidate.
    """
    from mt_gate.base.progress import Progress
    from mt_gate.mutating import sensitivity as study
    from mt_gate.mutating import tables
    from mt_gate.settings.loading import merged
    from mt_gate.settings.record import CONFIG

    request = study.StudyRequest(
        settings=merged(given, {}, CONFIG),
        labels=labels,
        kinds=tuple(name.strip() for name in (kinds or "").split(",") if name.strip()),
        candidates=candidates,
        seed=seed,
    )
    with Progress() as progress:
        found = study.sensitivity(request, say, progress)
    tables.show(found)
    return PASS
