"""A suite on disk: ``suite.json``, ``sources.jsonl.gz``, ``groups.jsonl.gz``.

Suites may come from strangers: sizes are bounded, every line is checked, and
nothing of a suite is used before its hashes fit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from mt_gate.domain import Group, Source
from mt_gate.errors import CannotJudge, UsageError, quoted, reported
from mt_gate.jsonio import (
    canonical,
    decode_json,
    read_bytes,
    read_gzip_lines,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.ontologies.ontology import Ontology
from mt_gate.result import Precision, SuiteHead
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.task import Task

Row = TypeVar("Row")

FORMAT = 1
HEAD, SOURCES, GROUPS = "suite.json", "sources.jsonl.gz", "groups.jsonl.gz"
SHIPPED = Path(__file__).parent / "data"
MAX_HEAD = 4 << 20
MAX_TEXT = 1 << 20
_RARE = ("entities", "cluster", "stratum")
_CAUSE = "restore the suite or build it anew with 'mt-gate suite build'"


class SuiteRelation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A relation of the suite; a bound one has sources, its groups come at run time."""

    id: str
    groups: int
    sources: int
    bound: bool = False
    precision: Precision | None = None


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """Where sentences come from, and under which licence."""

    name: str
    licence: str
    attribution: str
    sentences: int


class DataFile(msgspec.Struct, frozen=True, kw_only=True):
    """A data file's number of lines and the sha256 of its unpacked text."""

    lines: int
    sha256: str


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """``suite.json``."""

    format: int
    name: str
    task: str
    version: str
    seed: int
    description: str
    relations: tuple[SuiteRelation, ...]
    sources: tuple[Corpus, ...]
    tools: Mapping[str, str]
    thresholds: Mapping[str, float]
    files: Mapping[str, DataFile]


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A suite in memory; ``part`` says in words what of it, where that is not all.

    ``ontology`` is the name and digest of what labels mean in a run of it (task re).
    """

    head: Head
    sources: tuple[Source, ...]
    groups: tuple[Group, ...]
    part: tuple[str, ...] = ()
    ontology: str = ""

    def under(self, ontology: Ontology | None) -> Suite:
        """Return the suite as it is run under an ontology: under another it is another suite."""
        if ontology is None:
            return self
        named = f"{ontology.name} sha256:{ontology.digest}"
        return msgspec.structs.replace(self, ontology=named)

    def without(self, corpora: Iterable[str]) -> Suite:
        """Return the suite without the sources of some corpora: another suite to a baseline.

        Raises:
            UsageError: the suite has no such corpus.
        """
        left_out = sorted(set(corpora))
        known = [corpus.name for corpus in self.head.sources]
        for name in left_out:
            if name not in known:
                raise UsageError(
                    f"--exclude {quoted(name)}: no corpus of that name; suite {self.head.name} has "
                    f"{', '.join(known)}"
                )
        sources = tuple(source for source in self.sources if source.origin not in left_out)
        kept = {source.id for source in sources}
        groups = tuple(group for group in self.groups if group.source in kept)
        part = (*self.part, *(f"without {name}" for name in left_out))
        return msgspec.structs.replace(self, sources=sources, groups=groups, part=part)

    @property
    def identity(self) -> SuiteHead:
        """Name, version, task, and a hash over everything that can move a count."""
        head = self.head
        parts = [
            head.format,
            head.name,
            head.task,
            head.version,
            head.seed,
            [[relation.id, relation.bound] for relation in head.relations],
            {name: file.sha256 for name, file in head.files.items()},
            *([list(self.part)] if self.part else []),
            *([self.ontology] if self.ontology else []),
        ]
        digest = hashlib.sha256(canonical(parts)).hexdigest()
        return SuiteHead(
            name=head.name,
            version=head.version,
            task=head.task,
            sha256=digest,
            part=self.part,
            ontology=self.ontology,
        )


def group_id(relation: str, source: Mapping[str, Any], follow_up: Mapping[str, Any]) -> str:
    """Return a group's id: 16 hex digits over its relation, source and follow-up.

    It hangs on nothing else, so a group keeps it from one suite version to the next.
    """
    text = b"\0".join((relation.encode(), canonical(source), canonical(follow_up)))
    return hashlib.sha256(text).hexdigest()[:16]


def shipped_suites() -> list[str]:
    """Return the names of the suites that the package carries."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{HEAD}"))


def find_suite(name_or_folder: str) -> Path:
    """Return the folder of a shipped suite or of the user's own.

    Raises:
        UsageError: neither a shipped suite nor a folder with a suite.json.
    """
    if name_or_folder in shipped_suites():
        return SHIPPED / name_or_folder
    folder = Path(name_or_folder)
    if (folder / HEAD).is_file():
        return folder
    known = ", ".join(shipped_suites())
    raise UsageError(
        f"suite {quoted(name_or_folder, 200)}: neither a shipped suite ({known}) nor a folder "
        f"with {HEAD}"
    )


def read_head(folder: Path) -> Head:
    """Read ``suite.json``.

    Raises:
        CannotJudge: unreadable, of a later format, or not of the expected form.
    """
    path = folder / HEAD
    data = read_bytes(path, limit=MAX_HEAD, cause=_CAUSE)
    found = decode_json(data, dict[str, Any], path=path, cause=_CAUSE).get("format")
    if isinstance(found, int) and found > FORMAT:
        raise CannotJudge(
            f"{path}: suite format {found}, this release reads up to {FORMAT}; "
            "use a newer mt-gate or an older suite"
        )
    return decode_json(data, Head, path=path, cause=_CAUSE)


def read_suite(folder: Path) -> Suite:
    """Read a whole suite and check it against its own head.

    Raises:
        CannotJudge: edited, truncated, of a later format, or not consistent.
    """
    head = read_head(folder)
    sources = _read_rows(folder, head, SOURCES, Source)
    groups = _read_rows(folder, head, GROUPS, Group)
    _check(folder, head, sources, groups)
    return Suite(head=head, sources=tuple(sources), groups=tuple(groups))


def _read_rows(folder: Path, head: Head, name: str, kind: type[Row]) -> list[Row]:
    path = folder / name
    if name not in head.files:
        raise CannotJudge(f"{folder / HEAD}: no sha256 of {name}; {_CAUSE}")
    lines = read_gzip_lines(path, digest=head.files[name].sha256, cause=_CAUSE)
    decoder = msgspec.json.Decoder(kind)
    try:
        return [decoder.decode(line) for line in lines]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CannotJudge(
            f"{path}: a row is not as expected: {reported(error)}; {_CAUSE}"
        ) from None


def _check(folder: Path, head: Head, sources: Sequence[Source], groups: Sequence[Group]) -> None:
    """Check ids, references, counts, texts and alignments."""
    task = TASKS.get(head.task)
    if task is None:
        raise CannotJudge(
            f"{folder / HEAD}: task {quoted(head.task)}; expected one of {', '.join(TASKS)}; "
            f"{_CAUSE}"
        )
    inputs = {source.id: source.input for source in sources}
    if len(inputs) != len(sources):
        raise CannotJudge(f"{folder / SOURCES}: a source id stands twice; {_CAUSE}")
    if len({group.id for group in groups}) != len(groups):
        raise CannotJudge(f"{folder / GROUPS}: a group id stands twice; {_CAUSE}")
    for source in sources:
        check_input(folder / SOURCES, source.id, task, source.input)
    for group in groups:
        if group.source not in inputs:
            raise CannotJudge(
                f"{folder / GROUPS}: group {group.id} names source {quoted(group.source)}, "
                f"which {SOURCES} has not; {_CAUSE}"
            )
        check_input(folder / GROUPS, group.id, task, group.follow_up)
        _check_alignment(folder / GROUPS, task, group, inputs[group.source])
    _check_counts(folder / HEAD, head, sources, groups)


def check_input(path: Path, row: str, task: Task, value: Mapping[str, Any]) -> None:
    """Raise CannotJudge unless a row's input is one of the task."""
    for name in task.texts:
        text = value.get(name)
        if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
            raise CannotJudge(
                f"{path}: row {quoted(row)} has no usable {name}; expected {quoted(name)}, not "
                "empty, "
                f"at most {MAX_TEXT} characters; {_CAUSE}"
            )
    fault = task.fault(value)
    if fault:
        raise CannotJudge(f"{path}: row {quoted(row)}: {fault}; {_CAUSE}")


def _check_alignment(path: Path, task: Task, group: Group, source: Mapping[str, Any]) -> None:
    before, after = task.text(source), task.text(group.follow_up)
    end = 0
    for block in group.alignment:
        old = before[block.source : block.source + block.length]
        new = after[block.follow_up : block.follow_up + block.length]
        fits = min(block) >= 0 and block.length > 0 and block.source >= end
        if not fits or len(old) != block.length or old.casefold() != new.casefold():
            raise CannotJudge(
                f"{path}: group {group.id} aligns {quoted(old)} with {quoted(new)}; expected the "
                "same text; "
                f"{_CAUSE}"
            )
        end = block.source + block.length


def _check_counts(
    path: Path, head: Head, sources: Sequence[Source], groups: Sequence[Group]
) -> None:
    known = {relation.id: relation for relation in head.relations}
    counts = dict.fromkeys(known, 0)
    for group in groups:
        if group.relation not in known:
            raise CannotJudge(f"{path}: relation {quoted(group.relation)} is not listed; {_CAUSE}")
        counts[group.relation] += 1
    for relation in head.relations:
        if counts[relation.id] != (0 if relation.bound else relation.groups):
            raise CannotJudge(
                f"{path}: {relation.id} lists {relation.groups} groups, {GROUPS} has "
                f"{counts[relation.id]}; {_CAUSE}"
            )
    unknown = {name for source in sources for name in source.bind} - set(known)
    if unknown:
        raise CannotJudge(f"{path}: relation {quoted(min(unknown))} is not listed; {_CAUSE}")


def write_suite(
    folder: Path, head: Head, sources: Iterable[Source], groups: Iterable[Group]
) -> Head:
    """Write a suite, the same bytes for the same content; return its head with hashes."""
    files = {}
    for name, rows in ((SOURCES, list(sources)), (GROUPS, list(groups))):
        with replacing(folder / name) as temporary:
            digest = write_gzip_lines(temporary, map(_line, rows))
        files[name] = DataFile(lines=len(rows), sha256=digest)
    complete = msgspec.structs.replace(head, files=files)
    write_head(folder, complete)
    return complete


def _line(row: Source | Group) -> bytes:
    """Return a row's text; what few rows have is left out of the others."""
    fields = msgspec.to_builtins(row, order="deterministic")
    return msgspec.json.encode({k: v for k, v in fields.items() if v or k not in _RARE})


def write_head(folder: Path, head: Head) -> None:
    """Write ``suite.json``, whole or not at all."""
    write_whole(folder / HEAD, readable(head))
