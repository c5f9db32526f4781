"""What stands between a task's inputs and a model's tensors.

A reader knows one input form: it turns inputs into encoded items, items into
feeds, and the model's scores into predictions. A task's record names those of its forms.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from mt_gate.base.lazy import resolve
from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

Item = TypeVar("Item")


class Inputs(NamedTuple):
    """Names of the tensors that a model of a form is fed, int64, shape (batch, length).

    ``shapes`` has those of another shape: a name for a free axis, a number for a fixed one.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str | int, ...]] = {}


TOKENS = Inputs(("input_ids",), ("attention_mask", "token_type_ids"))


class InputRefusal(NamedTuple):
    """An input that the system cannot be asked, and the reason that reports count it by."""

    reason: NotApplicable


class Reader(Protocol[Item]):
    """One input form of one task, with a checkpoint's tokenizer, limits and labels."""

    inputs: Inputs
    reads_types: bool
    """Whether the types of arguments (task re) enter the input."""

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the task's short input as this checkpoint can be asked it."""
        ...

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[Item | InputRefusal]:
        """Encode inputs, in their order."""
        ...

    def lengths(self, item: Item) -> Lengths:
        """Return the lengths of the item's sequences: alike in items that may share a batch."""
        ...

    def feeds(self, items: Sequence[Item]) -> dict[str, Array]:
        """Return the tensors for items of one length, or of several where a mask tells them."""
        ...

    def shape(self, items: Sequence[Item]) -> tuple[int, ...]:
        """Return the shape that the scores of these items must have."""
        ...

    def decode(self, items: Sequence[Item], scores: Array) -> list[Prediction]:
        """Read the answers off the float32 scores of these items, of the shape ``shape`` tells."""
        ...


@runtime_checkable
class TellsScores(Protocol):
    """A reader whose answers have the score of each label, or, of many, of those to be told."""

    told: Collection[str] | None
    """Labels whose scores are told beside the likeliest; None tells all."""


def open_reader(folder: CheckpointFolder, card: Card) -> Reader[Any]:
    """Return the reader for a card's task and input form, with what stands beside the card.

    Raises:
        CannotJudge: tokenizer, vocabulary or labels are unfit.
    """
    form = TASKS[card.task].forms[card.input_form]
    reader: Reader[Any] = resolve(form.reader)(folder, card)
    return reader


def short_feeds(reader: Reader[Any], task: str) -> dict[str, Array]:
    """Return the feeds of the task's short input; none where the checkpoint refuses it."""
    (item,) = reader.encode([reader.probe(TASKS[task].probe)])
    return {} if isinstance(item, InputRefusal) else reader.feeds([item])
