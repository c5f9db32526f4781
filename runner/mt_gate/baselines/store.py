"""The baseline file: read as untrusted text, written whole or not at all.

It holds the verdict of every group, so that a later run can be paired with
it, one id a line, so that a review shows which groups moved. What is read is
checked against its own digest and counts, and against the groups of the run: a
hand edit, a bad merge or a baseline of other groups is found, and is a named
reason not to judge, never a pass.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from mt_gate.base import files
from mt_gate.base.errors import CannotJudge, UsageError, quoted, reported
from mt_gate.base.jsonio import canonical, write_whole
from mt_gate.base.redaction import hide_bytes
from mt_gate.judging.comparison import (
    RelationVerdicts,
    RunVerdicts,
    SourceVerdicts,
    pair,
    verdicts_from_rows,
)
from mt_gate.results.result import (
    BaselineHead,
    CheckpointHead,
    Count,
    Counts,
    GateVerdict,
    GroupRow,
    Identifier,
    Name,
    Profile,
    Result,
    RunSettings,
    SuiteHead,
    Text,
    Tool,
)
from mt_gate.settings.record import MOST_RELATIONS

FORMAT = 2
"""2: a baseline names the digest of its content, and lists every relation of its run."""
MAX_BYTES = 64 * 1024 * 1024
"""A larger file is refused unread; 5,000 groups take about 130 KB."""

_DIGEST = r"\A([0-9a-f]{64})?\Z"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NEEDS_REASON = {GateVerdict.REGRESSION, GateVerdict.COLLAPSE, GateVerdict.CANNOT_JUDGE}

Identifiers = tuple[Identifier, ...]


class BaselineRelation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verdicts of one relation.

    Groups of the suite are listed by id: ``violated_groups``,
    ``satisfied_groups``, and ``not_applicable_groups`` by reason. A ``bound``
    relation has instead, for each source, how many of its groups were
    applicable and the ids of those violated.
    """

    id: Identifier
    bound: bool
    groups: Count
    applicable: Count
    violated: Count
    not_applicable: Counts
    violated_groups: Identifiers = ()
    satisfied_groups: Identifiers = ()
    not_applicable_groups: Mapping[Name, Identifiers] = {}
    sources: Mapping[Identifier, tuple[Count, Identifiers]] = {}


class Baseline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recorded run that later runs are held against.

    ``recorded`` is UTC in ISO 8601; ``accept`` says why a run that regressed,
    or was not whole, was recorded all the same. ``answers_sha256`` is of the text
    in the file of answers beside it, empty where there is none. ``sha256`` is of all the
    rest, on disk; empty in memory.
    """

    format: int
    sha256: Annotated[str, msgspec.Meta(pattern=_DIGEST)] = ""
    tool: Tool
    name: Identifier
    recorded: Name
    accept: Text | None = None
    suite: SuiteHead
    checkpoint: CheckpointHead
    settings: RunSettings
    profile: Profile
    answers_sha256: Annotated[str, msgspec.Meta(pattern=_DIGEST)] = ""
    relations: Annotated[tuple[BaselineRelation, ...], msgspec.Meta(max_length=MOST_RELATIONS)]

    def head(self, path: str | Path) -> BaselineHead:
        """Return what a result says of the baseline it was held against."""
        return BaselineHead(
            path=str(path),
            name=self.name,
            recorded=self.recorded,
            suite_sha256=self.suite.sha256,
            checkpoint_fingerprint=self.checkpoint.fingerprint,
        )

    def verdicts(self) -> dict[str, RelationVerdicts]:
        """Return the verdicts by relation, as ``comparison.compare`` takes them."""
        return {relation.id: _verdicts(relation) for relation in self.relations}


class BaselineSource(NamedTuple):
    """What stands in for a baseline's file, and what is to be told of it.

    ``data`` is the file's text, read from ``commit``; with None the file itself is
    read. ``notes`` are sentences for the result. ``answers`` is the file of answers of the
    same commit, packed, as far as there is one.
    """

    data: bytes | None = None
    commit: str = ""
    notes: tuple[str, ...] = ()
    answers: bytes | None = None


class _Mark(msgspec.Struct):
    """What tells a baseline, and its format, before the rest is looked at."""

    format: int
    relations: msgspec.Raw


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDiff:
    """How one relation moved from baseline ``a`` to ``b``; None where it is absent.

    Ids are sorted. Only groups with a verdict in both count as moved.
    """

    id: str
    a: BaselineRelation | None
    b: BaselineRelation | None
    newly_violated: tuple[str, ...]
    fixed: tuple[str, ...]
    only_a: int
    only_b: int

    @property
    def rates(self) -> tuple[float | None, float | None]:
        """Violation rates in ``a`` and ``b``; None where nothing was applicable."""
        return _rate(self.a), _rate(self.b)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineDiff:
    """Two baselines side by side; with other suites the ids may not meet."""

    a: Baseline
    b: Baseline
    same_suite: bool
    relations: tuple[RelationDiff, ...]


def check_name(name: str) -> str:
    """Return the name if it can be a file's name anywhere.

    Raises:
        UsageError: it has another character, or starts with one that is no letter or digit.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"baseline name {quoted(name)}: expected letters, digits, '.', '_' and '-', starting "
            "with a letter or digit, at most 100 in all"
        )
    return name


def baseline_path(folder: str | Path, name: str) -> Path:
    """Return ``folder/<name>.json``; raises UsageError as ``check_name`` does."""
    return Path(folder) / f"{check_name(name)}.json"


def check_recordable(result: Result, accept: str | None) -> None:
    """Refuse to record a bad or partial run that nobody has accepted.

    Raises:
        UsageError: the run needs ``--accept`` and a reason, and has none.
    """
    if accept is not None and not accept.strip():
        raise UsageError('--accept: the reason is empty, expected a sentence; --accept "reason"')
    if accept is not None:
        return
    advice = 'record it anyway with --accept "reason"'
    if result.verdict in _NEEDS_REASON:
        raise UsageError(f"the run's verdict is {result.verdict.value}; {advice}")
    if not result.settings.complete:
        raise UsageError(f"the run is partial, it left out a part of the suite; {advice}")


def build_baseline(
    result: Result,
    rows: Iterable[GroupRow],
    name: str,
    recorded: str,
    accept: str | None = None,
) -> Baseline:
    """Make a baseline of a run.

    Args:
        result: of the run.
        rows: its groups, which are those that it counts.
        name: of the file, without folder and ending.
        recorded: now, UTC in ISO 8601.
        accept: why this run is good enough, see ``check_recordable``.

    Raises:
        UsageError: the name cannot be a file's name.
        CannotJudge: a group appears twice, or the baseline could not be read again.
    """
    verdicts = verdicts_from_rows(rows)
    baseline = Baseline(
        format=FORMAT,
        tool=result.tool,
        name=check_name(name),
        recorded=recorded,
        accept=accept,
        suite=result.suite,
        checkpoint=result.checkpoint,
        settings=result.settings,
        profile=result.profile.candidate,
        relations=tuple(
            _relation(verdicts.get(relation.id, RelationVerdicts(id=relation.id)))
            for relation in result.relations
        ),
    )
    # Recorded is only what can be read again: an id too long is told now, not next week.
    # Of a path the undecodable bytes; secrets go before the digest is taken.
    text = hide_bytes(_text(baseline).encode("utf-8", "replace"))
    return _consistent(_decoded(text, f"baseline {name}"), f"baseline {name}")


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
    read = _decoded(data, path)
    baseline = msgspec.structs.replace(read, sha256="")
    if (found := _digest(baseline)) != read.sha256:
        raise CannotJudge(
            f"{path}: sha256 of its content is {found[:12]}..., it says "
            f"{read.sha256[:12] or 'nothing'}...; edited or badly merged, {_RECORD}"
        )
    return _consistent(baseline, path)


def _decoded(data: bytes, path: str | Path) -> Baseline:
    """Return a baseline as it stands there, its figures within their bounds."""
    if len(data) > MAX_BYTES:
        raise CannotJudge(f"{path}: larger than {MAX_BYTES} bytes, no baseline; {_RECORD}")
    if not data.strip():
        raise CannotJudge(f"{path}: empty, expected a baseline; {_RECORD}")
    try:
        mark = msgspec.json.decode(data, type=_Mark)
        if mark.format != FORMAT:
            raise CannotJudge(
                f"{path}: baseline format {mark.format}, this release reads {FORMAT}; "
                + _advice_on_format(mark.format)
            )
        return msgspec.json.decode(data, type=Baseline)
    except msgspec.ValidationError as error:
        raise CannotJudge(f"{path}: not a baseline ({reported(error)}); {_RECORD}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        found = f"broken or cut off, not JSON ({reported(error)})"
        raise CannotJudge(f"{path}: {found}; {_RECORD}") from None
    except RecursionError:
        raise CannotJudge(f"{path}: nested too deeply to be a baseline; {_RECORD}") from None


def _consistent(baseline: Baseline, path: str | Path) -> Baseline:
    """Return the baseline if it does not contradict itself."""
    if contradiction := next(_contradictions(baseline), None):
        raise CannotJudge(f"{path}: {contradiction}; edited or badly merged, {_RECORD}")
    return baseline


def check_fits(baseline: Baseline, suite: SuiteHead, path: str | Path | None = None) -> None:
    """Check that a baseline is of the suite that is run now.

    Raises:
        CannotJudge: it is of another task, suite, version or content.
    """
    where = path or f"baseline {baseline.name}"
    for part, found, expected in (
        ("task", baseline.suite.task, suite.task),
        ("suite", baseline.suite.name, suite.name),
        ("suite version", baseline.suite.version, suite.version),
        ("suite sha256", baseline.suite.sha256, suite.sha256),
    ):
        if found != expected:
            raise CannotJudge(
                f"{where}: {part} {found:.80}, this run has {expected}{_of_a_part(suite)}; "
                f"{_RECORD}"
            )


class Units(NamedTuple):
    """What a run counts a relation in: its groups, or the sources of one that is bound."""

    bound: bool
    ids: Set[str]


def units_of_run(verdicts: RunVerdicts, relations: Iterable[str]) -> dict[str, Units]:
    """Return the units of each relation of a run, of its own verdicts."""
    nothing = RelationVerdicts(id="")
    return {relation: _units_of(verdicts.get(relation, nothing)) for relation in relations}


def check_covers(baseline: Baseline, asked: Mapping[str, Units], path: str | Path) -> None:
    """Check that a baseline has the very groups that a run of its suite asks for.

    Relations that the run leaves out are not looked at.

    Args:
        baseline: of the run's suite, see ``check_fits``.
        asked: units of each relation of the run.
        path: of the baseline, for the message.

    Raises:
        CannotJudge: a relation is missing there, or has other groups.
    """
    verdicts = baseline.verdicts()
    for relation, units in asked.items():
        if relation not in verdicts:
            raise CannotJudge(
                f"{path}: no relation {relation}, which this run has; {_RECORD}, or leave it out "
                "with --relations"
            )
        old = _units_of(verdicts[relation])
        missing, other = len(units.ids - old.ids), len(old.ids - units.ids)
        if missing or other:
            what = "sources" if units.bound else "groups"
            raise CannotJudge(
                f"{path}: {relation}: {missing} of this run's {len(units.ids)} {what} are not in "
                f"it, {other} of its own not in this run; expected the {what} of one suite; "
                f"{_RECORD}"
            )
        if old.bound != units.bound and units.ids:
            raise CannotJudge(
                f"{path}: {relation}: expected its groups by {'source' if units.bound else 'id'}; "
                f"{_RECORD}"
            )


def _units_of(verdicts: RelationVerdicts) -> Units:
    ids = verdicts.sources.keys() if verdicts.bound else verdicts.groups
    return Units(verdicts.bound, ids)


def write_baseline(path: str | Path, baseline: Baseline) -> None:
    """Write a baseline, whole or not at all.

    Raises:
        UsageError: the file system refused; the old file is as it was.
    """
    try:
        write_whole(Path(path), format_baseline(baseline))
        sync_folder(Path(path).parent)
    except OSError as error:
        raise UsageError(
            f"{path}: could not be written ({error.strerror}), nothing was changed; expected a "
            "folder with room that this user may write to"
        ) from error


def diff_baselines(a: Baseline, b: Baseline) -> BaselineDiff:
    """Compare two baselines relation by relation, without judging."""
    ids = dict.fromkeys(relation.id for relation in (*a.relations, *b.relations))
    in_a = {relation.id: relation for relation in a.relations}
    in_b = {relation.id: relation for relation in b.relations}
    return BaselineDiff(
        a=a,
        b=b,
        same_suite=a.suite == b.suite,
        relations=tuple(
            _diff(relation, in_a.get(relation), in_b.get(relation)) for relation in ids
        ),
    )


def format_baseline(baseline: Baseline) -> str:
    """Return the file's text: keys in one order, an id a line, the same every time."""
    return _text(msgspec.structs.replace(baseline, sha256=_digest(baseline)))


def _digest(baseline: Baseline) -> str:
    """Return the sha256 of a baseline's content, whatever it says of itself."""
    return hashlib.sha256(canonical(msgspec.structs.replace(baseline, sha256=""))).hexdigest()


def _text(baseline: Baseline) -> str:
    fields = [
        _field("format", baseline.format),
        *([_field("sha256", baseline.sha256)] if baseline.sha256 else []),
        _field("tool", baseline.tool),
        _field("name", baseline.name),
        _field("recorded", baseline.recorded),
        *([] if baseline.accept is None else [_field("accept", baseline.accept)]),
        _field("suite", baseline.suite),
        _field("checkpoint", baseline.checkpoint),
        _field("settings", baseline.settings),
        _field("profile", dict(sorted(baseline.profile.items()))),
        *([_field("answers_sha256", baseline.answers_sha256)] if baseline.answers_sha256 else []),
    ]
    relations = ",\n".join(map(_format_relation, baseline.relations))
    return "{\n" + ",\n".join(fields) + ',\n"relations": [' + relations + "]\n}\n"


_RECORD = "record a new baseline with mt-gate baseline record"


def _first(path: str | Path) -> str:
    """Say how the first baseline of that name comes about: of a run that is judged by none."""
    return (
        "record one: mt-gate run without --baseline, then mt-gate baseline record its --out folder "
        f"with --name {shlex.quote(Path(path).stem)}, and commit what it writes"
    )


def _of_a_part(suite: SuiteHead) -> str:
    """Say that a run asks for a part of its suite: a baseline must be of the very same part."""
    return f" (a part of {suite.name}: {', '.join(suite.part)})" if suite.part else ""


def _advice_on_format(found: int) -> str:
    return "update mt-gate" if found > FORMAT else _RECORD


def _read_bytes(path: str | Path) -> bytes:
    there = os.path.lexists(path)
    advice = _RECORD if there else _first(path)
    return files.read_whole(Path(path), limit=MAX_BYTES, cause=f"expected a baseline; {advice}")


def _contradictions(baseline: Baseline) -> Iterator[str]:
    """Say where a file disagrees with itself."""
    if not _NAME.fullmatch(baseline.name):
        yield f"name {quoted(baseline.name)}, expected a plain file name"
    ids = tuple(relation.id for relation in baseline.relations)
    yield from _repeated("relation", list(ids))
    if ids != baseline.settings.relations:
        named = ", ".join(baseline.settings.relations)[:200]
        yield f"relations {', '.join(ids)[:200] or 'none'}, its settings name {named or 'none'}"
    yield from _repeated("group", [g for r in baseline.relations for g in _group_ids(r)])
    for relation in baseline.relations:
        yield from _miscounted(relation)


def _repeated(kind: str, ids: list[str]) -> Iterator[str]:
    if len(set(ids)) < len(ids):
        yield f"{kind} {Counter(ids).most_common(1)[0][0]} stands there twice"


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


def _relation(verdicts: RelationVerdicts) -> BaselineRelation:
    """Reduce a run's verdicts on one relation to what a baseline keeps."""
    counts = BaselineRelation(
        id=verdicts.id,
        bound=verdicts.bound,
        groups=len(verdicts.groups),
        applicable=len(verdicts.applicable),
        violated=len(verdicts.violated),
        not_applicable={reason: len(ids) for reason, ids in verdicts.not_applicable.items()},
    )
    if verdicts.bound:
        return msgspec.structs.replace(
            counts,
            sources={
                source: (of.applicable, tuple(sorted(of.violated)))
                for source, of in verdicts.sources.items()
            },
        )
    return msgspec.structs.replace(
        counts,
        violated_groups=tuple(sorted(verdicts.violated)),
        satisfied_groups=tuple(sorted(verdicts.satisfied)),
        not_applicable_groups={
            reason: tuple(sorted(ids)) for reason, ids in verdicts.not_applicable.items()
        },
    )


def _verdicts(relation: BaselineRelation) -> RelationVerdicts:
    """Return what the comparison takes; of bound groups only the violated are known."""
    sources = {
        source: SourceVerdicts(applicable, frozenset(violated))
        for source, (applicable, violated) in relation.sources.items()
    }
    bound_violated = frozenset[str]().union(*(of.violated for of in sources.values()))
    return RelationVerdicts(
        id=relation.id,
        bound=relation.bound,
        violated=frozenset(relation.violated_groups) | bound_violated,
        satisfied=frozenset(relation.satisfied_groups),
        not_applicable={
            reason: frozenset(ids) for reason, ids in relation.not_applicable_groups.items()
        },
        sources=sources,
    )


def _rate(relation: BaselineRelation | None) -> float | None:
    if relation is None or not relation.applicable:
        return None
    return relation.violated / relation.applicable


def _diff(relation: str, a: BaselineRelation | None, b: BaselineRelation | None) -> RelationDiff:
    old, new = (_verdicts(side) if side else RelationVerdicts(id=relation) for side in (a, b))
    moved = pair(new, old)
    ids_a, ids_b = _units(old), _units(new)
    return RelationDiff(
        id=relation,
        a=a,
        b=b,
        newly_violated=tuple(sorted(moved.new)),
        fixed=tuple(sorted(moved.fixed)),
        only_a=len(ids_a - ids_b),
        only_b=len(ids_b - ids_a),
    )


def _units(verdicts: RelationVerdicts) -> frozenset[str]:
    """Return the groups applicable, or the sources with such a group."""
    if not verdicts.bound:
        return verdicts.applicable
    return frozenset(source for source, of in verdicts.sources.items() if of.applicable)


def _field(name: str, value: object) -> str:
    return f"{_json(name)}: {json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=1)}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _format_relation(relation: BaselineRelation) -> str:
    fields = [
        _field("id", relation.id),
        _field("bound", relation.bound),
        _field("groups", relation.groups),
        _field("applicable", relation.applicable),
        _field("violated", relation.violated),
        f'"not_applicable": {_json(dict(sorted(relation.not_applicable.items())))}',
    ]
    if relation.bound:
        lines = [f"{_json(key)}: {_json(value)}" for key, value in sorted(relation.sources.items())]
        fields.append(f'"sources": {_block("{", lines, "}")}')
    else:
        by_reason = sorted(relation.not_applicable_groups.items())
        lists = [f"{_json(reason)}: {_id_lines(ids)}" for reason, ids in by_reason]
        fields.append(f'"violated_groups": {_id_lines(relation.violated_groups)}')
        fields.append(f'"satisfied_groups": {_id_lines(relation.satisfied_groups)}')
        fields.append(f'"not_applicable_groups": {_block("{", lists, "}")}')
    return "{\n" + ",\n".join(fields) + "\n}"


def _id_lines(ids: Iterable[str]) -> str:
    return _block("[", list(map(_json, ids)), "]")


def _block(opening: str, lines: list[str], closing: str) -> str:
    """Return an array or object with an entry a line."""
    return f"{opening}\n" + ",\n".join(lines) + f"\n{closing}" if lines else opening + closing


def sync_folder(folder: Path) -> None:
    """Make the rename last through a power cut, where folders can be synced."""
    # Windows and some network folders refuse; the file is in place all the same.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
