"""The comments of a pull request as values, whoever serves them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from mt_gate.base.escaping import one_line
from mt_gate.base.redaction import shorten

_LONG_ANSWER = 200


class ApiFailure(Exception):  # noqa: N818 - a state of the other side, not a defect here
    """GitHub refused or could not be reached; the message says which, on one line.

    ``status`` is HTTP's, 0 where no answer came.
    """

    def __init__(self, status: int, message: str) -> None:
        """Keep the status, and the message made safe for one line."""
        self.status = status
        super().__init__(shorten(one_line(message), _LONG_ANSWER))


class Comment(NamedTuple):
    """A comment as far as it matters here; ``bot`` says that no person wrote it."""

    id: int
    author: str
    bot: bool
    body: str


class Thread(Protocol):
    """The comments of one pull request. Every method may raise ``ApiFailure``."""

    def comments(self) -> list[Comment]:
        """Return all comments, oldest first."""

    def me(self) -> str:
        """Return the login of the token's user; empty where the token belongs to none."""

    def create(self, body: str) -> int:
        """Write a comment and return its id."""

    def edit(self, comment: int, body: str) -> None:
        """Replace a comment's text."""

    def delete(self, comment: int) -> None:
        """Take a comment away."""
