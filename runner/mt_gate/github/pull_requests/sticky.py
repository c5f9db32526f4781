"""One comment a gate: its hidden marker, and how the comment is found, updated or made."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from mt_gate.github.pull_requests.thread import ApiFailure, Comment, Thread

NOT_FOUND = 404


class Done(StrEnum):
    """What became of the comment."""

    CREATED = "created"
    UPDATED = "updated"
    LEFT_OUT = "omitted"


class CommentOutcome(NamedTuple):
    """What became of the comment, and how many more of the same gate stand below it."""

    done: Done
    others: int = 0


def marker(gate: str) -> str:
    """Return the hidden line that a gate's comment begins with.

    Everything but ASCII letters, digits, ``_`` and ``.`` is percent-encoded, hyphens too: no name
    can close the HTML comment, or be the beginning of another's marker.
    """
    named = "".join(
        character if character.isascii() and (character.isalnum() or character in "_.") else
        "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in gate
    )  # fmt: skip
    return f"<!-- mt-gate comment {named} -->"


def find(thread: Thread, gate: str) -> list[Comment]:
    """Return the gate's own comments, oldest first.

    A comment is the gate's own where it begins with the marker and was written by a bot or by the
    token's user: anybody may write a marker, and what a person wrote is never edited.
    """
    marked = [item for item in thread.comments() if item.body.startswith(marker(gate))]
    if all(item.bot for item in marked):
        return marked
    me = thread.me()
    return [item for item in marked if item.bot or (me and item.author == me)]


def put(thread: Thread, gate: str, body: str, *, only_update: bool = False) -> CommentOutcome:
    """Update the gate's comment, or make it.

    Jobs may run beside each other, and a server may fail after it has carried out a create, more
    than once. So who has made a comment looks again, and where an older one of the gate stands,
    that one is updated; the new one is deleted, and what between them says the very same: all come
    to the same one comment.

    Args:
        thread: the pull request's comments.
        gate: the gate's name.
        body: the text, beginning with the gate's marker.
        only_update: make none where there is none.

    Raises:
        ApiFailure: GitHub refused, or could not be reached.
    """
    own = find(thread, gate)
    if own:
        thread.edit(own[0].id, body)
        return CommentOutcome(Done.UPDATED, len(own) - 1)
    if only_update:
        return CommentOutcome(Done.LEFT_OUT)
    made = thread.create(body)
    older = [item for item in find(thread, gate) if item.id < made]
    if not older:
        return CommentOutcome(Done.CREATED)
    first, *between = older
    thread.edit(first.id, body)
    again = [item.id for item in between if item.body == body]
    for twin in (*again, made):
        _take_away(thread, twin)
    return CommentOutcome(Done.UPDATED, len(between) - len(again))


def _take_away(thread: Thread, comment: int) -> None:
    """Delete a comment, which a job beside this one may have done."""
    try:
        thread.delete(comment)
    except ApiFailure as failure:
        if failure.status != NOT_FOUND:
            raise
