r"""Read and check a user's TOML file of relations.

    task = "text"

    [[relation]]
    name = "no-please"
    title = "Please left out"
    output = { kind = "same" }
    replace = { pattern = '(?i)\bplease ', with = "" }

Each relation has exactly one way to make edited texts: ``replace``, ``words``, ``insert``,
``template``, ``use`` (a built-in relation) or ``function`` (Python).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, page, quoted, reported, unknown_field
from mt_gate.relations.catalogue import BY_ID
from mt_gate.relations.stated import (
    FORMS,
    MAX_LABELS,
    LabelName,
    OutputRelation,
    When,
    fault,
    labels_in,
    unknown_kind,
)
from mt_gate.suites.format import Says, says_fault
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS, listed

MAX_FILE = 1 << 20
"""Maximum number of bytes of a file of relations."""
WAYS = ("replace", "words", "insert", "template", "use", "function")
COUNTED = ("replace", "words")
"""Ways that may find several places in a text."""

Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,60}\Z")]
Line = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Words = Annotated[str, Meta(max_length=5_000)]
Text = Annotated[str, Meta(min_length=1, max_length=5_000)]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file; an unknown key is an error."""


class Replace(_Strict, frozen=True):
    """Replaces matches of a regular expression."""

    pattern: Text
    new: Words = msgspec.field(name="with")
    ignore_case: bool = False


class Insert(_Strict, frozen=True):
    """Inserts one of some sentences before or behind the text."""

    sentences: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=1_000)]
    place: Literal["before", "behind"] = "behind"


class Template(_Strict, frozen=True):
    """Patterns of original and edited texts, with slots in braces: ``I {feel} {airline}.``

    ``second`` and ``follow_up_second`` are the second texts, for tasks with pairs of texts.
    """

    source: Line
    follow_up: Line
    second: Line | None = None
    follow_up_second: Line | None = None
    groups: Annotated[int, Meta(ge=1, le=10_000)] = 500


_PARTS: Mapping[str, type[_Strict]] = {
    "replace": Replace,
    "insert": Insert,
    "template": Template,
}
"""Classes of the keys whose values are tables."""


class OwnRelation(_Strict, frozen=True):
    """A user's own relation.

    Args:
        name: the last part of its id.
        output: the output relation, as in docs/relation-files.md.
        title: a few words for a heading; required without ``use``.
        description: a sentence; ``paper`` is its source, ``before`` and ``after`` an example.
        replace: one of six ways to make edited texts, as are the next five.
        words: whole words and their replacements.
        insert: sentences, one of which is inserted.
        template: patterns of original and edited texts.
        use: the name of a built-in relation.
        function: an entry point of ``mt_gate.relations``, or ``module:function``.
        only_if: pattern that a text must match; ``unless`` is a pattern that it must not match.
        most: maximum edits of one text; 1 if omitted.
        everywhere: whether it may edit all texts.
        edits: the text of an input that it edits; empty for the task's first text.
        says: the sentence that reports begin with, with the places {n} (satisfied) and {total}.
    """

    name: Name
    output: dict[str, Any] | None = None
    title: Annotated[str, Meta(max_length=200)] = ""
    description: Words = ""
    paper: Words = ""
    before: Words = ""
    after: Words = ""
    replace: Replace | None = None
    words: Annotated[dict[Line, Line], Meta(min_length=1, max_length=10_000)] | None = None
    insert: Insert | None = None
    template: Template | None = None
    use: str = ""
    function: str = ""
    only_if: Words = ""
    unless: Words = ""
    most: Annotated[int, Meta(ge=1, le=100)] | None = None
    everywhere: bool = False
    edits: str = ""
    says: Says = ""

    @property
    def ways(self) -> list[str]:
        """The ways of editing that the relation states; a valid one has exactly one."""
        return [way for way in WAYS if getattr(self, way)]


class RelationsFile(_Strict, frozen=True):
    """A file of relations; ``slots`` are the words of templates.

    Without ``task`` the task is text classification.
    """

    relation: Annotated[tuple[OwnRelation, ...], Meta(min_length=1, max_length=500)]
    task: str = ""
    labels: Annotated[tuple[LabelName, ...], Meta(max_length=MAX_LABELS)] = ()
    slots: dict[Name, Annotated[tuple[Line, ...], Meta(min_length=1, max_length=10_000)]] = {}
    seed: Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)] = 2023


def read_relations(path: Path) -> RelationsFile:
    """Read a file of relations.

    Raises:
        UsageError: the file is missing, too large, not TOML or invalid, or a relation does not
            have exactly one way to make edited texts.
    """
    cause = f"Expected relations in TOML: {page('own-relations')}"
    try:
        table = tomllib.loads(files.read_whole(path, limit=MAX_FILE, cause=cause).decode())
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {reported(error)}. {cause}") from None
    file = _converted(table, path)
    usual = next(name for name, spec in TASKS.items() if spec.label_map)
    file = msgspec.structs.replace(file, task=file.task or usual)
    if file.task not in TASKS:
        raise UsageError(f"{path}: task {quoted(file.task)} is unknown. Expected task {listed()}.")
    names = [one.name for one in file.relation]
    for one in file.relation:
        where = f"{path}: relation {quoted(one.name)}"
        if names.count(one.name) > 1:
            raise UsageError(f"{where} occurs twice. Give each relation its own name.")
        if len(one.ways) != 1:
            raise UsageError(
                f"{where} has {' and '.join(one.ways) or 'no way to make edited texts'}. Expected "
                f"one of {', '.join(WAYS)}."
            )
        if one.ways[0] not in COUNTED and (one.most is not None or one.everywhere):
            key = "everywhere" if one.most is None else "most"
            raise UsageError(
                f"{where} has {key}, which works only with {' and '.join(COUNTED)}. Omit it."
            )
        if wrong := says_fault(one.says):
            raise UsageError(f"{where}: {wrong}. Correct it, or omit it.")
        if not one.title.strip() and not one.use:
            raise UsageError(f"{where} has no title. Add a few words for reports.")
    return file


def _converted(table: dict[str, Any], path: Path) -> RelationsFile:
    """Convert a file's table to a ``RelationsFile``.

    Raises:
        UsageError: a key is unknown, or a value is invalid.
    """
    if wrong := _unknown(table):
        raise UsageError(f"{path}: {wrong} See {page('own-relations')}")
    try:
        return msgspec.convert(table, RelationsFile)
    except (msgspec.ValidationError, RecursionError) as error:
        message = reported(error)
        if at := re.search(r"\$\.relation\[(\d+)\]", message):
            inside = message.replace(at[0], "$").removesuffix(" - at `$`")
            message = f"{_called(table['relation'][int(at[1])], int(at[1]) + 1)}: {inside}"
        raise UsageError(f"{path}: {message}. See {page('own-relations')}") from None


def _unknown(table: dict[str, Any]) -> str:
    """Return a message on the first unknown key of a relation or the file; empty if none."""
    stated = table.get("relation")
    for number, one in enumerate(stated if isinstance(stated, list) else (), 1):
        parts: Mapping[str, Any] = one if isinstance(one, dict) else {}
        if wrong := unknown_field(one, OwnRelation):
            return f"{_called(one, number)}: {wrong}"
        for name, form in _PARTS.items():
            if wrong := unknown_field(parts.get(name), form):
                return f"{_called(one, number)}: {name}: {wrong}"
    return unknown_field(table, RelationsFile)


def _called(relation: object, number: int) -> str:
    name = relation.get("name") if isinstance(relation, dict) else None
    return f"relation {quoted(name) if isinstance(name, str) else number}"


def output_of(
    stated: object, task: TaskSpec, labels: tuple[str, ...], where: str
) -> OutputRelation:
    """Return an output relation from plain data.

    Args:
        stated: plain data from TOML or JSON.
        task: the task whose predictions it judges.
        labels: the label set; empty if it consists of the labels that relations name.
        where: the place, which begins each message.

    Raises:
        UsageError: it is not an output relation, or does not fit the task.
    """
    if wrong := unknown_kind(stated):
        raise UsageError(f"{where}: {wrong}. See {page('own-relations')}")
    assert isinstance(stated, Mapping)
    kind = stated["kind"]
    more = unknown_field(stated, FORMS[kind], "kind") or unknown_field(stated.get("when"), When)
    if more:
        raise UsageError(f"{where}: output kind {kind}: {more} See {page('own-relations')}")
    try:
        output: OutputRelation = msgspec.convert(stated, OutputRelation)
    except msgspec.ValidationError as error:
        fields = ", ".join(field.encode_name for field in msgspec.structs.fields(FORMS[kind]))
        raise UsageError(
            f"{where}: output kind {kind}: {reported(error)}. It has kind, {fields}. See "
            f"{page('own-relations')}"
        ) from None
    if wrong := fault(output, task, labels or task.answers or labels_in(output)):
        raise UsageError(f"{where}: {wrong}")
    return output


def own_id(task: TaskSpec, name: str, where: str) -> str:
    """Return the id of a user's relation.

    Raises:
        UsageError: a built-in relation has that id.
    """
    relation_id = f"{task.id}/{name}"
    if relation_id in BY_ID:
        raise UsageError(f"{where}: {relation_id} is a built-in relation. Choose another name.")
    return relation_id
