"""An exported checkpoint as a system under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mt_gate.errors import CannotJudge
from mt_gate.jsonio import canonical
from mt_gate.result import CheckpointHead, Runtime
from mt_gate.sut import card as cards
from mt_gate.sut.batching import exact_length_batches
from mt_gate.sut.cpu import cpu_name
from mt_gate.sut.protocol import TRUNCATED, Prediction
from mt_gate.sut.session import Session
from mt_gate.sut.token_classification import Encoded, decode, encode, load_tokenizer
from mt_gate.tasks.tag_scheme import read_tag_scheme

TOKENS_A_BATCH = {"cpu": 1024, "cuda": 16384}
"""Enough to fill the device; on two cores more gains nothing (benchmarks/overhead.py)."""
WINDOW = 20_000
"""Inputs encoded and sorted together, so that memory does not grow with their number."""
DECODING = 1
"""Counts up when the same logits come to mean another answer, so that caches expire."""


class OnnxSystem:
    """Token classification by ONNX Runtime."""

    def __init__(self, folder: Path, task: str, device: str, name: str = "") -> None:
        """Load an exported checkpoint.

        Raises:
            CannotJudge: anything about the folder's content or the device is unfit.
        """
        card = cards.read_card(folder)
        if card.task != task:
            raise CannotJudge(
                f"{folder / cards.CARD}: a checkpoint for task {card.task}, this run is for "
                f"{task}; name the right checkpoint or --task {card.task}"
            )
        self.scheme = read_tag_scheme(card.labels, where=str(folder / cards.CARD))
        self.card = cards.identify(folder, card)
        self.tokenizer = load_tokenizer(folder / cards.TOKENIZER)
        self.session = Session(folder / cards.MODEL, device)
        self.name = name or card.name or folder.resolve().name
        # One short sentence tells an unfit model before a long run.
        self._answer(encode(self.tokenizer, ["Anna met Boris in Oslo."]))

    @property
    def head(self) -> CheckpointHead:
        """Name, fingerprint and runtime."""
        return CheckpointHead(
            name=self.name,
            fingerprint=self.card.fingerprint,
            runtime=Runtime(
                provider=self.session.provider,
                precision=self.card.precision,
                device=self.session.device,
                onnxruntime=self.session.version,
                cpu=cpu_name(),
            ),
        )

    @property
    def cache_key(self) -> str:
        """Everything that an answer hangs on."""
        runtime = (self.session.provider, self.session.version)
        parts = [self.card.fingerprint, self.card.files, self.card.labels, self.card.max_length]
        return canonical([*parts, runtime, DECODING]).decode()

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input; sentences of one length go together, without padding."""
        for start in range(0, len(inputs), WINDOW):
            window = inputs[start : start + WINDOW]
            encoded = encode(self.tokenizer, [item["text"] for item in window])
            fitting, answers = [], []
            for index, item in enumerate(encoded):
                if len(item.ids) <= self.card.max_length:
                    fitting.append(index)
                else:
                    answers.append((start + index, Prediction(None, reason=TRUNCATED)))
            if answers:
                yield answers
            lengths = [len(encoded[index].ids) for index in fitting]
            for batch in exact_length_batches(lengths, TOKENS_A_BATCH[self.session.device]):
                chosen = [fitting[position] for position in batch]
                predictions = self._answer([encoded[index] for index in chosen])
                yield [(start + index, p) for index, p in zip(chosen, predictions, strict=True)]

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> float:
        """Return the largest logit difference between a sentence alone and in a padded batch."""
        encoded = encode(self.tokenizer, [item["text"] for item in inputs])
        encoded = [item for item in encoded if len(item.ids) <= self.card.max_length]
        if not encoded:
            return 0.0
        together = self._logits(encoded)
        largest = 0.0
        for row, item in zip(together, encoded, strict=True):
            alone = self._logits([item])[0]
            largest = max(largest, float(np.abs(row[: len(item.ids)] - alone).max()))
        return largest

    def close(self) -> None:
        """Nothing is held beyond memory."""

    def _answer(self, encoded: Sequence[Encoded]) -> list[Prediction]:
        logits = self._logits(encoded)
        return [decode(item, row, self.scheme) for item, row in zip(encoded, logits, strict=True)]

    def _logits(self, encoded: Sequence[Encoded]) -> np.ndarray[Any, Any]:
        """Return float32 logits, shape (sentences, longest, labels)."""
        longest = max(len(item.ids) for item in encoded)
        shape = (len(encoded), longest)
        feeds = {
            name: np.zeros(shape, np.int64)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        }
        for row, item in enumerate(encoded):
            feeds["input_ids"][row, : len(item.ids)] = item.ids
            feeds["token_type_ids"][row, : len(item.ids)] = item.type_ids
            feeds["attention_mask"][row, : len(item.ids)] = 1
        return self._checked(self.session.logits(feeds), shape)

    def _checked(
        self, logits: np.ndarray[Any, Any], shape: tuple[int, int]
    ) -> np.ndarray[Any, Any]:
        wanted = (*shape, len(self.card.labels))
        if logits.shape != wanted:
            raise CannotJudge(
                f"checkpoint {self.name}: logits of shape {logits.shape} for token ids of shape "
                f"{shape}; expected {wanted}, a score a token and label; "
                f"mend the labels in {cards.CARD} or export the checkpoint anew"
            )
        if not np.isfinite(logits).all():
            raise CannotJudge(
                f"checkpoint {self.name}: logits hold NaN or infinity; expected finite scores; "
                "train or convert the checkpoint anew, or export it with --precision fp32"
            )
        return logits.astype(np.float32, copy=False)
