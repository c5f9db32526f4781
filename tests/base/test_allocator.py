"""Memory that is let go is given back."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

LETS_GO = """
import numpy as np
from mt_gate.base.allocator import give_back_arrays

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

if {given}:
    give_back_arrays()
held = []
np.ones(30_000_000 // 8)[:0]  # once let go, as large ones are kept
before = resident()
for _ in range(8):
    array = np.ones(2_000_000 // 8)
    held.append(np.ones(20_000 // 8))  # stands behind it
    del array
    held.append(np.ones(1_900_000 // 8))
del held[1::2]
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_what_is_let_go_is_given_back() -> None:
    kept, given = (
        int(subprocess.check_output([sys.executable, "-c", LETS_GO.format(given=given)]))
        for given in (False, True)
    )
    assert given < 2_000_000 < kept
