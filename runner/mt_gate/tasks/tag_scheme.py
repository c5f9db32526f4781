"""Tag schemes of token classification: BIO, BIOES (BILOU) and bare types.

Schemes differ in their letters only, so all are read by one rule: which
letters open an entity, which continue one. Reading is lenient, as in the
usual scorers: an inside tag without a fitting opening starts an entity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge

OUTSIDE = "O"
PREFIXED = re.compile(r"^([BIESLUM])[-_](.+)$")
_OPENING = frozenset("BSU")
_CLOSING = frozenset("ESLU")


class Tag(NamedTuple):
    """One label of the checkpoint: what it does, and the entity type."""

    type: str
    opens: bool
    closes: bool


class TagScheme(NamedTuple):
    """``tags[i]`` reads label i of the logits; None stands for outside."""

    name: str
    tags: tuple[Tag | None, ...]

    @property
    def types(self) -> list[str]:
        """The entity types, sorted."""
        return sorted({tag.type for tag in self.tags if tag is not None})


def read_tag_scheme(labels: Sequence[str], *, where: str) -> TagScheme:
    """Tell the scheme of a checkpoint's labels.

    Args:
        labels: label texts by index of the last axis of the logits.
        where: the file they stand in, for the message.

    Raises:
        CannotJudge: there is no outside label, or prefixed and bare types are mixed.
    """
    shown = ", ".join(labels[:6]) + (", ..." if len(labels) > 6 else "")
    if OUTSIDE not in labels or len(set(labels)) != len(labels) or len(labels) < 2:
        raise CannotJudge(
            f"{where}: labels are {shown}; task ner expects a tag scheme: 'O' and B-X, I-X "
            "(BIO), with E-X, S-X (BIOES), or bare types, each once. Set id2label in config.json."
        )
    inside = [label for label in labels if label != OUTSIDE]
    matches = [PREFIXED.match(label) for label in inside]
    if all(match is None for match in matches):
        return TagScheme("types", tuple(_bare(label) for label in labels))
    if any(match is None for match in matches):
        raise CannotJudge(
            f"{where}: labels are {shown}; some have a prefix (B-, I-, ...) and some have none. "
            "Expected one tag scheme throughout. Set id2label in config.json."
        )
    letters = {match.group(1) for match in matches if match}
    name = "bioes" if letters & {"E", "S", "L", "U"} else "bio"
    return TagScheme(name, tuple(_prefixed(label) for label in labels))


def _bare(label: str) -> Tag | None:
    return None if label == OUTSIDE else Tag(label, opens=False, closes=False)


def _prefixed(label: str) -> Tag | None:
    match = PREFIXED.match(label)
    if match is None:
        return None
    letter = match.group(1)
    return Tag(match.group(2), letter in _OPENING, letter in _CLOSING)


def entities_of(scheme: TagScheme, label_ids: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return (first word, last word + 1, type) of each entity, in order."""
    found: list[tuple[int, int, str]] = []
    start, current, closed = 0, "", True
    for at, label_id in enumerate(label_ids):
        tag = scheme.tags[label_id]
        continues = tag is not None and not tag.opens and not closed and tag.type == current
        if not continues and current:
            found.append((start, at, current))
            current = ""
        if tag is None:
            closed = True
            continue
        if not continues:
            start, current = at, tag.type
        closed = tag.closes
    if current:
        found.append((start, len(label_ids), current))
    return found
