"""An exported checkpoint as a system under test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import canonical
from mt_gate.domain import NotApplicable
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.sut import card as cards
from mt_gate.sut import noise as noises
from mt_gate.sut import relation_text
from mt_gate.sut.batching import (
    BatchCosts,
    Lanes,
    bucketed_batches,
    exact_length_batches,
    in_lanes,
    measured,
    share,
)
from mt_gate.sut.folder import CheckpointFolder, Model, read_model
from mt_gate.sut.input_form import reading
from mt_gate.sut.limits import cpu_features, cpu_name, usable_cores
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.sut.reader import (
    IDS,
    MASK,
    InputRefusal,
    Reader,
    longest,
    open_reader,
    short_feeds,
    stretched,
)
from mt_gate.sut.session import Session, has_cuda
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.text import NONE

TOKENS_A_BATCH = {"cpu": 512, "cuda": 1024}
"""A core gains nothing by more, nor do two that share a batch; on a GPU twice as many are tried,
and again, up to ``MOST_TOKENS_A_BATCH``, and what is measured is taken (``sut.batch_costs``)."""
MOST_TOKENS_A_BATCH = 1 << 17
ENCODED_AT_ONCE = 1000
"""Inputs between two signs of life."""
MOST_NOISE = 1e-3
"""Largest accepted noise of a score; rounding in fp32 causes far less (``sut.noise``)."""
MOST_NOISE_HALF = 0.1
"""Largest accepted noise of a score in fp16."""
DECODING = 2
"""Counts up when the same logits come to mean another answer, so that caches expire."""

Array = np.ndarray[Any, Any]


class OnnxSystem:
    """A checkpoint in ONNX Runtime; its reader knows the task and the input form."""

    def __init__(
        self,
        folder: Path,
        task: str,
        device: str,
        name: str = "",
        options: cards.CheckpointOptions = cards.CheckpointOptions(),  # noqa: B008 - immutable
    ) -> None:
        where = folder / cards.CARD
        card = cards.read_card_for(folder, task)
        self._files = CheckpointFolder(folder, card.files)
        card, model = cards.identify(self._files, card)
        self.card = cards.with_options(card, options, str(where))
        self.reader = self._reader(options)
        self._threads = options.threads or usable_cores()
        on_gpu = device != "cpu" and has_cuda()
        self._shared = (
            Lanes(1, self._threads)
            if on_gpu
            else share(self._threads, model.size, self.card.max_length)
        )
        self.session = Session(model, device, self.reader.inputs, self._shared.threads)
        self._integers = model.integers
        self.labels = self.card.labels
        self.reads_types = self.reader.reads_types
        self.scores = options.scores
        self._threads_option = options.threads
        self._costs: BatchCosts | None = None
        self._heeds_mask: bool | None = None
        self.name = name or card.name or folder.resolve().name
        probe = TASKS[self.card.task].probe
        (item,) = self.reader.encode([self.reader.probe(probe)])
        if isinstance(item, InputRefusal) and item.reason is NotApplicable.NO_TOKENS:
            raise CannotJudge(
                f"Checkpoint {self.name}: {cards.TOKENIZER} gives no token for a sentence. Use the "
                "tokenizer that the checkpoint was trained with."
            )
        if isinstance(item, InputRefusal):
            raise CannotJudge(
                f"Checkpoint {self.name}: max_length {self.card.max_length} leaves no room even "
                f"for a short input ({item.reason}). Raise it."
            )
        self._answer([item])
        if card.parity is None and card.max_length == cards.USUAL_LENGTH:
            self._limit_length(options)

    def _reader(self, options: cards.CheckpointOptions) -> Reader:
        reader = open_reader(self._files, self.card)
        reader.scored = options.scored
        return reader

    def _limit_length(self, options: cards.CheckpointOptions) -> None:
        feeds = short_feeds(self.reader, self.card.task)
        if IDS not in feeds:
            return
        session = self.session
        if session.device != "cpu":  # a GPU reports no position that is out of range
            session = Session(self._model(), "cpu", self.reader.inputs, self.session.threads)

        def fits(length: int) -> bool:
            try:
                session.logits(stretched(feeds, length))
            except CannotJudge:
                return False
            return True

        length = longest(fits, feeds[IDS].shape[1], self.card.max_length)
        if (options.max_length or 0) > length:
            raise UsageError(
                f"--max-length {options.max_length} is too large: {self.name} takes at most "
                f"{length} tokens."
            )
        if length < self.card.max_length:
            self.card = msgspec.structs.replace(self.card, max_length=length)
            self.reader = self._reader(options)

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
                cpu_features=cpu_features(),
                threads=self._threads,
                integers=self._integers,
            ),
        )

    @property
    def cache_key(self) -> str:
        """Everything that an answer, or what is kept of noise, depends on.

        Not of how many labels scores are read: who reads fewer reads the same of all.
        """
        runtime = (self.session.computing, self.session.version)
        card = self.card
        parts = [card.fingerprint, card.files, card.labels, card.max_length, card.precision]
        form = [card.input_form, card.answers, card.template]
        form += [part for part in (reading(card), "scores" * self.scores) if part]
        # 8-bit answers can differ from one CPU to the next by more than rounding.
        features = [cpu_features()] if self._integers else []
        # Two runs that differ in a user's number of threads alone must not share.
        threads = [f"threads {self._threads_option}"] if self._threads_option else []
        return canonical([*parts, *form, runtime, DECODING, *features, *threads]).decode()

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input; those of one length go together, without padding."""
        for start in range(0, len(inputs), WINDOW):
            encoded: list[Any] = []
            for at in range(start, min(start + WINDOW, len(inputs)), ENCODED_AT_ONCE):
                encoded += self.reader.encode(
                    inputs[at : min(at + ENCODED_AT_ONCE, start + WINDOW)]
                )
                yield []  # a sign of life
            fitting, answers = [], []
            for index, item in enumerate(encoded):
                if isinstance(item, InputRefusal):
                    answers.append((start + index, Prediction(None, reason=item.reason)))
                else:
                    fitting.append(index)
            if answers:
                yield answers
            batches = self.batches([encoded[index] for index in fitting])
            chosen = [[fitting[position] for position in batch] for batch in batches]
            items = ([encoded[index] for index in batch] for batch in chosen)
            answered = in_lanes(self._answer, items, self.lanes)
            for batch, predictions in zip(chosen, answered, strict=True):
                yield [(start + index, p) for index, p in zip(batch, predictions, strict=True)]

    @property
    def lanes(self) -> int:
        """How many batches run at the same time; one on a GPU, which computes them in sequence."""
        return self._shared.at_once if self.session.device == "cpu" else 1

    def batches(self, items: Sequence[Any]) -> Iterable[list[int]]:
        """Return indices of encoded items by batch, as the device takes them quickest."""
        lengths = [self.reader.lengths(item) for item in items]
        if self.session.device == "cpu" or not items:
            return exact_length_batches(lengths, TOKENS_A_BATCH["cpu"])
        costs = self._costs = self._costs or self._measured(items)
        if not self._pads(items):
            return exact_length_batches(lengths, costs.tokens)
        return bucketed_batches([length for (length,) in lengths], costs)

    def _pads(self, items: Sequence[Any]) -> bool:
        if self.session.device == "cpu" or MASK not in self.session.inputs:
            return False
        shortest = min(items, key=self.reader.lengths)
        longest = max(items, key=self.reader.lengths)
        if self.reader.lengths(shortest) == self.reader.lengths(longest):
            return False
        if self._heeds_mask is None:
            alone = self._logits([shortest])
            padded = self._padded_to(longest)([shortest])
            most = noises.most(self._most_noise, float(np.abs(alone).max()))
            self._heeds_mask = float(np.abs(padded - alone).max()) <= most
        return self._heeds_mask

    def _measured(self, items: Sequence[Any]) -> BatchCosts:
        item = sorted(items, key=self.reader.lengths)[len(items) // 2]
        tried = range(TOKENS_A_BATCH[self.session.device], MOST_TOKENS_A_BATCH + 1)
        length = sum(self.reader.lengths(item))
        return measured(lambda count: self._logits([item] * count), length, tried)

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return the largest difference of a score where only the way of asking differs.

        It is of logits; of a mere score over its range, by which it is scaled. Raises CannotJudge.
        """
        items = [item for item in self.reader.encode(inputs) if not isinstance(item, InputRefusal)]
        chosen = noises.batches([self.reader.lengths(item) for item in items])
        sample = [[items[index] for index in batch] for batch in chosen]
        otherwise = self._otherwise(sample) if sample else {}
        noise, scores = noises.measure(sample, self._logits, otherwise, self.lanes)
        noises.check(noise, scores, self._most_noise, self.name)
        low, high = self.card.score_range if self.card.activation == NONE else (0.0, 1.0)
        return {way: moved / (high - low) for way, moved in noise.items()}

    @property
    def _most_noise(self) -> float:
        return MOST_NOISE_HALF if self.card.precision == "fp16" else MOST_NOISE

    def _otherwise(self, sample: Sequence[Sequence[Any]]) -> dict[str, noises.Ask[Any]]:
        model = self._model()

        def on_cpu(**changed: Any) -> noises.Ask[Any]:
            arguments = {"threads": self.session.threads, **changed}
            other = Session(model, "cpu", self.reader.inputs, **arguments)
            return lambda items: self._logits(items, other)

        if self.session.device != "cpu":
            firsts = [batch[0] for batch in sample]
            longest = max(firsts, key=self.reader.lengths)
            padded = {noises.PADDED: self._padded_to(longest)} if self._pads(firsts) else {}
            return {noises.PROVIDER: on_cpu(), **padded}
        changed: dict[str, dict[str, Any]] = {
            "threads": {"threads": 1 if self.session.threads > 1 else 2},
            noises.GRAPH: {"fused": False},
        }
        loaded = in_lanes(lambda what: on_cpu(**what), changed.values(), self.lanes)
        return dict(zip(changed, loaded, strict=True))

    def _model(self) -> Model:
        return read_model(self._files, cards.MODEL)  # the same bytes, or the run ends

    def _padded_to(self, longest: Any) -> noises.Ask[Any]:
        def scores(items: Sequence[Any]) -> Array:
            own = tuple(map(slice, self.reader.shape(items)))
            return self._logits([*items, longest])[own]

        return scores

    def close(self) -> None:
        """All is in memory."""

    def _answer(self, items: Sequence[Any]) -> list[Prediction]:
        logits = self._logits(items)
        answers = self.reader.decode(items, logits)
        if not self.scores:
            return answers
        pairs = zip(answers, logits, strict=True)
        return [relation_text.with_scores(answer, row) for answer, row in pairs]

    def _logits(self, items: Sequence[Any], session: Session | None = None) -> Array:
        logits = (session or self.session).logits(self.reader.feeds(items))
        wanted = self.reader.shape(items)
        if logits.shape != wanted:
            raise CannotJudge(
                f"Checkpoint {self.name}: its logits have the shape {logits.shape}. Expected "
                f"{wanted} for {wanted[0]} inputs and {wanted[-1]} labels. Fix the labels in "
                f"{cards.CARD} or export the checkpoint again."
            )
        with np.errstate(over="ignore"):  # of doubles; reported below
            scores = logits.astype(np.float32, copy=False)
        if not np.isfinite(scores).all():
            raise CannotJudge(
                f"Checkpoint {self.name}: its logits have NaN or infinity. Train or convert the "
                "checkpoint again, or export it with --precision fp32."
            )
        return scores
