"""What a workflow hands to a step: the inputs, and the event that started it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from mt_gate.base.jsonio import decode_json, read_bytes

T = TypeVar("T")
MAX_EVENT = 32 << 20
"""Bytes of an event's file; GitHub's own are at most 25 MB."""
Hash = Annotated[str, msgspec.Meta(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\Z")]
"""The full name of a commit."""


def step_input(environment: Mapping[str, str], name: str) -> str:
    """Return an input of the action, as it is called in ``action.yml``; empty if left out."""
    return environment.get(f"INPUT_{name.upper()}", "").strip()


def read_event(path: Path, kind: type[T], cause: str) -> T:
    """Read what is needed of the event in ``GITHUB_EVENT_PATH``; ``cause`` closes each message."""
    cause = cause[:1].upper() + cause[1:]
    return decode_json(read_bytes(path, limit=MAX_EVENT, cause=cause), kind, path=path, cause=cause)
