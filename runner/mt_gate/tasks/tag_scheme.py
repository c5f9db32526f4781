"""Tag schemes of token classification: BIO, IOB1, IOE, BIOES, BILOU, BMES, and bare types.

Schemes differ in their letters only, so all are read by one rule: which
letters open an entity, which continue one. Reading is lenient, as in the
usual scorers: an inside tag without a fitting opening starts an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge

OUTSIDE = "O"
PREFIXED = re.compile(r"^([BIESLUM])[-_](.+)$")
_OPENING = frozenset("BSUW")
_CLOSING = frozenset("ESLUW")
_NEEDED = frozenset("BI")
"""Letters that show a tag scheme; other letters also begin or end names of types: E-mail."""
_LETTER, _SEPARATOR = "(?P<letter>[BIESLUMW])", r"[-_.:/|#+~@\s]"
_WORD = (
    "(?P<letter>BEGIN(?:NING)?|BEG|START|INSIDE|INTERMEDIATE|IN|CONT|CONTINU(?:E|ATION)|MIDDLE|MID"
    "|END|LAST|SINGLE(?:TON)?|UNIT|WHOLE)"
)
_OTHER_LETTERS = {"START": "B", "CONT": "I", "CONTINUE": "I", "CONTINUATION": "I"}
_WAYS, _WORDY_WAYS = (
    tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            f"{_SEPARATOR}*{letter}{_SEPARATOR}*(?P<type>)",
            f"{letter}{_SEPARATOR}+(?P<type>.+)",
            f"(?P<type>.+?){_SEPARATOR}+{letter}",
        )
    )
    for letter in (_LETTER, _WORD)
)
"""Orders of letter and type in a label: the letter alone (one type without a name), B-PER, PER-B.
Words count as letters if begin and inside are among them; else LAST_NAME and END_DATE are types."""
_TOGETHER = re.compile(f"{_LETTER}(?P<type>.{{2,}})")
_SPECIAL = re.compile(r"o|x|pad|cls|sep|unk|mask|\[[^\]]*\]|<[^>]*>", re.IGNORECASE)
"""Labels read as outside: of padding, of special tokens, of later pieces of a word."""


class Tag(NamedTuple):
    """One label of a checkpoint: its entity type, and whether it opens or closes an entity."""

    type: str
    opens: bool
    closes: bool


class TagScheme(NamedTuple):
    """A tag scheme; ``tags[i]`` is the tag of label i of the logits, None for outside."""

    name: str
    tags: tuple[Tag | None, ...]

    @property
    def types(self) -> list[str]:
        """The entity types, sorted."""
        return sorted({tag.type for tag in self.tags if tag is not None})


class _Parts(NamedTuple):
    """The parts of a label; the letter in upper case."""

    letter: str
    type: str


def read_tag_scheme(labels: Sequence[str], *, where: str) -> TagScheme:
    """Read the scheme of a checkpoint's labels, by index of the last axis of the logits.

    Raises CannotJudge: there is no outside label, or the labels mix schemes.
    """
    shown = ", ".join(labels[:6]) + (", ..." if len(labels) > 6 else "")
    inside = [label for label in labels if not _SPECIAL.fullmatch(label)]
    has_outside = any(label.upper() == OUTSIDE for label in labels)
    if not has_outside or not inside or len(set(labels)) != len(labels):
        raise CannotJudge(
            f"{where}: the labels are {shown}. Task ner needs a tag scheme: 'O' and B-X, I-X "
            "(BIO), with E-X, S-X (BIOES), or bare types, each once. Set id2label in config.json."
        )
    parts = _parts(inside)
    if parts is None and _is_mixed(inside):
        raise CannotJudge(
            f"{where}: the labels are {shown}. Some have a letter of a tag scheme (B-X, X-I, ...) "
            "and some have none. Use one tag scheme throughout. Set id2label in config.json."
        )
    if parts is None:
        bare = {label: Tag(label, opens=False, closes=False) for label in inside}
        return TagScheme("types", tuple(map(bare.get, labels)))
    name = "bioes" if any(part.letter in _CLOSING for part in parts.values()) else "bio"
    tags = {
        label: Tag(part.type, part.letter in _OPENING, part.letter in _CLOSING)
        for label, part in parts.items()
    }
    return TagScheme(name, tuple(map(tags.get, labels)))


def _parts(inside: Sequence[str]) -> Mapping[str, _Parts] | None:
    """Return letter and type of each label; None if not all have both in one way."""
    for way in _WAYS:
        parts = _matched(way, inside)
        letters = {part.letter for part in parts.values()}
        is_scheme = _NEEDED & letters or all(map(PREFIXED.match, inside))
        if len(parts) == len(inside) and is_scheme:
            return parts
    for way in (*_WORDY_WAYS, _TOGETHER):
        parts = _matched(way, inside)
        if len(parts) == len(inside) and all(map(_is_pair, _letters_of(parts.values()).values())):
            return parts
    return None


def _is_pair(letters: set[str]) -> bool:
    return "B" in letters and bool({"I", "M"} & letters)


def _matched(way: re.Pattern[str], inside: Sequence[str]) -> dict[str, _Parts]:
    parts = {}
    for label in inside:
        if match := way.fullmatch(label):
            letter = match["letter"].upper()
            kind = match["type"].upper() if label.islower() else match["type"]
            parts[label] = _Parts(_OTHER_LETTERS.get(letter, letter[0]), kind)
    return parts


def _letters_of(parts: Iterable[_Parts]) -> Mapping[str, set[str]]:
    letters: dict[str, set[str]] = {}
    for part in parts:
        letters.setdefault(part.type, set()).add(part.letter)
    return letters


def _is_mixed(inside: Sequence[str]) -> bool:
    """Whether some labels are tags although not all are: B or I, or one type with two letters."""
    for way in _WAYS:
        parts = _matched(way, inside).values()
        if any(part.letter in _NEEDED for part in parts):
            return True
        if any(len(letters) > 1 for letters in _letters_of(parts).values()):
            return True
    return any(
        _is_pair(letters)
        for way in (*_WORDY_WAYS, _TOGETHER)
        for letters in _letters_of(_matched(way, inside).values()).values()
    )


def entities_of(scheme: TagScheme, label_ids: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return (first word, last word + 1, type) of each entity, in order."""
    entities: list[tuple[int, int, str]] = []
    start, closed = 0, True
    current: str | None = None
    for at, label_id in enumerate(label_ids):
        tag = scheme.tags[label_id]
        continues = tag is not None and not tag.opens and not closed and tag.type == current
        if not continues and current is not None:
            entities.append((start, at, current))
            current = None
        if tag is None:
            closed = True
            continue
        if not continues:
            start, current = at, tag.type
        closed = tag.closes
    if current is not None:
        entities.append((start, len(label_ids), current))
    return entities
