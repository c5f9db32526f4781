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
    """Read the event that started a workflow.

    Args:
        path: what ``GITHUB_EVENT_PATH`` names.
        kind: what is needed of the event.
        cause: what to do, closing each message.

    Raises:
        CannotJudge: missing, unreadable, too large, or not of that form.
    """
    return decode_json(read_bytes(path, limit=MAX_EVENT, cause=cause), kind, path=path, cause=cause)
