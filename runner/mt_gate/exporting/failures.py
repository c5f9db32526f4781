"""Failures of the libraries that an export calls: one line each, whatever they raise."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from mt_gate.base.errors import CannotJudge, MtGateError

_MOST_TEXT = 200


@contextlib.contextmanager
def told(what: str, cause: str, *, hiding: tuple[object, object] = ("", "")) -> Iterator[None]:
    """Tell a library's failure in one line.

    Panics of libraries in Rust, and calls that would end the process, share no base class with
    other errors but the last one.

    Args:
        what: was being done to what.
        cause: what was expected and what to do, closing the message.
        hiding: a path of ours that the library may name, and the user's in its place.

    Raises:
        CannotJudge: for whatever was raised but the user's own interruption.
    """
    try:
        yield
    except (MtGateError, KeyboardInterrupt):
        raise
    except BaseException as error:
        found = _brief(error)
        ours, theirs = map(str, hiding)
        found = found.replace(ours, theirs) if ours else found
        raise CannotJudge(f"{what} ({found[:_MOST_TEXT]}); {cause}") from None


def _brief(error: BaseException) -> str:
    """Return the beginning of what an error says; its kind where it says nothing."""
    text = " ".join(str(error)[: 10 * _MOST_TEXT].split())
    return text or type(error).__name__
