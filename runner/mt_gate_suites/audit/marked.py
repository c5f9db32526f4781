"""Decisions on sheets: of one reviewer, or of two, with a third for disagreements."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.files import write_whole
from mt_gate.judging.statistics import wilson
from mt_gate.results.result import Precision
from mt_gate.suites.format import Suite, find_suite, masked_of, read_suite
from mt_gate.suites.offensive import Mask
from mt_gate.tasks.table import TASKS
from mt_gate_suites.audit.readable import ReviewCase, run_cases, suite_cases
from mt_gate_suites.audit.sheet import SheetLine, line_of, read_sheet, to_csv

ACCEPTED = "ok"
MARKS = (ACCEPTED, "doubtful", "bad")
_OF_READERS = ("mark", "reader_1", "reader_2")
_NEW_SHEET = "Make a new sheet with mt-gate suite audit SUITE --out DIR"


class Agreement(NamedTuple):
    """Numbers of cases by which reviewer accepted them; doubtful is not accepted."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @classmethod
    def of(cls, lines: Sequence[SheetLine]) -> Self | None:
        """Count the marks of two reviewers; None if a line lacks one."""
        if not all(line.reader_1 and line.reader_2 for line in lines):
            return None
        marks = [(line.reader_1 == ACCEPTED, line.reader_2 == ACCEPTED) for line in lines]
        kinds = ((True, True), (True, False), (False, True), (False, False))
        return cls(*(marks.count(kind) for kind in kinds))

    @property
    def groups(self) -> int:
        """Number of cases that both reviewed."""
        return sum(self)

    @property
    def alike(self) -> float:
        """Share of cases with the same mark by both, in [0, 1]."""
        return (self.both + self.neither) / self.groups

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance, at most 1 (Cohen 1960).

        None if both accepted all, or both none: then chance agreement is complete.
        """
        first = (self.both + self.first_only) / self.groups
        second = (self.both + self.second_only) / self.groups
        chance = first * second + (1 - first) * (1 - second)
        return None if chance == 1 else (self.alike - chance) / (1 - chance)


class Read(NamedTuple):
    """The decisions on one relation in a sheet."""

    relation: str
    precision: Precision
    agreement: Agreement | None = None


class Settled(NamedTuple):
    """The decisions of two reviewers; ``open`` cases wait for a third."""

    relation: str
    agreement: Agreement
    accepted: int
    open: int


def groups_of(suite: Suite, result: Path | None) -> list[ReviewCase]:
    """Return the cases that sheets may have: of the suite, and of a run of the suite."""
    return [*suite_cases(suite), *(run_cases(suite, result) if result is not None else ())]


def read_marked(suite: Suite, groups: Sequence[ReviewCase], path: Path) -> Read:
    """Check a sheet against the cases that it may have, and count its marks.

    A rejected case may have left the suite since. It still counts as reviewed.

    Raises:
        CannotJudge: the sheet is damaged, unfinished, or has other cases.
    """
    relation, lines, data = _checked(suite, groups, path)
    accepted = sum(line.mark == ACCEPTED for line in lines)
    low, high = wilson(accepted, len(lines))
    precision = Precision(
        read=len(lines),
        acceptable=accepted,
        interval=(round(low, 6), round(high, 6)),
        sheet=f"{path.name} sha256:{hashlib.sha256(data).hexdigest()}",
    )
    return Read(relation, precision, Agreement.of(lines))


def _checked(
    suite: Suite, groups: Sequence[ReviewCase], path: Path
) -> tuple[str, list[SheetLine], bytes]:
    """Return a marked sheet's relation, its lines with marks as in ``MARKS``, and its bytes."""
    lines, data = read_sheet(path)
    if not lines:
        raise CannotJudge(f"{path} has no rows. {_NEW_SHEET}")
    repeated = [name for name, count in Counter(line.id for line in lines).items() if count > 1]
    if repeated:
        raise CannotJudge(f"{path}: id {quoted(repeated[0])} occurs twice. Remove one line.")
    lines = [
        line._replace(**{name: getattr(line, name).strip().lower() for name in _OF_READERS})
        for line in lines
    ]
    by_id = {group.id: group.relation for group in groups}
    relation = next((r for line in lines if (r := line.relation or by_id.get(line.id, ""))), "")
    _check_texts(suite, path, lines, relation, groups)
    for name in _OF_READERS:
        _check_marks(path, lines, name)
    return relation, lines, data


def _check_texts(
    suite: Suite,
    path: Path,
    lines: Sequence[SheetLine],
    relation: str,
    groups: Sequence[ReviewCase],
) -> None:
    """Check that every line is a case of the relation, or a rejected case that left the suite."""
    task, mask = TASKS[suite.head.task], Mask(masked_of(suite.head))
    known = {group.id: group for group in groups if group.relation == relation}

    def fits(line: SheetLine) -> bool:
        group = known.get(line.id)
        if group is None:  # it left the suite because reviewers rejected it
            return line.mark in MARKS[1:]
        return any(
            _is_of(line, line_of(task, shown)) for shown in (group, group.masked(task, mask))
        )

    strange = [line.id for line in lines if not fits(line)]
    if strange:
        bound = any(item.bound for item in suite.head.relations if item.id == relation)
        todo = "Pass the run it was sampled from with --result DIR" if bound else _NEW_SHEET
        raise CannotJudge(
            f"{path}: {len(strange)} of {len(lines)} rows are not cases of "
            f"{relation or 'any relation'} in suite {suite.head.name}, or have other texts there "
            f"(the first is {quoted(strange[0], 40)}). {todo}"
        )


def _is_of(line: SheetLine, expected: SheetLine) -> bool:
    """Whether a line has a case's texts; a second source counts only if the case has one."""
    line = line._replace(
        relation=line.relation or expected.relation,
        second=line.second if expected.second else "",
    )

    def texts(one: SheetLine) -> list[str]:
        # A spreadsheet may have changed the line ends in a text.
        cells = (one.relation, one.source, one.second, one.follow_up)
        return [cell.replace("\r\n", "\n").replace("\r", "\n") for cell in cells]

    return texts(line) == texts(expected)


def _check_marks(path: Path, lines: Sequence[SheetLine], column: str) -> None:
    """Check that every line has a valid mark; a reviewer's own column may be empty throughout."""
    marks = [getattr(line, column) for line in lines]
    for line, mark in zip(lines, marks, strict=True):
        if mark not in (*MARKS, ""):
            raise CannotJudge(
                f"{path}: case {line.id} is marked {quoted(mark, 40)}. Expected {', '.join(MARKS)}."
            )
    unmarked = marks.count("")
    if unmarked and (column == "mark" or unmarked < len(lines)):
        raise CannotJudge(
            f"{path}: {unmarked} of {len(lines)} rows without a mark"
            + ("" if column == "mark" else f" in column {column}")
            + f". Mark each {', '.join(MARKS[:-1])} or {MARKS[-1]}."
        )


def settle(
    name: str,
    first: Path,
    second: Path,
    out: Path,
    *,
    third: Path | None = None,
    result: Path | None = None,
) -> Settled:
    """Join the marked sheets of two reviewers of the same cases.

    A case that both accept is accepted; if neither accepts it, the worse mark counts. Other cases
    are open until a third reviewer decides. With open cases, ``out`` is an unmarked sheet of these,
    with both reasons in an order that hides who wrote them. Without open cases, ``out`` is the
    whole marked sheet, for ``suite audit --read``.

    Args:
        name: a built-in suite or a folder.
        first: the sheet of one reviewer.
        second: the other reviewer's sheet of the same cases.
        out: the sheet to write, which must not exist.
        third: the sheet of open cases from an earlier call, marked.
        result: the run that sheets of cases built at run time were sampled from.

    Raises:
        UsageError: no such suite, or ``out`` exists or cannot be written.
        CannotJudge: a sheet is damaged, unfinished or not of this suite, or the sheets do not have
            the same cases.
    """
    if out.exists():
        raise UsageError(f"{out} already exists and may have marks. Choose another --output.")
    suite = read_suite(find_suite(name))
    groups = groups_of(suite, result)
    relation, lines, _ = _checked(suite, groups, first)
    others = {line.id: line for line in _checked(suite, groups, second)[1]}
    if {line.id for line in lines} != {*others}:
        raise CannotJudge(
            f"{second} does not have the same cases as {first}. Two reviewers must mark the same "
            "sheet."
        )
    pairs = [(line, others[line.id]) for line in lines]
    differing = [pair for pair in pairs if (pair[0].mark == ACCEPTED) != (pair[1].mark == ACCEPTED)]
    agreement = Agreement.of([_joined(pair, pair[0]) for pair in pairs])
    assert agreement is not None
    decided: Mapping[str, SheetLine] = {}
    if third is not None:
        decided = {line.id: line for line in _checked(suite, groups, third)[1]}
        if {*decided} != {line.id for line, _ in differing}:
            raise CannotJudge(
                f"{third} has {len(decided)} cases, but the two reviewers differ on "
                f"{len(differing)}. Mark the sheet that was written without --third."
            )
    elif differing:
        # Without open cases, write no sheet: an empty one could not be read again.
        _write(out, [_to_settle(pair) for pair in differing])
        return Settled(relation, agreement, agreement.both, len(differing))
    settled = [
        _joined(pair, decided.get(pair[0].id) or max(pair, key=lambda x: MARKS.index(x.mark)))
        for pair in pairs
    ]
    _write(out, settled)
    return Settled(relation, agreement, sum(line.mark == ACCEPTED for line in settled), 0)


def _joined(pair: tuple[SheetLine, SheetLine], decided: SheetLine) -> SheetLine:
    first, second = pair
    fault = "" if decided in pair and decided.mark == ACCEPTED else decided.fault
    return first._replace(mark=decided.mark, fault=fault, reader_1=first.mark, reader_2=second.mark)


def _to_settle(pair: tuple[SheetLine, SheetLine]) -> SheetLine:
    turned = hashlib.sha256(pair[0].id.encode()).digest()[0] % 2
    views = [line.mark + (f": {line.fault}" if line.fault else "") for line in pair]
    return pair[0]._replace(mark="", fault=" / ".join(views[::-1] if turned else views))


def _write(out: Path, lines: Sequence[SheetLine]) -> None:
    try:
        write_whole(out, to_csv(lines))
    except OSError as error:
        raise UsageError(f"{out} cannot be written ({error.strerror}). Change --output.") from None
