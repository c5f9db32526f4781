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
@click.option("--mutants", type=int, default=10, show_default=True, help="Mutants per operator.")
@click.option("--operators", metavar="NAME,...", help="Mutation operators [default: all].")
@options.MUTATION
@options.labels()
@options.settings("sources", "alpha", "margin")
@options.setting("out", required=True)
@options.settings("device", "cache")
@options.READING
@options.settings("ontology")
def sensitivity(
    mutants: int,
    operators: str | None,
    ratio: float | None,
    sd: float | None,
    labels: Path | None,
    sources: int | None,
    seed: int,
    **given: Any,
) -> int:
    """Measure which relations detect a checkpoint's mutants (needs mt-gate[export])."""
    from mt_gate.base.progress import Progress
    from mt_gate.mutating import sensitivity as study
    from mt_gate.mutating import tables
    from mt_gate.mutating.operators import mutation, named
    from mt_gate.settings.loading import load

    request = study.StudyRequest(
        settings=load(given, None),
        operators=tuple(mutation(name, ratio, seed, sd) for name in named(operators)),
        mutants=mutants,
        seed=seed,
        labels=labels,
        sources=sources,
    )
    with Progress() as progress:
        found = study.sensitivity(request, say, progress)
    tables.show(found)
    return PASS
