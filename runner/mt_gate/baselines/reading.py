"""Reading a baseline as untrusted text.

What is read is checked against its own digest and counts: a hand edit or a bad merge is found,
and is a named reason not to judge, never a pass.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, quoted, reported
from mt_gate.baselines.naming import NAME
from mt_gate.baselines.schema import (
    FORMAT,
    RECORD,
    Baseline,
    BaselineRelation,
    BaselineRun,
    Identifiers,
    digest_of,
    units_with_margins,
)
from mt_gate.results.consistency import faults

MAX_BYTES = 64 * 1024 * 1024
"""A larger file is refused unread; 5,000 groups take about 180 KB in each run, the anchor's too."""


NEW_GATE = "New gate"
"""How the note begins on a pull request whose base has no gate to compare with."""


class BaselineSource(NamedTuple):
    """What stands in for a baseline's file, and what is to be told of it.

    ``data`` is the file's text, read from ``commit``; with None the file itself is
    read. ``notes`` are sentences for the result. ``outputs`` is the file of answers of the
    same commit, packed, as far as there is one. ``against`` names what was run in the same job,
    if it is no stored baseline at all.
    """

    data: bytes | None = None
    commit: str = ""
    notes: tuple[str, ...] = ()
    outputs: bytes | None = None
    against: str = ""


class _Decoded(NamedTuple):
    """A baseline, and the digest of its content as it was found."""

    baseline: Baseline
    digest: str


class _Mark(msgspec.Struct):
    """What tells a baseline, and its format, before the rest is looked at."""

    format: int
    name: msgspec.Raw


def read_baseline(path: str | Path) -> Baseline:
    """Read and check a baseline file.

    Raises:
        CannotJudge: it is missing, unreadable, too large, not a baseline, of
            another format, or contradicts itself.
    """
    return parse_baseline(_read_bytes(path), path)


def parse_baseline(data: bytes, path: str | Path) -> Baseline:
    """Decode and check a baseline's text.

    Args:
        data: UTF-8.
        path: where it was read, for messages only.

    Raises:
        CannotJudge: it is empty, too large, not a baseline, of another format, changed since
            it was recorded, or contradicts itself.
    """
    baseline, found = _decoded(data, path)
    if found != baseline.sha256:
        raise CannotJudge(
            f"{path}: sha256 of its content is {found[:12]}..., it says "
            f"{baseline.sha256[:12] or 'nothing'}...; edited or badly merged, {RECORD}"
        )
    return consistent(msgspec.structs.replace(baseline, sha256=""), path)


def decoded(data: bytes, path: str | Path) -> Baseline:
    """Return a baseline as it stands there, its figures within their bounds."""
    return _decoded(data, path).baseline


def _decoded(data: bytes, path: str | Path) -> _Decoded:
    if len(data) > MAX_BYTES:
        raise CannotJudge(f"{path}: larger than {MAX_BYTES} bytes, no baseline; {RECORD}")
    if not data.strip():
        raise CannotJudge(f"{path}: empty, expected a baseline; {RECORD}")
    try:
        mark = msgspec.json.decode(data, type=_Mark)
        if mark.format != FORMAT:
            raise CannotJudge(
                f"{path}: baseline format {mark.format}, this release reads {FORMAT}; "
                + ("update mt-gate" if mark.format > FORMAT else RECORD)
            )
        return _Decoded(msgspec.json.decode(data, type=Baseline), digest_of(data))
    except msgspec.ValidationError as error:
        raise CannotJudge(f"{path}: not a baseline ({reported(error)}); {RECORD}") from None
    except (msgspec.DecodeError, UnicodeError, OverflowError) as error:
        found = f"broken or cut off, not JSON ({reported(error)})"
        raise CannotJudge(f"{path}: {found}; {RECORD}") from None
    except RecursionError:
        raise CannotJudge(f"{path}: nested too deeply to be a baseline; {RECORD}") from None


def consistent(baseline: Baseline, path: str | Path) -> Baseline:
    """Return the baseline if it does not contradict itself."""
    if contradiction := next(_contradictions(baseline), None):
        raise CannotJudge(f"{path}: {contradiction}; edited or badly merged, {RECORD}")
    return baseline


def _first(path: str | Path) -> str:
    """Say how the first baseline of that name comes about: of a run that is judged by none."""
    return (
        "record one: mt-gate run without --baseline, then mt-gate baseline record its --out folder "
        f"with --name {shlex.quote(Path(path).stem)}, and commit what it writes"
    )


def _read_bytes(path: str | Path) -> bytes:
    there = os.path.lexists(path)
    advice = RECORD if there else _first(path)
    return files.read_whole(Path(path), limit=MAX_BYTES, cause=f"expected a baseline; {advice}")


def _contradictions(baseline: Baseline) -> Iterator[str]:
    """Say where a file disagrees with itself."""
    if not NAME.fullmatch(baseline.name):
        yield f"name {quoted(baseline.name)}, expected a plain file name"
    for run in baseline.runs:
        ids = tuple(relation.id for relation in run.relations)
        if ids != baseline.settings.relations:
            named = ", ".join(baseline.settings.relations)[:200]
            yield f"relations {', '.join(ids)[:200] or 'none'}, its settings name {named or 'none'}"
    yield from _of_runs(baseline.runs)
    if baseline.anchor is not None:
        yield from (f"anchor: {found}" for found in _of_runs(baseline.anchor.runs))


def _of_runs(runs: tuple[BaselineRun, ...]) -> Iterator[str]:
    """Say where runs disagree with one another, or one with itself."""
    yield from _repeated("run", [run.id for run in runs if run.id])
    if len({tuple(relation.id for relation in run.relations) for run in runs}) > 1:
        yield "runs of other relations than the first"
    for run in runs:
        if run.labelled is not None:
            yield from (f"labelled: {fault}" for fault in faults(run.labelled))
        yield from _repeated("relation", [relation.id for relation in run.relations])
        yield from _repeated("group", [g for r in run.relations for g in _group_ids(r)])
        for relation in run.relations:
            yield from _miscounted(relation)
            yield from _unknown_unstable(relation)
            yield from _not_silent(relation)
            yield from _strange_margins(relation)


def _repeated(kind: str, ids: list[str]) -> Iterator[str]:
    if len(set(ids)) < len(ids):
        yield f"{kind} {Counter(ids).most_common(1)[0][0]} is listed twice"


def _miscounted(relation: BaselineRelation) -> Iterator[str]:
    """Hold the counts against the lists; of bound groups only some are listed."""
    if relation.sources if not relation.bound else _group_lists(relation):
        yield f"{relation.id}: lists groups by source and by verdict, expected one of the two"
    for source, (applicable, violated) in relation.sources.items():
        if len(violated) > applicable:
            yield f"{relation.id}: {source} has {len(violated)} violated of {applicable}"
    if relation.groups != relation.applicable + sum(relation.not_applicable.values()):
        yield f"{relation.id}: {relation.groups} groups, its counts add up to another number"
    for what, counted, listed in _listed(relation):
        if counted != listed:
            yield f"{relation.id}: counts {counted} {what}, lists {listed}"


def _unknown_unstable(relation: BaselineRelation) -> Iterator[str]:
    """Hold the unstable units against those that the relation lists."""
    if not (unstable := relation.unstable_groups):
        return
    yield from _repeated("unstable group", list(unstable))
    known = relation.sources.keys() if relation.bound else set(_group_ids(relation))
    if unknown := len(set(unstable) - known):
        yield f"{relation.id}: lists {unknown} unstable groups that it does not have"


def _not_silent(relation: BaselineRelation) -> Iterator[str]:
    """Hold the silent sources against those of which no group is applicable."""
    silent = relation.silent_sources or ()
    yield from _repeated("silent source", list(silent))
    nothing = {source for source, (applicable, _) in relation.sources.items() if not applicable}
    if others := len(set(silent) - nothing):
        yield f"{relation.id}: lists {others} silent sources that it does not have"


def _strange_margins(relation: BaselineRelation) -> Iterator[str]:
    """Hold margins against the units that they are of, and their sides against the verdicts."""
    if not relation.margins:
        return
    units = units_with_margins(relation)
    if len(units) != len(relation.margins):
        yield f"{relation.id}: margins of {len(relation.margins)} units, it has {len(units)}"
        return
    violated = set(relation.violated_groups)
    for unit, some in zip(units, relation.margins, strict=True):
        if relation.bound:
            applicable, lost = relation.sources[unit]
            most, below = applicable, len(lost)
        else:
            most, below = 1, int(unit in violated)
        if len(some) > most or sum(margin < 0 for margin in some) > below:
            yield f"{relation.id}: margins of {unit} do not fit its verdicts"


def _listed(relation: BaselineRelation) -> Iterator[tuple[str, int, int]]:
    """Yield what is counted, the count, and how many the lists hold."""
    if relation.bound:
        sources = relation.sources.values()
        yield "applicable", relation.applicable, sum(applicable for applicable, _ in sources)
        yield "violated", relation.violated, sum(len(violated) for _, violated in sources)
        return
    violated, satisfied = len(relation.violated_groups), len(relation.satisfied_groups)
    yield "applicable", relation.applicable, violated + satisfied
    yield "violated", relation.violated, violated
    for reason in sorted({*relation.not_applicable, *relation.not_applicable_groups}):
        listed = len(relation.not_applicable_groups.get(reason, ()))
        yield f"not applicable ({reason})", relation.not_applicable.get(reason, 0), listed


def _group_lists(relation: BaselineRelation) -> list[Identifiers]:
    """Return the lists by verdict that hold anything."""
    by_reason = relation.not_applicable_groups.values()
    return [ids for ids in (relation.violated_groups, relation.satisfied_groups, *by_reason) if ids]


def _group_ids(relation: BaselineRelation) -> Iterator[str]:
    """Yield every group id that a relation names."""
    for ids in _group_lists(relation):
        yield from ids
    for _, violated in relation.sources.values():
        yield from violated
