"""``mt-gate suite audit``: random groups for a reader to mark, and what the marks say."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.domain import Group
from mt_gate.errors import CannotJudge, UsageError
from mt_gate.jsonio import replacing
from mt_gate.reporting import audit_page
from mt_gate.reporting.texts import Catalogue
from mt_gate.result import Precision
from mt_gate.statistics import wilson
from mt_gate.suites.format import HEAD, Suite, SuiteRelation, find_suite, read_suite, write_head
from mt_gate.suites.sheet import LONGEST, Inputs, Line, line_of, read_sheet, to_csv
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.task import Task

GROUPS = 200
PAGE = "audit.html"
MARKS = ("ok", "doubtful", "bad")
_NEW_SHEET = "draw a new sheet with 'mt-gate suite audit SUITE --out DIR'"


class Read(NamedTuple):
    """What a marked sheet says of one relation."""

    relation: str
    precision: Precision


def draw(
    name: str,
    out: Path,
    catalogue: Catalogue,
    *,
    groups: int = GROUPS,
    relation: str | None = None,
    seed: int | None = None,
) -> list[Path]:
    """Write a CSV sheet a relation and a page for all of them; return their paths.

    Args:
        name: a shipped suite or a folder.
        out: folder of the sheets; a sheet that stands there is not written over.
        catalogue: title, description and example of each relation.
        groups: how many of each relation, all where it has fewer.
        relation: this one only.
        seed: of the draw; None takes the suite's.

    Raises:
        UsageError: no such suite or relation, a relation without groups of its
            own, a sheet that is there already, or a folder that cannot be written.
        CannotJudge: the suite is damaged, or holds a text too long for a sheet.
    """
    suite = read_suite(find_suite(name))
    listed = _drawable(suite, relation)
    sheets = [
        audit_page.Sheet(file, item.id, _sample(suite, item.id, groups, seed))
        for item, file in zip(listed, _file_names(listed), strict=True)
    ]
    sources = {source.id: source.input for source in suite.sources}
    task = TASKS[suite.head.task]
    files = {
        out / sheet.file: to_csv(_line(task, g, sources) for g in sheet.groups) for sheet in sheets
    }
    page = audit_page.render(suite.identity, sheets, sources, catalogue)
    files[out / PAGE] = page.encode("utf-8")
    _write_new(files)
    return [*files]


def record(name: str, sheets: Sequence[Path]) -> list[Read]:
    """Read marked sheets and keep their precision in the suite's head.

    Nothing is written unless every sheet is right. The suite's identity stays.

    Raises:
        UsageError: no such suite, two sheets of one relation, or a suite that
            cannot be written.
        CannotJudge: a sheet is damaged, unfinished, or not of this suite.
    """
    folder = find_suite(name)
    suite = read_suite(folder)
    read: dict[str, Read] = {}
    for path in sheets:
        found = _read(suite, path)
        if found.relation in read:
            raise UsageError(f"{path}: a second sheet of {found.relation}; give one a relation")
        read[found.relation] = found
    relations = tuple(
        msgspec.structs.replace(item, precision=read[item.id].precision)
        if item.id in read
        else item
        for item in suite.head.relations
    )
    try:
        write_head(folder, msgspec.structs.replace(suite.head, relations=relations))
    except OSError as error:
        raise UsageError(
            f"{folder / HEAD}: cannot be written ({error.strerror}); "
            "copy the suite to a folder of your own and name that"
        ) from None
    return [*read.values()]


def _drawable(suite: Suite, relation: str | None) -> list[SuiteRelation]:
    """Return the relations to draw from."""
    head = suite.head
    listed = [item for item in head.relations if relation in (None, item.id)]
    if not listed:
        known = ", ".join(item.id for item in head.relations)
        raise UsageError(f"relation {relation!r}: suite {head.name} has {known}")
    fixed = [item for item in listed if not item.bound and item.groups]
    if not fixed and relation is not None:
        why = (
            "its groups are built at run time from what the system answers, so that there are "
            "none to draw from; read those in a run's groups.jsonl.gz"
            if listed[0].bound
            else "it has no groups"
        )
        raise UsageError(f"relation {relation!r} of suite {head.name}: {why}")
    if not fixed:
        raise UsageError(f"suite {head.name}: no relation has groups in the suite to draw from")
    return fixed


def _sample(suite: Suite, relation: str, count: int, seed: int | None) -> list[Group]:
    """Return random groups: those with the smallest hashes of seed and id."""
    chosen = suite.head.seed if seed is None else seed

    def rank(group: Group) -> bytes:
        return hashlib.sha256(f"{chosen}\0{group.id}".encode()).digest()

    groups = [group for group in suite.groups if group.relation == relation]
    return sorted(groups, key=rank)[:count]


def _file_names(relations: Sequence[SuiteRelation]) -> list[str]:
    """Return a file name a relation, whatever its id holds: ``ner-structural.csv``."""
    names: list[str] = []
    for item in relations:
        plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in item.id[:80])
        stem = plain.strip("-") or "relation"
        names.append(stem if stem not in names else f"{stem}--{len(names) + 1}")
    return [f"{name}.csv" for name in names]


def _line(task: Task, group: Group, sources: Inputs) -> Line:
    line = line_of(task, group, sources)
    longest = max(map(len, line))
    if longest > LONGEST:
        raise CannotJudge(
            f"group {group.id}: a text of {longest} characters; a sheet's cell holds {LONGEST}; "
            "leave such texts out of the suite"
        )
    return line


def _write_new(files: Mapping[Path, bytes]) -> None:
    """Write files that are not there yet: an old sheet may hold hours of marks."""
    for path in files:
        if path.exists():
            raise UsageError(f"{path}: exists, and may hold marks; name another --out")
    for path, content in files.items():
        try:
            with replacing(path) as temporary:
                temporary.write_bytes(content)
        except OSError as error:
            raise UsageError(
                f"{path}: cannot be written ({error.strerror}); name another --out"
            ) from None


def _read(suite: Suite, path: Path) -> Read:
    """Check a sheet against the suite and count its marks."""
    lines, data = read_sheet(path)
    if not lines:
        raise CannotJudge(f"{path}: no rows; {_NEW_SHEET}")
    relation = _relation(suite, lines)
    _check_lines(suite, path, lines, relation)
    marks = Counter(line.mark.strip().lower() for line in lines)
    _check_marks(path, lines, marks)
    low, high = wilson(marks["ok"], len(lines))
    precision = Precision(
        read=len(lines),
        acceptable=marks["ok"],
        interval=(round(low, 6), round(high, 6)),
        sheet=f"{path.name} sha256:{hashlib.sha256(data).hexdigest()}",
    )
    return Read(relation, precision)


def _relation(suite: Suite, lines: Sequence[Line]) -> str:
    """Return the relation of the first line that tells."""
    by_id = {group.id: group.relation for group in suite.groups}
    told = (line.relation or by_id.get(line.id, "") for line in lines)
    return next(filter(None, told), "")


def _check_lines(suite: Suite, path: Path, lines: Sequence[Line], relation: str) -> None:
    """Check that every line is a group of the relation, and none stands twice."""
    repeated = [name for name, count in Counter(line.id for line in lines).items() if count > 1]
    if repeated:
        raise CannotJudge(f"{path}: id {repeated[0]!r} stands twice; leave one of the lines out")
    groups = {group.id: group for group in suite.groups if group.relation == relation}
    sources = {source.id: source.input for source in suite.sources}

    def fits(line: Line) -> bool:
        group = groups.get(line.id)
        if group is None:
            return False
        expected = line_of(TASKS[suite.head.task], group, sources)
        found = line._replace(relation=line.relation or relation, mark="", fault="")
        return [*map(_line_ends, found)] == [*map(_line_ends, expected)]

    strange = [line.id for line in lines if not fits(line)]
    if strange:
        raise CannotJudge(
            f"{path}: {len(strange)} of {len(lines)} rows are not groups of "
            f"{relation or 'any relation'} with the same texts in suite {suite.head.name} (the "
            f"first is {strange[0][:40]!r}); {_NEW_SHEET}"
        )


def _line_ends(text: str) -> str:
    """Return a text with the line ends that a spreadsheet may have changed made one."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_marks(path: Path, lines: Sequence[Line], marks: Mapping[str, int]) -> None:
    """Check that every line is marked, and as agreed."""
    unknown = [line for line in lines if line.mark.strip().lower() not in (*MARKS, "")]
    if unknown:
        raise CannotJudge(
            f"{path}: group {unknown[0].id} is marked {unknown[0].mark[:40]!r}; "
            f"expected {', '.join(MARKS)}"
        )
    if unmarked := marks.get("", 0):
        raise CannotJudge(
            f"{path}: {unmarked} of {len(lines)} rows are unmarked; "
            f"mark each {', '.join(MARKS[:-1])} or {MARKS[-1]}"
        )
