"""What shards answered, as the system that answered it: nothing is asked again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mt_gate.base.errors import CannotJudge
from mt_gate.base.jsonio import canonical
from mt_gate.results.result import CheckpointHead
from mt_gate.running.predicting import chunks, input_key, unpacked
from mt_gate.sut.protocol import Noise, Prediction

_AT_ONCE = 1 << 10


class StoredSystem:
    """Answers by the key of their input, packed, and the noise that was measured with them."""

    cache_key = "what shards answered"

    def __init__(self, head: CheckpointHead, noise: Noise, answers: Mapping[bytes, bytes]) -> None:
        """Take what was read of shards."""
        self.head = head
        self._noise = noise
        self._answers = answers

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input as it was answered.

        Raises:
            CannotJudge: one was not.
        """
        for some in chunks(enumerate(inputs), _AT_ONCE):
            yield [(at, self._answer(item)) for at, item in some]

    def _answer(self, item: Mapping[str, Any]) -> Prediction:
        found = self._answers.get(input_key(canonical(item)))
        if found is None:
            raise CannotJudge(
                "the shards: none has the answer to an input of the run; expected one to each; "
                "the system may have answered one input in two ways; run all shards again"
            )
        return unpacked(found)

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002 - as measured
        """Return how far a score moves, as it was measured over the sources of the whole run."""
        return self._noise

    def close(self) -> None:
        """Nothing is held beyond memory."""
