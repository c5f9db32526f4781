"""What is between a task's inputs and a model's tensors.

A reader knows one input form: it turns inputs into encoded items, items into
feeds, and the model's scores into predictions. A task's record names those of its forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.domain import NotApplicable
from mt_gate.sut.batching import Lengths
from mt_gate.sut.card import MAX_FILE, TOKENIZER, Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.protocol import Prediction
from mt_gate.tasks.table import TASKS

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

    Array = np.ndarray[Any, Any]


class Inputs(NamedTuple):
    """Names of the tensors that a model of a form is fed, int64, shape (batch, length).

    ``shapes`` has those of another shape: a name for a free axis, a number for a fixed one.
    """

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str | int, ...]] = {}


TOKENS = Inputs(("input_ids",), ("attention_mask", "token_type_ids"))


class InputRefusal(NamedTuple):
    """The reason that reports count an input by that the system cannot read."""

    reason: NotApplicable


class Reader:
    """One input form of one task, with a checkpoint's tokenizer, limits and labels.

    What is written here suits forms whose items are tokens and whose scores are one a label.
    """

    inputs = TOKENS
    reads_types = False
    """Whether the types of arguments (task re) enter the input."""
    width: int
    """How many scores an input has."""
    max_length: int

    def probe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the task's short input as this checkpoint can read it."""
        return value

    def encode(self, inputs: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Encode inputs, in their order: an item each, or an ``InputRefusal``."""
        raise NotImplementedError

    def fitted(self, item: Any) -> Any:
        """Return an item; refuse one without tokens, and one too long: edits may be anywhere."""
        if not item.ids:
            return InputRefusal(NotApplicable.NO_TOKENS)
        return InputRefusal(NotApplicable.TRUNCATED) if len(item.ids) > self.max_length else item

    def lengths(self, item: Any) -> Lengths:
        """Return the lengths of the item's sequences: alike in items that may share a batch."""
        return (len(item.ids),)

    def feeds(self, items: Sequence[Any]) -> dict[str, Array]:
        """Return the tensors for items of one length, or of several where a mask tells them."""
        return token_feeds(items)

    def shape(self, items: Sequence[Any]) -> tuple[int, ...]:
        """Return the shape that the scores of these items must have."""
        return (len(items), self.width)

    def decode(self, items: Sequence[Any], scores: Array) -> list[Prediction]:
        """Read the answers off the float32 scores of these items."""
        raise NotImplementedError


def open_reader(folder: CheckpointFolder, card: Card) -> Reader:
    """Return the reader for a card's task and input form, with the files next to the card."""
    form = TASKS[card.task].forms[card.input_form]
    reader: Reader = resolve_name(form.reader)(folder, card)
    return reader


def short_feeds(reader: Reader, task: str) -> dict[str, Array]:
    """Return the feeds of the task's short input; none where the checkpoint refuses it."""
    (item,) = reader.encode([reader.probe(TASKS[task].probe)])
    return {} if isinstance(item, InputRefusal) else reader.feeds([item])


AT_ONCE = 256
"""Inputs that the tokenizer reads together; what it returns is far larger than the ids."""
_CAUSE = (
    "Expected the checkpoint's fast tokenizer. Save it with tokenizer.save_pretrained() or "
    "export the checkpoint again."
)


IDS = "input_ids"
TYPES = "token_type_ids"
MASK = "attention_mask"
"""The tensor that tells tokens from padding: a model without it must not be padded."""


def load_tokenizer(folder: CheckpointFolder) -> Tokenizer:
    """Load ``tokenizer.json``, without the cutting and padding it may ask for."""
    from tokenizers import Tokenizer

    data = folder.read(TOKENIZER, limit=MAX_FILE, cause=_CAUSE)
    try:
        tokenizer = Tokenizer.from_buffer(data)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # tokenizers raises bare Exception, and panics as well
        raise CannotJudge(
            f"{folder.path / TOKENIZER} is not a tokenizer ({reported(error)}). {_CAUSE}"
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def encode_texts(tokenizer: Tokenizer, texts: Sequence[Any], where: object) -> list[Encoding]:
    """Return the encodings of texts, or of pairs of texts, in their order. Raises CannotJudge."""
    try:
        return tokenizer.encode_batch(list(texts))  # type: ignore[no-any-return]
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # tokenizers raises bare Exception, and panics as well
        raise CannotJudge(
            f"{where} fails on a text ({reported(error, 100)}). It must take any text, including "
            f"text it has no token for. {_CAUSE}"
        ) from None


def token_feeds(items: Sequence[Any]) -> dict[str, np.ndarray[Any, Any]]:
    """Return ids, mask and types, int64, shape (items, tokens of the longest).

    What a shorter item lacks is 0 in all three, behind its tokens: an id that any vocabulary has,
    and that the mask hides.
    """
    shape = (len(items), max(len(item.ids) for item in items))
    ids, mask, types = (np.zeros(shape, np.int64) for _ in range(3))
    for row, item in enumerate(items):
        length = len(item.ids)
        ids[row, :length] = item.ids
        mask[row, :length] = 1
        types[row, :length] = item.type_ids
    return {IDS: ids, MASK: mask, TYPES: types}


def stretched(
    feeds: Mapping[str, np.ndarray[Any, Any]], length: int
) -> dict[str, np.ndarray[Any, Any]]:
    """Return the feeds of one item as one of ``length`` tokens, its second token repeated."""
    own = feeds[IDS].shape[1]
    places = np.sort(np.append(np.arange(own), np.ones(length - own, np.int64)))
    tokens = {IDS, MASK, TYPES}
    return {name: item[:, places] if name in tokens else item for name, item in feeds.items()}


def longest(fits: Callable[[int], bool], least: int, most: int) -> int:
    """Return the largest length from ``least`` to ``most`` that fits; ``least`` is not tried.

    Position tables usually miss few places or none, so tries begin at ``most``.
    """
    if fits(most):
        return most
    step, bad = 1, most
    while most - step > least and not fits(most - step):
        bad, step = most - step, 2 * step
    good = max(most - step, least)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good
