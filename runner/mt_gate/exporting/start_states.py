"""An encoder whose states at the start of head and tail are classified together.

The best of the forms in "Matching the Blanks" (Baldini Soares et al., 2019,
section 3.2.3, entity markers and entity start); Hugging Face has no class for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from mt_gate.base.errors import CannotJudge
from mt_gate.exporting.models import told


class StartStates(torch.nn.Module):
    """Encoder and linear classifier: (batch, length) to (batch, labels)."""

    def __init__(self, encoder: Any, weight: torch.Tensor, bias: torch.Tensor) -> None:
        """Put a loaded encoder under a classifier; ``weight`` has shape (labels, 2 x hidden)."""
        super().__init__()
        self.encoder = encoder
        self.weight = torch.nn.Parameter(weight)
        self.bias = torch.nn.Parameter(bias)

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        entity_starts: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the logits; ``entity_starts`` are token indices of head and tail, (batch, 2)."""
        types = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
        output = self.encoder(input_ids=input_ids, attention_mask=attention_mask, **types)
        states: torch.Tensor = output.last_hidden_state
        chosen = entity_starts.unsqueeze(-1).expand(-1, -1, states.shape[-1])
        both = torch.gather(states, 1, chosen).flatten(1)
        return torch.nn.functional.linear(both, self.weight, self.bias)


def with_classifier(encoder: Any, file: Path, labels: int, where: Path) -> StartStates:
    """Return an encoder with a classifier.

    Args:
        encoder: a loaded model.
        file: with the classifier's weights.
        labels: how many.
        where: the path that messages name in the place of ``file``.

    Raises:
        CannotJudge: its file is broken, or has other tensors.
    """
    from safetensors.torch import load_file

    cause = "expected safetensors with 'weight' and 'bias'; save it again"
    with told(f"{where}: cannot be read", cause, hiding=(file, where)):
        tensors = load_file(file)
    wanted = {"weight": (labels, 2 * encoder.config.hidden_size), "bias": (labels,)}
    found = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if found != wanted:
        raise CannotJudge(
            f"{where}: holds {str(found)[:200]}; expected {wanted} (labels, 2 x hidden); "
            "save the classifier again"
        )
    weight, bias = (tensors[name].float() for name in wanted)
    return StartStates(encoder, weight, bias).eval()
