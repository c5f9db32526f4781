"""mt-gate: a CI gate that compares metamorphic violation rates of NLP checkpoints.

The names in ``__all__`` are the Python API, stable from 1.0; ``mt_gate.api`` has it. It is imported
at its first use, so ``import mt_gate`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mt_gate.api import RelationRecord as RelationRecord
    from mt_gate.api import Result as Result
    from mt_gate.api import SuiteFacts as SuiteFacts
    from mt_gate.api import build_suite as build_suite
    from mt_gate.api import compare as compare
    from mt_gate.api import load_suite as load_suite
    from mt_gate.api import qualify as qualify
    from mt_gate.api import record_baseline as record_baseline
    from mt_gate.api import run as run
    from mt_gate.base.errors import CannotJudge as CannotJudge
    from mt_gate.base.errors import MtGateError as MtGateError
    from mt_gate.base.errors import UsageError as UsageError

__version__ = "0.1.0"
__all__ = [
    "CannotJudge",
    "MtGateError",
    "RelationRecord",
    "Result",
    "SuiteFacts",
    "UsageError",
    "build_suite",
    "compare",
    "load_suite",
    "qualify",
    "record_baseline",
    "run",
]


def __getattr__(name: str) -> object:
    """Return a name of the Python API."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mt_gate import api

    return getattr(api, name)
