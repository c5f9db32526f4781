"""One candidate of a reference checkpoint: the reference with a fault in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from fault_bench import optimising, pipeline, shrinking
from fault_bench.exported import derive, write_exported
from fault_bench.faults import Fault
from mt_gate.base.errors import CannotJudge, MtGateError, reported
from mt_gate.mutating.operators import RATIOS, SD, Mutation, Operator

WEIGHTS = tuple(operator.value for operator in Operator)
KINDS = (*WEIGHTS, *optimising.KINDS, *shrinking.KINDS, *pipeline.KINDS)
"""What can be made of a checkpoint without training it."""


class Reference(NamedTuple):
    """The checkpoint that candidates are made of.

    ``hugging_face`` is None where it is an export; ``inputs`` are of its task, from
    which an optimiser may see the range of activations.
    """

    exported: Path
    hugging_face: Path | None
    inputs: Sequence[Mapping[str, Any]]


def make(fault: Fault, reference: Reference, folder: Path) -> None:
    """Write the candidate of a fault to an empty folder, exported or of Hugging Face.

    Raises:
        CannotJudge: the reference cannot have this fault, or a library fails at it.
    """
    try:
        _make(fault, reference, folder)
    except MtGateError:
        raise
    except Exception as error:  # of quantisers and readers of weights, of whatever class
        what = f"{type(error).__name__}: {reported(error)}"
        raise CannotJudge(f"it could not be made ({what}); the reference may be unfit") from error


def _make(fault: Fault, reference: Reference, folder: Path) -> None:
    if fault.kind in shrinking.KINDS:
        if reference.hugging_face is None:
            raise CannotJudge("only a Hugging Face checkpoint can be made so, not its export")
        shrinking.shrink(reference.hugging_face, fault, folder)
    elif fault.kind in WEIGHTS:
        write_exported(reference.exported, _mutation(fault), folder)
    else:
        changing = (
            pipeline.change_of(fault)
            if fault.kind in pipeline.KINDS
            else optimising.change_of(fault, reference.inputs)
        )
        derive(reference.exported, folder, changing, msgspec.to_builtins(fault))


def _mutation(fault: Fault) -> Mutation:
    """Return the mutation of a fault of the weights: its strength is noise, or a share."""
    operator = Operator(fault.kind)
    if operator is Operator.GAUSSIAN_FUZZ:
        return Mutation(
            operator=operator, ratio=RATIOS[operator], seed=fault.seed, sd=fault.strength
        )
    return Mutation(operator=operator, ratio=fault.strength, seed=fault.seed, sd=SD)
