"""How far a checkpoint's scores move where nothing that it was asked has changed, in words."""

from __future__ import annotations

from collections.abc import Mapping

from mt_gate.base import figures

_WAYS = {
    "repeated": "asked again",
    "neighbours": "beside others",
    "padded": "padded",
    "threads": "on other threads",
    "graph": "operator by operator",
    "provider": "on the CPU",
}


def noise_in_words(noise: Mapping[str, float]) -> str:
    """Return the largest difference of a score by what alone was changed; "" of none measured."""
    return ", ".join(
        f"{figures.significant(found)} {_WAYS.get(way, way)}" for way, found in noise.items()
    )
