"""LUKE: words and the two entities asked about, as ``LukeForEntityPairClassification`` takes them.

The words have markers around both arguments. Each entity has an id (a mask for
the head, another for the tail) and the positions of its tokens, markers
included, so that the model attends to it as to a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mt_gate.sut.card import Card
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.reader import TOKENS, Inputs, token_feeds
from mt_gate.sut.relation_text import EncodedPair, RelationReader

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

IDS, POSITIONS = "entity_ids", "entity_position_ids"
MASK, KINDS = "entity_attention_mask", "entity_token_type_ids"


class EntityPairReader(RelationReader):
    """Feeds ids, positions, shape (batch, 2, mention_length), mask and types of two entities."""

    def __init__(self, folder: CheckpointFolder, card: Card) -> None:
        """Load the tokenizer.

        Raises CannotJudge: it is unfit, or templates, entities or labels are.
        """
        super().__init__(folder, card)
        self.entities = card.entities
        self.mention_length = card.mention_length
        pair: tuple[str | int, ...] = ("batch", 2)
        self.inputs = Inputs(
            (*TOKENS.required, IDS, POSITIONS),
            (*TOKENS.optional, MASK, KINDS),
            {IDS: pair, MASK: pair, KINDS: pair, POSITIONS: (*pair, self.mention_length)},
        )

    def feeds(self, items: Sequence[EncodedPair]) -> dict[str, Array]:
        """Return the words' tensors and the entities'; positions are padded with -1."""
        count = len(items)
        positions = np.full((count, 2, self.mention_length), -1, np.int64)
        for row, item in enumerate(items):
            for entity, (start, end) in enumerate(item.spans):
                used = np.arange(start, min(end, start + self.mention_length))
                positions[row, entity, : len(used)] = used
        return {
            **token_feeds(items),
            IDS: np.tile(np.array(self.entities, np.int64), (count, 1)),
            POSITIONS: positions,
            MASK: np.ones((count, 2), np.int64),
            KINDS: np.zeros((count, 2), np.int64),
        }
