"""Read a user's sources: one text per line, or JSON lines with the texts of an input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, page, quoted, reported
from mt_gate.base.files import canonical
from mt_gate.domain import MAX_SLICES, Source
from mt_gate.relations.base import has_known_answers
from mt_gate.suites.format import MAX_TEXT, check_input
from mt_gate.tasks.boolq import NO, YES
from mt_gate.tasks.spec import TaskSpec

MAX_FILE, MAX_SOURCE_LINES = 256 << 20, 4_000_000
"""Maximum number of bytes, and maximum lines including empty ones, of a file of sources."""
_LONGEST_ID = 200
_GOLD = ("label", "labels", "answer", "gold")
"""Keys of a line that state its right answer."""
_ESCAPED_HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
"""An escaped surrogate in JSON: half of a character, with or without the other half."""
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff]")
_CAUSE = f"Expected UTF-8 text, one source per line: {page('own-relations')}"


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbers, counted from 1, and the texts of the lines that are not blank.

    Raises:
        UsageError: the file is missing, too large, or not UTF-8.
    """
    try:
        text = files.read_whole(path, limit=MAX_FILE, cause=_CAUSE).decode("utf-8-sig")
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 ({reported(error)}). {_CAUSE}") from None
    lines = text.split("\n", MAX_SOURCE_LINES)
    if len(lines) > MAX_SOURCE_LINES:
        raise UsageError(f"{path} has more than {MAX_SOURCE_LINES} lines. {_CAUSE}")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line.strip()


def read_json(path: Path, number: int, line: str) -> dict[str, Any]:
    """Return the JSON object of a line.

    Raises:
        UsageError: the line is not a JSON object.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        message = reported(error)
        if isinstance(error, json.JSONDecodeError):  # its line number is always 1
            message = f"{error.msg} at character {error.colno}"
        raise UsageError(
            f"{path}:{number} is not a JSON object ({message}). Expected one in braces on each "
            f"line: {page('own-relations')}"
        ) from None
    if not isinstance(value, dict):
        raise UsageError(f"{path}:{number} is {quoted(value)}. Expected a JSON object.")
    if _ESCAPED_HALF.search(line) and (fault := unprintable(json.dumps(value, ensure_ascii=False))):
        raise UsageError(f"{path}:{number} has {fault}. Remove it.")
    return value


def read_sources(paths: tuple[Path, ...], task: TaskSpec) -> list[Source]:
    """Return the sources of files, each input once; the default id is file and line number.

    Raises:
        UsageError: a file cannot be read, a line is invalid, or there are no sources.
    """
    sources: dict[bytes, Source] = {}
    ids: set[str] = set()
    for path in paths:
        for number, line in read_lines(path):
            where = f"{path}:{number}"
            row = read_json(path, number, line) if line.startswith("{") else {}
            stated = row.get("id", f"{path.stem}-{number}")
            if not isinstance(stated, str | int) or not 0 < len(str(stated)) <= _LONGEST_ID:
                raise UsageError(f"{where}: id {quoted(stated)} is invalid. Expected a short text.")
            name, source_input = str(stated), input_of(row or line, task, where)
            gold, key = gold_of(row, task, where), canonical(source_input)
            if key in sources:
                if row and gold != sources[key].gold:
                    raise UsageError(
                        f"{where}: an earlier line has the same text with another label. Remove "
                        "one of the two."
                    )
                continue
            if name in ids:
                raise UsageError(f"{where}: id {quoted(name)} occurs twice. Change one id.")
            ids.add(name)
            slices = slices_of(row, where)
            sources[key] = Source(
                id=name, input=source_input, origin=path.name, gold=gold, slices=slices
            )
    if not sources:
        raise UsageError(f"{', '.join(map(str, paths))} has no source. {_CAUSE}")
    return clustered(sources.values(), task)


def gold_of(row: Mapping[str, Any], task: TaskSpec, where: str) -> tuple[str, ...] | None:
    """Return the right answer that a line states; None if it or the task has none.

    The usual key is ``label`` or ``labels`` for task text, ``answer`` (yes, no, true or false) for
    boolq, and ``gold``, a list of ``SCHEME:label``, for re.

    Raises:
        UsageError: the right answer is invalid, or under two keys.
    """
    stated = [name for name in _GOLD if row.get(name) is not None]
    if not stated or not has_known_answers(task):
        return None
    if len(stated) > 1:
        raise UsageError(f"{where} has both {stated[0]} and {stated[1]}. Omit one.")
    value = row[stated[0]]
    if isinstance(value, bool):
        value = YES if value else NO
    labels = [value] if isinstance(value, str) else value
    if not isinstance(labels, list) or not all(_is_label(one) for one in labels):
        raise UsageError(f"{where}: {stated[0]} is {quoted(value)}. Expected a label, or a list.")
    unknown = [one for one in labels if task.answers and one not in task.answers]
    if unknown:
        expected = ", ".join(task.answers)
        raise UsageError(f"{where}: {stated[0]} is {quoted(unknown[0])}. Expected {expected}.")
    return tuple(sorted({*labels}))


def slices_of(row: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return the slices that a line states, by name, and its ``label`` as one more slice.

    Raises:
        UsageError: the slices are not an object of short texts, or too many.
    """
    slices: dict[str, str] = row.get("slices", {})
    short = isinstance(slices, dict) and all(_is_label(x) for pair in slices.items() for x in pair)
    if not short or len(slices) > MAX_SLICES - 1:
        raise UsageError(
            f"{where}: slices is {quoted(slices)}. Expected an object of at most {MAX_SLICES - 1} "
            "short texts by name."
        )
    label = str(row.get("label") or "")
    return {**slices, "label": label} if _is_label(label) else slices


def _is_label(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_ID and not unprintable(value)


def clustered(sources: Iterable[Source], task: TaskSpec) -> list[Source]:
    """Return the sources, with those of the same text (two pairs of a sentence) in one cluster.

    A source keeps the cluster that it has.
    """
    first: dict[str, str] = {}
    in_clusters = []
    for source in sources:
        name = first.setdefault(task.text(source.input), source.cluster or source.id)
        cluster = source.cluster or ("" if name == source.id else name)
        in_clusters.append(msgspec.structs.replace(source, cluster=cluster))
    return in_clusters


def input_of(value: object, task: TaskSpec, where: str) -> dict[str, Any]:
    """Return an input of a task from an object, or from a text if the task needs only one.

    Raises:
        UsageError: it is not an input of the task.
    """
    needed = [name for name in task.texts if name not in task.optional]
    marked = [name for name in task.probe if name not in task.texts]
    if isinstance(value, str) and len(needed) == 1 and not marked:
        value = {needed[0]: value}
    if not isinstance(value, dict):
        parts = ", ".join([*needed, *marked])
        raise UsageError(f"{where} is {quoted(value)}. Expected an object with {parts}.")
    marks = {name: value[name] for name in marked if name in value}
    entities = marks | {
        # Marks count the characters of the unchanged text.
        name: one.strip() if isinstance(one, str) and not marks else one
        for name in task.texts
        if name in value and ((one := value[name]) is not None or name in needed)
    }
    try:
        check_input(Path(where), where, task, entities)
    except CannotJudge:
        fault = (marked and task.fault(entities)) or f"no usable {' and '.join(needed)}"
        if not {*needed} <= {*value}:
            fault += f" (its keys: {quoted(', '.join(map(str, value)), 120)})"
        raise UsageError(
            f"{where}: {fault}. Expected {' and '.join(needed)}, not empty, of at most {MAX_TEXT} "
            "characters."
        ) from None
    for name in task.names(entities):
        if fault := unprintable(entities[name]):
            raise UsageError(f"{where}: {name} has {fault}. Remove it.")
    return entities


def unprintable(text: str, source: str = "") -> str:
    """Describe the first character that no text of a suite may have; empty if none.

    Args:
        text: the text to check.
        source: the text it was made from, whose control characters are allowed.
    """
    for letter in _NO_TEXT.findall(text):
        if "\ud800" <= letter <= "\udfff":
            return f"half of a character (a lone surrogate, U+{ord(letter):04X})"
        if letter not in source:
            return f"the control character U+{ord(letter):04X}"
    return ""
