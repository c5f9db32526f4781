"""An exported checkpoint as a system under test, and the noise of its scores.

Scores of an input depend slightly on the other inputs of its batch, on padding, on the number of
threads and on the processor, which change the order of sums. These differences are noise: a case
whose margin is smaller than the noise is unstable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.files import canonical
from mt_gate.domain import NotApplicable
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.sut import card as cards
from mt_gate.sut import relation_text
from mt_gate.sut.batching import (
    BatchCosts,
    Lengths,
    bucketed_batches,
    exact_length_batches,
    in_lanes,
    measured,
    share,
)
from mt_gate.sut.card import reading
from mt_gate.sut.folder import CheckpointFolder, Model, read_model
from mt_gate.sut.processes import cpu_features, cpu_name, usable_cores
from mt_gate.sut.prompt import describe
from mt_gate.sut.protocol import PROVIDER, Noise, Prediction
from mt_gate.sut.reader import (
    IDS,
    MASK,
    InputRefusal,
    longest,
    open_reader,
    short_feeds,
    stretched,
)
from mt_gate.sut.session import Session, has_cuda
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.spec import PROMPT
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.text import NONE

LENGTHS = 8
"""Maximum number of input lengths in a noise sample."""
NEIGHBOURS = 4
"""Number of inputs of one length in a batch; if there are fewer, they are repeated."""
ALONE = 2
"""Number of inputs of a batch that are also predicted alone."""
USUAL = 10.0
"""Usual size of a checkpoint's largest scores; noise may grow with scores above it."""

Array = np.ndarray[Any, Any]
Item = TypeVar("Item")
Ask = Callable[[Sequence[Item]], Array]
"""A function from items of one length to their scores; the first axis is the items."""


_SIZE = "size"
PADDED = "padded"
"""Key of the noise by padding: batches of a GPU have inputs of several lengths."""
_MISTAKES = {
    "repeated": (
        "run twice",
        "a random operator, or active dropout. Export the checkpoint in eval mode",
    ),
    "neighbours": (
        "run alone and in a batch with others of its length",
        "active batch statistics, or activations quantised per batch. Export the checkpoint "
        "in eval mode, or with --precision int8, which quantises only weights",
    ),
    "threads": (
        "run with another number of threads",
        "an operator that sums in no fixed order. Export the checkpoint with standard operators",
    ),
    PADDED: (
        "run alone and padded to the length of another",
        "an operator that ignores attention_mask. Export the checkpoint again, or run it with "
        "--device cpu, where nothing is padded",
    ),
}
"""Changes of an input's computation, and the likely cause if scores move; report the first."""
GRAPH = "graph"
"""Key of the noise by operator fusion: without it, the same sums have another order."""


def choose_sample(lengths: Sequence[Lengths]) -> list[list[int]]:
    """Return indices of ``lengths`` in batches of ``NEIGHBOURS``, at most ``LENGTHS`` of them.

    All inputs of a batch have the same length. Prefer lengths that several inputs have, and spread
    the chosen lengths evenly from the shortest to the longest.
    """
    of: defaultdict[Lengths, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        of[length].append(index)
    shared = sorted(length for length, same in of.items() if len(same) > 1)
    single = sorted(length for length, same in of.items() if len(same) == 1)
    chosen = _spread(shared, LENGTHS)
    chosen += _spread(single, LENGTHS - len(chosen))
    # Adjacent inputs of a suite are often similar, so take neighbours from all of it.
    alike = [_spread(of[length], NEIGHBOURS) for length in chosen]
    return [(same * NEIGHBOURS)[:NEIGHBOURS] for same in alike]


def _spread(items: Sequence[Item], count: int) -> list[Item]:
    if len(items) <= count:
        return [*items]
    steps = max(1, count - 1)
    return [items[step * (len(items) - 1) // steps] for step in range(count)]


def measure_noise(
    sample: Sequence[Sequence[Item]],
    ask: Ask[Item],
    otherwise: Mapping[str, Ask[Item]],
    lanes: int = 1,
) -> tuple[Noise, float]:
    """Measure how much the scores of a sample change with the way they are computed.

    ``otherwise`` has functions that change one thing each. Return the largest difference of a score
    for each change, and the largest score.
    """

    def difference(one: Array, other: Array) -> float:
        return float(np.abs(one - other).max())

    def moved(batch: Sequence[Item]) -> dict[str, float]:
        first = batch[:1]
        together, alone = ask(batch), [ask([item]) for item in batch[:ALONE]]
        return {
            "repeated": difference(ask(first), alone[0]),
            "neighbours": difference(together[:ALONE], np.concatenate(alone)),
            **{way: difference(other(first), alone[0]) for way, other in otherwise.items()},
            _SIZE: float(np.abs(together).max()),
        }

    measured = [*in_lanes(moved, sample, lanes)]
    largest = {
        way: max(differences[way] for differences in measured) for way in (measured or [{}])[0]
    }
    return largest, largest.pop(_SIZE, 0.0)


def most_moved(bound: float, scores: float) -> float:
    """Return how far scores up to ``scores`` may move: ``bound``, or more if they are large."""
    return bound * max(1.0, scores / USUAL)


def check_noise(noise: Noise, scores: float, bound: float, name: str) -> None:
    """Reject a checkpoint whose scores move by more than rounding explains. Raises CannotJudge."""
    allowed = most_moved(bound, scores)
    for way, (underwent, mistake) in _MISTAKES.items():
        if noise.get(way, 0.0) > allowed:
            raise CannotJudge(
                f"Checkpoint {name}: the scores of an input {underwent} differ by up to "
                f"{noise[way]:.2g} (limit {allowed:.2g}), so mt-gate cannot distinguish changed "
                f"predictions from noise. Likely cause: {mistake}."
            )


TOKENS_A_BATCH = {"cpu": 512, "cuda": 1024}
"""Tokens of a batch. A CPU gains nothing by more. A GPU starts with this number and doubles it, up
to ``MOST_TOKENS_A_BATCH``, as long as that is faster (``sut.batching``)."""
MOST_TOKENS_A_BATCH = 1 << 17
ENCODED_AT_ONCE = 1000
"""Inputs that are encoded between two signs of life."""
MOST_NOISE = 1e-3
"""Largest accepted noise of a score; rounding in fp32 causes far less (``check_noise``)."""
MOST_NOISE_HALF = 0.1
"""Largest accepted noise of a score in fp16."""
DECODING = 2
"""Increase this if the same logits give another prediction, so that caches expire."""


class OnnxSystem:
    """A checkpoint in ONNX Runtime; its reader knows the task and the input form."""

    is_onnx = True
    """Whether sessions are of ONNX Runtime, which fuses operators and takes several threads."""

    def __init__(
        self,
        folder: Path,
        task: str,
        device: str,
        name: str = "",
        options: cards.CheckpointOptions = cards.CheckpointOptions(),  # noqa: B008 - immutable
    ) -> None:
        card = cards.read_card(folder, task)
        self._files = CheckpointFolder(folder, card.files)
        card, model = self.identify(card)
        self.card = cards.with_options(card, options, str(folder / cards.CARD))
        self.reader = open_reader(self._files, self.card)
        self._threads = options.threads or usable_cores()
        on_gpu = device != "cpu" and has_cuda()
        # A GPU computes batches one after another.
        self.lanes, threads = 1, self._threads
        if not on_gpu and self.is_onnx:
            self.lanes, threads = share(self._threads, model.size, self.card.max_length)
        self.session = self.open_session(model, device, threads)
        self._integers = model.integers
        self.labels = self.card.labels
        self.reads_types = self.reader.reads_types
        self._options = options
        self._costs: BatchCosts | None = None
        self._heeds_mask: bool | None = None
        self.name = name or card.name or folder.resolve().name
        probe = TASKS[self.card.task].probe
        (item,) = self.reader.encode([self.reader.probe(probe)])
        if isinstance(item, InputRefusal):
            if item.reason is NotApplicable.NO_TOKENS:
                raise CannotJudge(
                    f"Checkpoint {self.name}: {cards.TOKENIZER} gives no token for a sentence. Use "
                    "the tokenizer that the checkpoint was trained with."
                )
            raise CannotJudge(
                f"Checkpoint {self.name}: max_length {self.card.max_length} is too small even for "
                f"a short input ({item.reason}). Raise it."
            )
        self._answer([item])
        if self.session.fixed or (card.parity is None and card.max_length == cards.USUAL_LENGTH):
            self._limit_length(options)

    def _limit_length(self, options: cards.CheckpointOptions) -> None:
        feeds = short_feeds(self.reader, self.card.task)
        if IDS not in feeds:
            return
        session = self.session
        if session.device != "cpu":  # a GPU reports no position that is out of range
            session = self.open_session(self.read_model(), "cpu", self.session.threads)

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
            self.reader = open_reader(self._files, self.card)

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
            prompt=describe(self.card.template, self.card.label_texts, {})
            if self.card.input_form == PROMPT
            else "",
        )

    @property
    def cache_key(self) -> str:
        """Everything that a prediction or the measured noise depends on.

        The number of labels with scores is no part of it: it does not change a score.
        """
        runtime = (self.session.computing, self.session.version)
        card = self.card
        parts = [card.fingerprint, card.files, card.labels, card.max_length, card.precision]
        form = [card.input_form, card.answers, card.template]
        form += [part for part in (reading(card), "scores" * self._options.scores) if part]
        # 8-bit predictions can differ between CPUs by more than rounding.
        features = [cpu_features()] if self._integers else []
        # Two runs that differ only in the number of threads must not share predictions.
        threads = [f"threads {self._options.threads}"] if self._options.threads else []
        return canonical([*parts, *form, runtime, DECODING, *features, *threads]).decode()

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict every input, in batches that suit the device; see ``batches``."""
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

    def batches(self, items: Sequence[Any]) -> Iterable[list[int]]:
        """Return the indices of encoded items by batch, in the fastest batches for the device."""
        lengths = [self.reader.lengths(item) for item in items]
        if self.session.device == "cpu" or not items:
            return exact_length_batches(lengths, TOKENS_A_BATCH["cpu"])
        if self._costs is None:
            item = sorted(items, key=self.reader.lengths)[len(items) // 2]
            tried = range(TOKENS_A_BATCH[self.session.device], MOST_TOKENS_A_BATCH + 1)
            size = sum(self.reader.lengths(item))
            self._costs = measured(lambda count: self._logits([item] * count), size, tried)
        if not self._pads(items):
            return exact_length_batches(lengths, self._costs.tokens)
        return bucketed_batches([length for (length,) in lengths], self._costs)

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
            most = most_moved(self._most_noise, float(np.abs(alone).max()))
            self._heeds_mask = float(np.abs(padded - alone).max()) <= most
        return self._heeds_mask

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return the largest difference of a score for each change of the computation.

        Differences are of logits; those of a single score are divided by its range. Raises
        CannotJudge: scores differ by more than rounding explains.
        """
        items = [item for item in self.reader.encode(inputs) if not isinstance(item, InputRefusal)]
        chosen = choose_sample([self.reader.lengths(item) for item in items])
        sample = [[items[index] for index in batch] for batch in chosen]
        otherwise = self._otherwise(sample) if sample else {}
        noise, scores = measure_noise(sample, self._logits, otherwise, self.lanes)
        check_noise(noise, scores, self._most_noise, self.name)
        low, high = self.card.score_range if self.card.activation == NONE else (0.0, 1.0)
        return {way: moved / (high - low) for way, moved in noise.items()}

    @property
    def _most_noise(self) -> float:
        return MOST_NOISE_HALF if self.card.precision == "fp16" else MOST_NOISE

    def _otherwise(self, sample: Sequence[Sequence[Any]]) -> dict[str, Ask[Any]]:
        model = self.read_model()

        def on_cpu(**changed: Any) -> Ask[Any]:
            other = self.open_session(model, "cpu", **{"threads": self.session.threads, **changed})
            return lambda items: self._logits(items, other)

        if self.session.device != "cpu":
            firsts = [batch[0] for batch in sample]
            longest = max(firsts, key=self.reader.lengths)
            padded = {PADDED: self._padded_to(longest)} if self._pads(firsts) else {}
            return {PROVIDER: on_cpu(), **padded}
        changed: dict[str, dict[str, Any]] = {
            "threads": {"threads": 1 if self.session.threads > 1 else 2},
            **({GRAPH: {"fused": False}} if self.is_onnx else {}),
        }
        loaded = in_lanes(lambda what: on_cpu(**what), changed.values(), self.lanes)
        return dict(zip(changed, loaded, strict=True))

    def identify(self, card: cards.Card) -> tuple[cards.Card, Model]:
        """Return the card with the fingerprint of its files, and the model."""
        return cards.identify(self._files, card)

    def read_model(self) -> Model:
        """Return the model again; fail if its file has changed."""
        return read_model(self._files, cards.MODEL)

    def open_session(self, model: Model, device: str, threads: int, fused: bool = True) -> Session:
        """Return a session of the model."""
        return Session(model, device, self.reader.inputs, threads, fused)

    def _padded_to(self, longest: Any) -> Ask[Any]:
        def scores(items: Sequence[Any]) -> Array:
            own = tuple(map(slice, self.reader.shape(items)))
            return self._logits([*items, longest])[own]

        return scores

    def close(self) -> None:
        """Do nothing: the model is in memory."""

    def _answer(self, items: Sequence[Any]) -> list[Prediction]:
        logits = self._logits(items)
        answers = self.reader.decode(items, logits)
        if not self._options.scores:
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
        with np.errstate(over="ignore"):  # doubles may overflow; reported below
            scores = logits.astype(np.float32, copy=False)
        if not np.isfinite(scores).all():
            raise CannotJudge(
                f"Checkpoint {self.name}: its logits have NaN or infinity. Train or convert the "
                "checkpoint again, or export it with --precision fp32."
            )
        return scores
