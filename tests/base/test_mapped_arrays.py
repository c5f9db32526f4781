"""Long arrays lie in files: what is read of them leaves memory again, and nothing else changes."""

from __future__ import annotations

import mmap
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mt_gate.base.mapped_arrays import (
    all_mapped,
    copied,
    elements_at,
    in_file,
    is_mapped,
    let_go,
    mapped,
    one_after_the_other,
)
from mt_gate.base.sorted_ids import SortedIds

LONG = np.arange(1 << 20)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[2]) * mmap.PAGESIZE


@pytest.mark.parametrize(
    "array",
    [
        LONG,
        LONG[::3],
        LONG[::-1],
        LONG % 7 > 3,
        LONG.astype(np.float32),
        LONG.astype("S9"),
        LONG.astype(">u8"),
    ],
)
def test_a_long_array_is_the_same_in_a_file(array: np.ndarray[Any, Any]) -> None:
    found = mapped(array)
    assert is_mapped(found)
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)
    assert mapped(found) is found
    with pytest.raises(ValueError, match="read-only"):
        found[0] = found[1]


@pytest.mark.parametrize("array", [LONG[:100], LONG[:0], LONG.astype(object)])
def test_others_stay_as_they_are(array: np.ndarray[Any, Any]) -> None:
    assert mapped(array) is array


def test_parts_come_one_after_the_other() -> None:
    parts = (LONG[start : start + 1000] for start in range(0, len(LONG), 1000))
    assert np.array_equal(in_file(parts, np.int32), LONG)
    assert in_file([], np.int32).tolist() == []
    assert in_file([LONG[:2]], np.uint64).tolist() == [0, 1]


def test_a_short_array_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    assert in_file([LONG[:9], LONG[9:99]], np.int64).tolist() == LONG[:99].tolist()
    assert all_mapped([LONG[:9], LONG[9:99]]).tolist() == LONG[:99].tolist()
    with pytest.raises(FileNotFoundError) as error:
        mapped(LONG)
    assert error.value.filename == "/nonexistent"


def test_what_parts_raise_is_told_as_it_is() -> None:
    def parts() -> Iterator[np.ndarray[Any, Any]]:
        yield LONG
        raise OSError(2, "No such file or directory", "rows")

    with pytest.raises(OSError, match="No such file") as error:
        in_file(parts(), LONG.dtype)
    assert error.value.filename == "rows"


def test_elements_are_taken_in_any_order() -> None:
    places = LONG[::-3]
    assert np.array_equal(elements_at(mapped(LONG), places), places)
    assert np.array_equal(copied(mapped(LONG)), LONG)
    assert is_mapped(all_mapped([mapped(LONG)]))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc: not Linux")
def test_what_was_read_leaves_memory() -> None:
    found = mapped(LONG)
    let_go()
    before = resident()
    assert found.sum() == LONG.sum()
    assert resident() - before >= LONG.nbytes // 2
    let_go()
    assert resident() - before < LONG.nbytes // 2
    for _ in one_after_the_other([1, 2]):
        assert found.sum() == LONG.sum()
    assert resident() - before < LONG.nbytes // 2


def test_sets_of_ids_are_the_same_in_files() -> None:
    ids = SortedIds(f"{number:016x}" for number in range(100_000))
    found = ids.mapped()
    assert is_mapped(found.held)
    assert found == ids
    assert len(found - SortedIds(["0" * 16])) == len(ids) - 1
    assert found.position("0" * 15 + "9") == 9


_FULL = """
import resource, tempfile
import numpy as np
from mt_gate.base.mapped_arrays import in_file, mapped
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
long = np.arange(1 << 20)
parts = (long[start : start + 10] for start in range(0, len(long), 10))
for write in (lambda: mapped(long), lambda: in_file(parts, np.int64)):
    try:
        write()
    except OSError as error:
        print(error.strerror, error.filename == tempfile.gettempdir())
"""


def test_where_there_is_no_room_the_folder_is_named() -> None:
    said = subprocess.run([sys.executable, "-c", _FULL], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["File too large True"] * 2
