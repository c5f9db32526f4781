"""Text-to-text models (T5) as models with one score a label word.

A model that was trained to answer with a word gives it in its first step: the
encoder and one decoder step from the start token tell the score of every word
of the vocabulary, of which those of the label words are kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch


class FirstStep(torch.nn.Module):
    """The first decoder step of a sequence-to-sequence model: (batch, length) to (batch, words).

    ``pieces`` are the ids whose scores are returned; None where the model's
    output layer holds these alone.
    """

    def __init__(self, model: torch.nn.Module, pieces: Sequence[int] | None) -> None:
        """Wrap a loaded model."""
        super().__init__()
        self.model = model
        config: Any = model.config
        self.start: int = config.decoder_start_token_id
        self.pieces = pieces

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the logits, shape (batch, words)."""
        start = torch.full_like(input_ids[:, :1], self.start)
        logits: torch.Tensor = self.model(
            input_ids=input_ids,
            attention_mask=attention_mask,
            decoder_input_ids=start,
            use_cache=False,
        ).logits[:, 0]
        return logits if self.pieces is None else logits[:, list(self.pieces)]


@contextlib.contextmanager
def narrowed(model: Any, pieces: Sequence[int]) -> Iterator[FirstStep]:
    """Give the first step with an output layer of ``pieces`` only; then put the whole one back.

    The whole layer has a row for each word of the vocabulary, a tenth of the
    weights of a base model, which would stand in the export for nothing.
    """
    whole = model.get_output_embeddings()
    rows = torch.nn.Linear(whole.in_features, len(pieces), bias=whole.bias is not None)
    with torch.no_grad():
        rows.weight.copy_(whole.weight[list(pieces)])
        if whole.bias is not None:
            rows.bias.copy_(whole.bias[list(pieces)])
    model.lm_head = rows
    try:
        yield FirstStep(model, None).eval()
    finally:
        model.lm_head = whole
