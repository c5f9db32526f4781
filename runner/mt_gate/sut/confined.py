"""A checkpoint as a system under test, in a process of its own with limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mt_gate.results.result import CheckpointHead
from mt_gate.sut import wire
from mt_gate.sut.card import CheckpointOptions
from mt_gate.sut.limits import Allowed, Limits
from mt_gate.sut.process import Worker
from mt_gate.sut.protocol import Noise, Prediction
from mt_gate.sut.wire import WINDOW
from mt_gate.tasks.table import TASKS

NOISE_ANSWERS = 6
"""Answers' times that a measurement of noise may take: it loads the checkpoint twice again."""


class ConfinedCheckpoint:
    """An exported checkpoint that was opened; ``folder`` is where it lies."""

    def __init__(
        self,
        folder: Path,
        task: str,
        device: str,
        name: str = "",
        asked: CheckpointOptions = CheckpointOptions(),  # noqa: B008 - immutable
        allowed: Allowed = Allowed(),  # noqa: B008 - immutable
    ) -> None:
        """Load an exported checkpoint.

        Raises CannotJudge: anything about the folder's content or the device is unfit. UsageError:
        the checkpoint cannot be read as it is ``asked``.
        """
        self.folder = folder
        self._allowed = allowed
        self._worker = Worker(name or folder.name)
        request = wire.Open(str(folder), TASKS[task].path, device, name, asked)
        self._opened = self._worker.ask(request, wire.Opened, allowed.loading(folder))
        self.card = self._opened.card
        self.labels = self.card.labels
        self.reads_types = self._opened.reads_types

    @property
    def head(self) -> CheckpointHead:
        """Name, fingerprint and runtime."""
        return self._opened.head

    @property
    def cache_key(self) -> str:
        """Everything that an answer depends on."""
        return self._opened.cache_key

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input, a batch after the other.

        Raises CannotJudge: the process breaks a limit, ends, or answers another input than it was
        asked, one twice, or not all.
        """
        limits = self._allowed.answering(self.folder)
        try:
            for start in range(0, len(inputs), WINDOW):
                asked = inputs[start : start + WINDOW]
                self._worker.send(wire.Predict(asked))
                for batch in self._answers(len(asked), limits):
                    yield [(start + index, answer) for index, answer in batch]
        except BaseException:  # what was asked is not all answered: nothing can be asked again
            self._worker.kill()
            raise

    def _answers(self, count: int, limits: Limits) -> Iterator[list[tuple[int, Prediction]]]:
        waiting = set(range(count))
        while not (found := self._worker.reply(wire.Answers, limits)).last:
            batch = wire.predictions(found)
            answered = {index for index, _ in batch}
            if len(answered) < len(batch) or not answered <= waiting:
                raise self._worker.out_of_turn()
            waiting -= answered
            yield batch
        if waiting:
            raise self._worker.out_of_turn()

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:
        """Return how far a score moves where no input has changed."""
        limits = self._allowed.answering(self.folder, NOISE_ANSWERS)
        return self._worker.ask(wire.MeasureNoise(inputs), wire.MeasuredNoise, limits).noise

    def close(self) -> None:
        """End the process."""
        self._worker.kill()
