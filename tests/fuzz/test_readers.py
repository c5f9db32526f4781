"""A short part of ``python -m fuzz``, the same every time, and the inputs that were once faults."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from fuzz.table import TARGETS
from fuzz.target import Target, fault
from fuzz.unguided import inputs
from mt_gate.base.errors import MtGateError

STORED = Path(__file__).parent / "kept"
EXECUTIONS = 100


def is_read(target: Target, data: bytes) -> bool:
    try:
        target.read(data)
    except MtGateError:
        return False
    return True


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_starts_from_what_it_reads(name: str) -> None:
    seeds = TARGETS[name].seeds()
    assert any(is_read(TARGETS[name], data) for data in seeds.values())
    assert all(fault(TARGETS[name], data) is None for data in seeds.values())


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_changed_is_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    some = [*islice(inputs(target, 5), EXECUTIONS)]
    assert len({*some}) > EXECUTIONS // 3
    actual = [(data, fault(target, data)) for data in some]
    assert [result for _, result in actual if result] == []


@pytest.mark.parametrize(
    "path", sorted(STORED.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_what_was_a_fault_is_read_or_refused(path: Path) -> None:
    assert fault(TARGETS[path.parent.name], path.read_bytes()) is None


def broken(data: bytes) -> None:
    if data:
        raise KeyError(data)


def late(data: bytes) -> None:
    raise NotImplementedError(data)


def test_any_other_error_is_a_fault() -> None:
    target = Target(broken, dict)
    assert fault(target, b"") is None
    message = fault(target, b"x")
    assert message is not None
    assert message.kind.startswith("KeyError test_readers.py:")
    assert fault(Target(late, dict, (NotImplementedError,)), b"") is None
