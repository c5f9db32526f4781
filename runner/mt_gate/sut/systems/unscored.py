"""What systems have in common that answer without scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from mt_gate.base.jsonio import canonical
from mt_gate.results.result import CheckpointHead, Runtime
from mt_gate.sut.protocol import Noise, Prediction


class Unscored:
    """A system whose answers come without scores.

    How close an answer was to another is not known: ``margin`` of its predictions stays infinite
    and it has no noise, so that no group counts as unstable. A system that answers the same input
    differently from time to time shows that as changed groups.
    """

    def noise(self, inputs: Sequence[Mapping[str, Any]]) -> Noise:  # noqa: ARG002
        """Return nothing: there is no score that could differ."""
        return {}

    def close(self) -> None:
        """Let go of what the system holds; most hold nothing."""


def head(
    name: str, provider: str, *, fingerprint: str = "", device: str = "", cpu: str = ""
) -> CheckpointHead:
    """Return who answers; what a system does not know of itself stays empty."""
    runtime = Runtime(provider=provider, precision="", device=device, onnxruntime="", cpu=cpu)
    return CheckpointHead(name=name, fingerprint=fingerprint, runtime=runtime)


def answered(
    inputs: Sequence[Mapping[str, Any]],
    size: int,
    answer: Callable[[Sequence[str]], Sequence[Prediction]],
) -> Iterator[list[tuple[int, Prediction]]]:
    """Yield (index, answer) of every input's text, at most ``size`` at a time."""
    for run in runs(len(inputs), size):
        yield list(zip(run, answer([inputs[at]["text"] for at in run]), strict=True))


def key(kind: str, *parts: object, fingerprint: str) -> str:
    """Return a cache key of a system.

    Without a fingerprint nobody can tell whether it is still the same system behind one name: then
    the key holds the UTC date, so that a run can be taken up again but answers expire.
    """
    day = "" if fingerprint else datetime.now(UTC).date().isoformat()
    return canonical([kind, fingerprint, day, *parts]).decode()


def runs(count: int, size: int) -> Iterator[range]:
    """Yield ranges of at most ``size`` that cover ``range(count)``."""
    for start in range(0, count, size):
        yield range(start, min(start + size, count))
