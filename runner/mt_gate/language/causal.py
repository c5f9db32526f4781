"""Score the fit of words and the naturalness of sentences with a causal language model.

It can replace a masked language model. A candidate's score is the log probability of the candidate
and the text after it, compared with the original, so that the words on the right count too.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from mt_gate.language.loading import CAUSAL, batches, describe, load, longest_input
from mt_gate.language.tools import DIGITS, Fill, Slot

OPENING = "This is a sentence.\n"
"""Text before every sentence, so that its first word has a left context."""
RIGHT = 8
"""Number of words on the right of a slot that are scored with each filler."""
READINGS = 48
"""Maximum sentences whose reading is kept in memory, about 10 MB each."""
PER_BATCH = 16
"""Maximum sentences of one length in a batch."""


class SentenceReading(NamedTuple):
    """The model's state after a sentence: character offsets of tokens, logits, key-value cache."""

    offsets: list[tuple[int, int]]
    logits: torch.Tensor
    memory: list[tuple[torch.Tensor, torch.Tensor]]


class CausalModel:
    """A causal language model from the hub, a folder, or a GGUF file.

    The fit of a filler is the log probability of the filler and the text after it.
    """

    def __init__(self, model: str) -> None:
        """Load the model. Raises CannotJudge: it does not exist, or cannot be read."""
        self._tokenizer, self._model = load(model, CAUSAL)
        self.name = describe("causal LM", model, self._model)
        self._longest = longest_input(self._tokenizer, self._model)
        self._read = functools.lru_cache(maxsize=READINGS)(self.read)

    def reads(self, text: str) -> bool:
        """Return whether a sentence, after the opening, is within the model's limit."""
        return len(self.sentence(text)) <= self._longest

    def tokens(self, text: str) -> list[int]:
        """Return the token ids of a continuation, without an opening token."""
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def sentence(self, text: str) -> list[int]:
        """Return the token ids of a sentence after the opening."""
        return list(self._tokenizer(OPENING + text)["input_ids"])

    @torch.inference_mode()
    def read(self, text: str) -> SentenceReading:
        """Run the model on one sentence, and keep its state to weigh variants."""
        encoded = self._tokenizer(OPENING + text, return_offsets_mapping=True)
        offsets = [(a - len(OPENING), b - len(OPENING)) for a, b in encoded["offset_mapping"]]
        output = self._model(torch.tensor([encoded["input_ids"]]), use_cache=True)
        memory = [(layer.keys, layer.values) for layer in output.past_key_values.layers]
        return SentenceReading(offsets, output.logits[0], memory)

    @torch.inference_mode()
    def weigh(
        self, reading: SentenceReading, length: int, continuations: Sequence[str]
    ) -> list[float]:
        """Return the log probability of each continuation after the first ``length`` tokens."""
        rows = [self.tokens(text) for text in continuations]
        longest = max(map(len, rows))
        ids = torch.tensor([row + [row[-1]] * (longest - len(row)) for row in rows])
        memory = _remembered(reading.memory, length, len(rows))
        after = self._model(ids, past_key_values=memory, use_cache=True).logits
        first = reading.logits[length - 1].expand(len(rows), 1, -1)
        logits = torch.cat([first, after[:, :-1]], dim=1).float()
        logs = torch.log_softmax(logits, dim=-1).gather(2, ids[:, :, None])[:, :, 0]
        return [
            float(line[: len(row)].double().sum()) for line, row in zip(logs, rows, strict=True)
        ]

    @torch.inference_mode()
    def probabilities(self, rows: Sequence[Sequence[int]], skipped: int) -> torch.Tensor:
        """Return the probabilities of tokens after ``skipped`` ones, for rows of one length."""
        ids = torch.tensor(rows)
        logs = torch.log_softmax(self._model(ids).logits[:, skipped - 1 : -1].float(), dim=-1)
        return logs.gather(2, ids[:, skipped:, None])[:, :, 0].exp()

    def fit(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[Fill]]:
        """Return for each slot its best fillers, best first; none if the sentence is too long."""
        reads = self.reads
        return [
            self._fit(slot, [new for new in fillers if reads(slot.filled(new).text)])[:top]
            if fillers and reads(slot.text)
            else []
            for slot, fillers in slots
        ]

    def expected(self, slots: Sequence[tuple[Slot, Sequence[str]]], top: int) -> list[list[str]]:
        """Return for each slot the fillers whose first token is most likely after the left text."""
        return [
            self._expected(slot, fillers)[:top] if fillers and self.reads(slot.text) else []
            for slot, fillers in slots
        ]

    def _fit(self, slot: Slot, fillers: Sequence[str]) -> list[Fill]:
        reading = self._read(slot.text)
        begins, length = _left(slot, reading)
        blank, rest = (
            slot.text[begins : slot.start],
            " ".join(slot.text[slot.end :].split(" ")[: RIGHT + 1]),
        )
        texts = [blank + filler + rest for filler in (slot.filler, *fillers)]
        own, *others = self.weigh(reading, length, texts)
        fills = [
            Fill(new, round(log - own, DIGITS)) for new, log in zip(fillers, others, strict=True)
        ]
        return sorted(fills, key=lambda fill: (-fill.score, fill.text))

    def _expected(self, slot: Slot, fillers: Sequence[str]) -> list[str]:
        reading = self._read(slot.text)
        begins, length = _left(slot, reading)
        blank, logits = slot.text[begins : slot.start], reading.logits[length - 1]
        firsts = [round(float(logits[self.tokens(blank + filler)[0]]), 3) for filler in fillers]
        order = sorted(range(len(fillers)), key=lambda index: (-firsts[index], index))
        return [fillers[index] for index in order]

    def naturalness(self, texts: Sequence[str]) -> list[float]:
        """Return 0.6 x least + 0.4 x mean probability of each sentence's tokens, in [0, 1].

        The formula is from TIN, section 3.1.4. The result is 0 if a sentence is too long.
        """
        skipped = len(self.sentence(""))
        rows = [self.sentence(text) if self.reads(text) else [] for text in texts]
        scores = [0.0] * len(rows)
        for batch in batches(rows, PER_BATCH):
            if not rows[batch[0]]:
                continue
            values = self.probabilities([rows[index] for index in batch], skipped)
            for index, row in zip(batch, values, strict=True):
                scores[index] = round(float(0.6 * row.min() + 0.4 * row.mean()), DIGITS)
        return scores


def _left(slot: Slot, reading: SentenceReading) -> tuple[int, int]:
    begins = slot.start - 1 if slot.text[slot.start - 1 : slot.start] == " " else slot.start
    return begins, max(1, sum(end <= begins for _, end in reading.offsets))


def _remembered(memory: Sequence[tuple[torch.Tensor, torch.Tensor]], length: int, rows: int) -> Any:
    """Return the key-value cache of the first ``length`` tokens, repeated for each row."""
    from transformers import DynamicCache

    cache = DynamicCache()
    for layer, (keys, values) in enumerate(memory):
        size = (rows, keys.shape[1], length, keys.shape[3])
        cache.update(keys[:, :, :length].expand(size), values[:, :, :length].expand(size), layer)
    return cache
