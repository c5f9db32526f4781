"""Propose words, and score fit and naturalness, with a masked language model.

As in TIN (ESEC/FSE 2023), section 3.1, the word of a slot is masked and filled. The naturalness of
a sentence is computed from the probabilities of its tokens, each masked in turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from mt_gate.language.loading import MASKED, batches, describe, load, longest_input
from mt_gate.language.tools import DIGITS, Fill, Slot

PER_BATCH = 32


class MaskedModel:
    """A masked language model from the hub or a folder.

    It proposes whole words for slots of one word, scored by their logits (TIN, section 3.1.1). It
    scores the fit of fillers by the pseudo-log-likelihood of their tokens, each masked in turn.
    """

    def __init__(self, model: str) -> None:
        """Load the model. Raises CannotJudge: it does not exist, or cannot be read."""
        self.tokenizer, self._model = load(model, MASKED)
        self.name = describe("masked LM", model, self._model)
        self.mask = int(self.tokenizer.mask_token_id)
        self.longest = longest_input(self.tokenizer, self._model)

    def reads(self, text: str) -> bool:
        """Return whether a sentence is within the model's limit."""
        return len(self.encode(text)["input_ids"]) <= self.longest

    def encode(self, text: str) -> Any:
        """Return ids, offsets and the mask of special tokens of a sentence."""
        return self.tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)

    @torch.inference_mode()
    def logits(self, rows: Sequence[Sequence[int]], places: Sequence[int]) -> torch.Tensor:
        """Return the logits, (rows, vocabulary), at one position of each row of token ids."""
        logits: list[torch.Tensor] = [torch.empty(0)] * len(rows)
        for batch in batches(rows, PER_BATCH):
            output = self._model(torch.tensor([rows[index] for index in batch])).logits
            for index, line in zip(batch, output, strict=True):
                logits[index] = line[places[index]].float()
        return torch.stack(logits)

    def propose(self, slots: Sequence[Slot], top: int) -> list[list[str]]:
        """Return for each slot up to ``top`` words, best first."""
        return [[fill.text for fill in fills] for fills in self.fill(slots, top)]

    def fill(self, slots: Sequence[Slot], top: int) -> list[list[Fill]]:
        """Return for each slot up to ``top`` candidates, best first; none if it is too long."""
        mask = self.tokenizer.mask_token
        encoded = (self.encode(slot.filled(mask).text)["input_ids"] for slot in slots)
        rows = {at: row for at, row in enumerate(encoded) if len(row) <= self.longest}
        places = [row.index(self.mask) for row in rows.values()]
        logits = self.logits([*rows.values()], places) if rows else ()
        best = {at: self._best(slots[at], line, top) for at, line in zip(rows, logits, strict=True)}
        return [best.get(at, []) for at in range(len(slots))]

    def _best(self, slot: Slot, logits: torch.Tensor, top: int) -> list[Fill]:
        values, tokens = logits.topk(min(top + 16, len(logits)))
        words = (self._word(token) for token in tokens.tolist())
        fills = [
            Fill(word, round(value, DIGITS))
            for word, value in zip(words, values.tolist(), strict=True)
            if word and word.lower() != slot.filler.lower()
        ]
        return fills[:top]

    def _word(self, token: int) -> str:
        raw = self.tokenizer.convert_ids_to_tokens(token)
        text = str(self.tokenizer.decode([token])).strip()
        return text if text.isalpha() and not raw.startswith("##") else ""

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        """Return 0.6 x least + 0.4 x mean probability of each sentence's tokens, in [0, 1].

        The formula is from TIN, section 3.1.4. The result is 0 if a sentence is too long.
        """
        scores = []
        for encoded in map(self.encode, texts):
            ids, special = encoded["input_ids"], encoded["special_tokens_mask"]
            places = [index for index, flag in enumerate(special) if not flag]
            logs = self._log_probabilities(ids, places) if len(ids) <= self.longest else ()
            values = [float(log.exp()) for log in logs] or [0.0]
            scores.append(round(0.6 * min(values) + 0.4 * sum(values) / len(values), DIGITS))
        return scores

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        """Return for each slot its first ``top`` fillers, because one mask cannot rank phrases."""
        return [list(fillers[:top]) for _, fillers in slots]

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        """Return for each slot its best fillers, best first; none if the sentence is too long."""
        fits = []
        for slot, fillers in slots:
            reads = self.reads
            own = self._score(slot) if fillers and reads(slot.text) else -math.inf
            fills = [
                Fill(filler, round(self._score(new) - own, DIGITS))
                for filler in (fillers if math.isfinite(own) else ())
                if reads((new := slot.filled(filler)).text)
            ]
            fits.append(sorted(fills, key=lambda fill: (-fill.score, fill.text))[:top])
        return fits

    def _score(self, slot: Slot) -> float:
        encoded = self.encode(slot.text)
        places = [
            index
            for index, (start, end) in enumerate(encoded["offset_mapping"])
            if start < slot.end and end > slot.start
        ]
        return float(sum(self._log_probabilities(encoded["input_ids"], places)))

    def _log_probabilities(self, ids: Sequence[int], places: Sequence[int]) -> list[torch.Tensor]:
        """Return the log probability of the token at each place, with only that token masked."""
        rows = [[*ids[:place], self.mask, *ids[place + 1 :]] for place in places]
        logs = torch.log_softmax(self.logits(rows, places), dim=-1)
        return [log[ids[place]] for log, place in zip(logs, places, strict=True)]
