"""Evaluations in which some samples went the other way."""

from __future__ import annotations

from pathlib import Path

import msgspec

from mt_gate.evaluating.records import encoded, plain_share, read_evaluation, rest


def moved(path: Path, out: Path, *, worse: int = 0, better: int = 0) -> Path:
    """Write an evaluation as one in which so many samples had gone the other way."""
    result = read_evaluation(path)
    share = plain_share(result.accuracy.count - better + worse, result.accuracy.of)
    right, wrong = result.samples.right, result.samples.wrong
    samples = msgspec.structs.replace(
        result.samples,
        right=tuple(sorted([*right[better:], *wrong[:worse]])),
        wrong=tuple(sorted([*wrong[worse:], *right[:better]])),
    )
    changed = {"samples": samples, "accuracy": share, "error_rate": rest(share)}
    out.write_bytes(encoded(msgspec.structs.replace(result, **changed)))
    return out
