"""One comment a gate: its hidden marker, and how the comment is found, updated or made."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from mt_gate.github.pull_requests.thread import ApiFailure, Comment, Thread

NOT_FOUND = 404
LONGEST_RUN = 18
"""Digits of a run's id."""
_RUN = re.compile(rf"<!-- mt-gate run (\d{{1,{LONGEST_RUN}}}) -->\s*\Z", re.ASCII)


class Done(StrEnum):
    """What became of the comment."""

    CREATED = "created"
    UPDATED = "updated"
    LEFT_OUT = "omitted"
    OUTDATED = "outdated"


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


def run_mark(run: int) -> str:
    """Return the hidden line that a comment ends with: the id of the run that it is on."""
    return f"<!-- mt-gate run {run} -->"


def _is_later(comment: Comment, run: int) -> bool:
    """Say whether a comment is on a later run than this one: GitHub counts runs up."""
    found = _RUN.search(comment.body)
    return found is not None and run > 0 and int(found[1]) > run


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


def put(
    thread: Thread, gate: str, body: str, *, only_update: bool = False, run: int = 0
) -> CommentOutcome:
    """Update the gate's comment, or make it; that of a later run stays as it is.

    Jobs may run beside each other, and a server may fail after it has carried out a create, more
    than once. So who has made a comment looks again, and where an older one of the gate stands,
    that one is updated; the new one is deleted, and what between them says the very same: all come
    to the same one comment.

    Args:
        thread: the pull request's comments.
        gate: the gate's name.
        body: the text, beginning with the gate's marker.
        only_update: make none where there is none.
        run: the id of the workflow's run that it is on; 0 where that is not known.

    Raises:
        ApiFailure: GitHub refused, or could not be reached.
    """
    if run:
        body = f"{body.rstrip()}\n\n{run_mark(run)}\n"
    own = find(thread, gate)
    if own and _is_later(own[0], run):
        return CommentOutcome(Done.OUTDATED, len(own) - 1)
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
    is_later = _is_later(first, run)
    if not is_later:
        thread.edit(first.id, body)
    again = [item.id for item in between if item.body == body]
    for twin in (*again, made):
        _take_away(thread, twin)
    done = Done.OUTDATED if is_later else Done.UPDATED
    return CommentOutcome(done, len(between) - len(again))


def _take_away(thread: Thread, comment: int) -> None:
    """Delete a comment, which a job beside this one may have done."""
    try:
        thread.delete(comment)
    except ApiFailure as failure:
        if failure.status != NOT_FOUND:
            raise
