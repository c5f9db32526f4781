"""How the C library deals with memory that is let go."""

from __future__ import annotations

import ctypes
from contextlib import suppress

_MMAP_THRESHOLD = -3
"""``M_MMAP_THRESHOLD`` of glibc's ``malloc.h``."""
_LARGE = 1 << 20


def give_back_arrays() -> None:
    """Have arrays of a megabyte or more given back to the system as soon as they are let go.

    Of a million groups a fourth of the peak were arrays that nobody needed: glibc keeps those that
    are as large as one that was let go before. Any other C library is left as it is.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
