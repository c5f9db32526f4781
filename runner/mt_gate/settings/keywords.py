"""The settings as keyword arguments of the Python API, with the types that Python users pass.

``record.py`` defines their meaning, limits and defaults; a test compares the names. None means
that a setting is not passed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypedDict

Place = str | PathLike[str]
Names = str | Sequence[str]


class DecidingKeywords(TypedDict, total=False):
    """Settings that decide a verdict, see ``mt-gate compare``."""

    alpha: float | None
    margin: float | None
    strict: bool | None
    max_applicability_loss: float | None
    max_applicability_drop: float | None
    max_violation_rate: float | Mapping[str, float] | None
    must_hold: Names | None
    required: Names | None
    max_churn: float | None
    max_negative_flips: float | None
    policy: str | Mapping[str, Any] | None
    retrained: bool | None


class SideKeywords(DecidingKeywords, total=False):
    """Settings of a run of one or two systems, see ``mt-gate qualify``."""

    task: str | None
    suite: Place | None
    out: Place | None
    name: str | None
    device: str | None
    precision: str | None
    backend: str | None
    threads: int | None
    base_precision: str | None
    base_device: str | None
    base_threads: int | None
    endpoint: str | None
    prompt: Place | None
    base_prompt: Place | None
    repeats: int | None
    concurrency: int | None
    max_requests: int | None
    max_cost: float | None
    timeout: float | None
    max_memory: float | None
    system_environment: Names | None
    labels: Place | None
    relations: Names | None
    sources: int | None
    exclude: Names | None
    mask_offensive: bool | None
    cache: Place | None
    answers: Mapping[str, str] | None
    label_map: Mapping[str, Names] | None
    threshold: float | Mapping[str, float] | None
    max_length: int | None
    ontology: Place | None


class RunKeywords(SideKeywords, total=False):
    """Settings of a run, see ``mt-gate run``; ``system`` is a parameter of ``run``."""

    checkpoint: Place | None
    baseline: Place | None
    against: Place | None
    early_stop: bool | None
    record_missing: bool | None
