"""Similarity of words in sentences by an encoder's token embeddings.

It is the semantic filter of TIN (ESEC/FSE 2023), section 3.1.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mt_gate.language.loading import ENCODER, batches, describe, load, longest_input
from mt_gate.language.tools import DIGITS, Slot

PER_BATCH = 32


class EncoderSimilarity:
    """Cosine similarity of the mean token embeddings of two slots."""

    def __init__(self, model: str) -> None:
        """Load an encoder from the hub or a folder.

        Raises CannotJudge: the model does not exist, or cannot be read.
        """
        self._tokenizer, self._model = load(model, ENCODER)
        self.name = describe("encoder", model, self._model)
        self._longest = longest_input(self._tokenizer, self._model)

    def similarity(self, pairs: Sequence[tuple[Slot, Slot]]) -> list[float]:
        """Return the cosine of each pair, in [-1, 1]."""
        distinct = list(dict.fromkeys(slot for pair in pairs for slot in pair))
        vectors = dict(zip(distinct, self.embed(distinct), strict=True))
        return [
            round(float(torch.dot(vectors[left], vectors[right])), DIGITS) for left, right in pairs
        ]

    def embed(self, slots: Sequence[Slot]) -> list[torch.Tensor]:
        """Return for each slot the mean vector of its tokens, normalised to length 1."""
        texts = list(dict.fromkeys(slot.text for slot in slots))
        encoded = {text: self._encode(text) for text in texts}
        states = self._states(encoded)
        return [_vector(slot, encoded[slot.text], states[slot.text]) for slot in slots]

    def _encode(self, text: str) -> Any:
        return self._tokenizer(
            text, return_offsets_mapping=True, truncation=True, max_length=self._longest
        )

    @torch.inference_mode()
    def _states(self, encoded: dict[str, Any]) -> dict[str, torch.Tensor]:
        """Return the last hidden states, shape (tokens, width), by sentence."""
        texts = [*encoded]
        rows = [encoded[text]["input_ids"] for text in texts]
        states: dict[str, torch.Tensor] = {}
        for batch in batches(rows, PER_BATCH):
            ids = torch.tensor([rows[index] for index in batch])
            hidden = self._model(ids, attention_mask=torch.ones_like(ids)).last_hidden_state
            states.update(zip((texts[index] for index in batch), hidden, strict=True))
        return states


def _vector(slot: Slot, encoded: Any, states: torch.Tensor) -> torch.Tensor:
    inside = [
        index
        for index, (start, end) in enumerate(encoded["offset_mapping"])
        if start < slot.end and end > slot.start
    ]
    if not inside:  # the slot was truncated: a zero vector is similar to nothing
        return torch.zeros(states.shape[1])
    return torch.nn.functional.normalize(states[inside].mean(dim=0), dim=0)
