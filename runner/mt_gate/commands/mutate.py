"""``mt-gate mutate``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base import figures
from mt_gate.base.console import say
from mt_gate.base.errors import PASS, UsageError, page
from mt_gate.commands import options

_MOST_MUTANTS = 100
"""Maximum mutants of an operator: the exact test takes a table of their ranks."""
_OPERATORS = ("gaussian-fuzz", "weight-shuffle", "neuron-block", "neuron-switch")


@click.command()
@click.argument("checkpoint", type=options.PLACE)
@click.option(
    "--operator",
    "operators",
    multiple=True,
    type=click.Choice(_OPERATORS),
    help="Operator that damages the neurons. Repeatable with --mutants [default: all]. See "
    f"{page('mutation')}",
)
@click.option(
    "--mutants",
    type=click.IntRange(1, _MOST_MUTANTS),
    metavar="N",
    help="Run N mutants of each operator, and compare the relations with accuracy on --labels.",
)
@options.MUTATION
@options.settings("task", "suite", "labels", "relations", "sources", "exclude", "device")
@options.LIMITS
@options.settings("alpha", "cache", "ontology")
@options.READING
@options.settings("label_map", "threshold")
@options.CONFIG_FILE
@options.out(required=True)
def mutate(
    checkpoint: str,
    operators: tuple[str, ...],
    mutants: int | None,
    ratio: float | None,
    sd: float | None,
    seed: int,
    config: Path | None,
    out: Path,
    **values: Any,
) -> int:
    """Write a copy of a Hugging Face checkpoint with a few damaged neurons.

    Needs mt-gate[export]. The same seed gives the same copy. With --mutants, make many copies, run
    them, and show which relations detect the damage better than accuracy does.
    """
    from mt_gate.mutating.operators import mutation

    if mutants is None:
        unfit = [name for name, value in {**values, "config": config}.items() if value is not None]
        if unfit:
            name = unfit[0].replace("_", "-")
            raise UsageError(f"--{name} needs --mutants. Add --mutants N, or omit --{name}.")
        if len(operators) != 1:
            raise UsageError("Pass one --operator, or --mutants N. See mt-gate mutate --help.")
        from mt_gate.mutating import mutate as mutating

        wanted = mutation(operators[0], ratio, seed, sd)
        layers = mutating.mutate(Path(checkpoint), wanted, out)
        done = f"{operators[0]}, ratio {figures.setting(wanted.ratio)}, seed {seed}"
        say(f"Wrote {out}: {done}, on {figures.counted(layers, 'set')} of neurons.")
        return PASS
    from mt_gate.base.console import Progress
    from mt_gate.mutating.analysis import analyse, show_analysis
    from mt_gate.settings.loading import load

    some = dict.fromkeys(operators or _OPERATORS)
    mutations = [mutation(name, ratio, seed + n, sd) for n in range(mutants) for name in some]
    settings = load({**values, "checkpoint": checkpoint, "out": out}, config)
    with Progress() as progress:
        analysis = analyse(settings, mutations, say, progress)
    show_analysis(analysis)
    return PASS
