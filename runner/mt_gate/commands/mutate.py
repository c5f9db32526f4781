"""``mt-gate mutate``."""

from __future__ import annotations

from pathlib import Path

import click

from mt_gate.base import figures
from mt_gate.base.console import say
from mt_gate.base.errors import page
from mt_gate.commands import options


@click.command()
@click.argument("checkpoint", type=options.PLACE)
@click.option(
    "--operator",
    required=True,
    type=click.Choice(["gaussian-fuzz", "weight-shuffle", "neuron-block", "neuron-switch"]),
    help=f"How to damage the neurons. See {page('mutation')}",
)
@options.MUTATION
@options.out(required=True)
def mutate(
    checkpoint: str, operator: str, ratio: float | None, sd: float | None, seed: int, out: Path
) -> None:
    """Write a copy of a Hugging Face checkpoint with a few damaged neurons.

    Needs mt-gate[export]. The same seed makes the same copy.
    """
    from mt_gate.mutating import mutate as mutating
    from mt_gate.mutating.operators import mutation

    wanted = mutation(operator, ratio, seed, sd)
    layers = mutating.mutate(Path(checkpoint), wanted, out)
    done = f"{operator}, ratio {figures.setting(wanted.ratio)}, seed {seed}"
    say(f"Wrote {out}: {done}, on {layers} sets of neurons.")
