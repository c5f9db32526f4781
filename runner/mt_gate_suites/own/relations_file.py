r"""Read and check a user's TOML file of relations.

    task = "text"

    [[relation]]
    name = "no-please"
    title = "Please left out"
    output = { kind = "same" }
    replace = { pattern = '(?i)\bplease ', with = "" }

Each relation says in one way how its follow-ups are made: ``replace``, ``words``, ``insert``,
``template``, ``use`` (a relation that ships) or ``function`` (Python).
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
"""Bytes."""
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
    """One of some sentences is before or behind the text."""

    sentences: Annotated[tuple[Line, ...], Meta(min_length=1, max_length=1_000)]
    place: Literal["before", "behind"] = "behind"


class Template(_Strict, frozen=True):
    """Sources and follow-ups of one form, with slots in braces: ``I {feel} {airline}.``

    ``second`` and ``follow_up_second`` are the other text of pairs.
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
"""Forms of the keys that are tables."""


class OwnRelation(_Strict, frozen=True):
    """A relation of the user's.

    Args:
        name: what its id ends with.
        output: what must hold, in the vocabulary of docs/relation-files.md.
        title: a few words for a heading; needed but with ``use``.
        description: a sentence, ``paper`` where it is from, ``before`` and ``after`` an example.
        replace: one of the ways to make follow-ups, as are the next five.
        words: what gives way to what, whole words.
        insert: sentences.
        template: sources and follow-ups from slots.
        use: the name of a relation that ships.
        function: an entry point of ``mt_gate.relations``, or ``module:function``.
        only_if: pattern that a text must match, ``unless`` one that it must not.
        most: edits of one text at most; 1 if left out.
        everywhere: whether it may fire on every text.
        edits: the text of an input that it edits; the task's first if empty.
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

    Without a ``task`` it is that of text classification.
    """

    relation: Annotated[tuple[OwnRelation, ...], Meta(min_length=1, max_length=500)]
    task: str = ""
    labels: Annotated[tuple[LabelName, ...], Meta(max_length=MAX_LABELS)] = ()
    slots: dict[Name, Annotated[tuple[Line, ...], Meta(min_length=1, max_length=10_000)]] = {}
    seed: Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)] = 2023


def read_relations(path: Path) -> RelationsFile:
    """Read a file of relations.

    Raises:
        UsageError: missing, too large, no TOML, of another form, or a relation says in no way
            or in several how its follow-ups are made.
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
    """Return a file's table as what it must be.

    Raises:
        UsageError: a key is not known, or a value is of another form.
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
    """Return a message on the first unknown key of the file or of a relation."""
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
        stated: as TOML or JSON has it.
        task: whose answers it is to judge.
        labels: the label set; empty if the labels that relations name are the set.
        where: the place, opening each message.

    Raises:
        UsageError: it is none of the vocabulary, or does not fit.
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
        UsageError: it is that of a relation of mt-gate's.
    """
    relation_id = f"{task.id}/{name}"
    if relation_id in BY_ID:
        raise UsageError(f"{where}: {relation_id} is a built-in relation. Choose another name.")
    return relation_id
