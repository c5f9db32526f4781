"""``mt-gate suite agree``: the sheets of two readers, made one by a third."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mt_gate.base.errors import CannotJudge, UsageError
from mt_gate.base.jsonio import write_whole
from mt_gate.suites.format import find_suite, read_suite
from mt_gate_suites.audit.agreement import ACCEPTED, Agreement
from mt_gate_suites.audit.marked import MARKS, checked_lines
from mt_gate_suites.audit.readable import of_run, of_suite
from mt_gate_suites.audit.sheet import SheetLine, to_csv


class Settled(NamedTuple):
    """What two readers found; ``open`` groups wait for a third."""

    relation: str
    agreement: Agreement
    accepted: int
    open: int


def settle(
    name: str,
    first: Path,
    second: Path,
    out: Path,
    *,
    third: Path | None = None,
    result: Path | None = None,
) -> Settled:
    """Join the marked sheets of two readers of the same groups.

    Where both accept a group it is accepted, where neither does the worse mark counts. On the
    rest a third reader decides: without one, ``out`` becomes the sheet of those groups, unmarked,
    with both reasons in an order that does not tell whose they are; with one, the whole
    sheet, marked, for ``suite audit --read``.

    Args:
        name: a shipped suite or a folder.
        first: marked by one reader.
        second: marked by another, of the same groups.
        out: a sheet that is not there yet.
        third: the sheet that an earlier call wrote, marked.
        result: the run that sheets of groups built at run time were drawn from.

    Raises:
        UsageError: no such suite, or ``out`` exists or cannot be written.
        CannotJudge: a sheet is damaged, unfinished, not of this suite, or the sheets are not of
            the same groups.
    """
    if out.exists():
        raise UsageError(f"{out}: exists, and may hold marks; name another --output")
    suite = read_suite(find_suite(name))
    groups = [*of_suite(suite), *(of_run(suite, result) if result is not None else ())]
    relation, one, _ = checked_lines(suite, groups, first)
    other = _by_id(checked_lines(suite, groups, second)[1])
    if {line.id for line in one} != {*other}:
        raise CannotJudge(
            f"{second}: not of the same groups as {first}; two readers mark one sheet"
        )
    pairs = [(line, other[line.id]) for line in one]
    apart = [pair for pair in pairs if len({line.mark == ACCEPTED for line in pair}) == 2]
    told = Agreement.of([_joined(pair, "") for pair in pairs])
    assert told is not None
    if third is None:
        # Not even an empty sheet where nothing is open: it could not be read back.
        if apart:
            _write(out, [_to_settle(pair) for pair in apart])
            return Settled(relation, told, told.both, len(apart))
        decided: Mapping[str, SheetLine] = {}
    else:
        decided = _by_id(checked_lines(suite, groups, third)[1])
        if {*decided} != {line.id for line, _ in apart}:
            raise CannotJudge(
                f"{third}: {len(decided)} groups, and the two readers differ on {len(apart)}; "
                "mark the sheet that was written without --third"
            )
    lines = [_settled(pair, decided.get(pair[0].id)) for pair in pairs]
    _write(out, lines)
    return Settled(relation, told, sum(line.mark == ACCEPTED for line in lines), 0)


def _by_id(lines: Sequence[SheetLine]) -> dict[str, SheetLine]:
    return {line.id: line for line in lines}


def _joined(pair: tuple[SheetLine, SheetLine], mark: str, fault: str = "") -> SheetLine:
    first, second = pair
    return first._replace(mark=mark, fault=fault, reader_1=first.mark, reader_2=second.mark)


def _settled(pair: tuple[SheetLine, SheetLine], third: SheetLine | None) -> SheetLine:
    if third is not None:
        return _joined(pair, third.mark, third.fault)
    worse = max(pair, key=lambda line: MARKS.index(line.mark))
    return _joined(pair, worse.mark, "" if worse.mark == ACCEPTED else worse.fault)


def _to_settle(pair: tuple[SheetLine, SheetLine]) -> SheetLine:
    """Return an unmarked line with both views, in an order that hangs on the group alone."""
    turned = hashlib.sha256(pair[0].id.encode()).digest()[0] % 2
    views = [line.mark + (f": {line.fault}" if line.fault else "") for line in pair]
    return pair[0]._replace(mark="", fault=" / ".join(views[::-1] if turned else views))


def _write(out: Path, lines: Sequence[SheetLine]) -> None:
    try:
        write_whole(out, to_csv(lines))
    except OSError as error:
        raise UsageError(
            f"{out}: cannot be written ({error.strerror}); name another --output"
        ) from None
