"""What stored runs of known checkpoints say of a suite: which of its edits are ever noticed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.jsonio import readable, write_whole
from mt_gate.domain import Verdict
from mt_gate.relations.known_answer import is_known_answer
from mt_gate.results.result import GroupRow, Result, short_fingerprint
from mt_gate.results.store import GROUPS, read_result, read_rows, result_file
from mt_gate.suites.format import Checkpoint, Suite, check_input, find_suite, read_suite
from mt_gate.tasks.table import TASKS
from mt_gate_suites.measures.bite import CHOOSING, FORMAT, REPORTING, Bite, Figures, RelationBite
from mt_gate_suites.measures.changed_words import edit_of

MOST = 26
"""Runs at once."""
Label = tuple[str, str, str]
"""What a group is counted under: its relation, kind of edit and edit."""


def bite_of(name: str, runs: Sequence[Path], *, choosing: bool) -> Bite:
    """Return the figures of a suite over runs of several checkpoints.

    Args:
        name: of a shipped suite, or its folder.
        runs: ``result.json`` of each, or its folder.
        choosing: whether a suite may be chosen by them; else they are to be reported, and none
            may be of a checkpoint that the suite was chosen by.

    Raises:
        UsageError: no such suite, a run of another suite, of a checkpoint without a fingerprint,
            of the same one as another run, or of one that chose.
        CannotJudge: the suite, a result or its groups are missing or unreadable.
    """
    suite = read_suite(find_suite(name))
    files = [result_file(path) for path in runs]
    if len(files) > MOST:
        raise UsageError(f"{len(files)} runs, at most {MOST} expected; omit some")
    results = [read_result(file) for file in files]
    for file, result in zip(files, results, strict=True):
        _check_suite(file, result, suite)
    _check_checkpoints(files, results, suite, choosing=choosing)
    labels = _labels(suite)
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for file, result in zip(files, results, strict=True):
        for row in read_rows(file, result):
            if row.id not in labels and row.verdict is not Verdict.NOT_APPLICABLE:
                labels[row.id] = _label_of_bound(file, row, suite)
            if row.verdict is not Verdict.NOT_APPLICABLE:
                verdicts[row.id].append(row.verdict is Verdict.VIOLATED)
    head = suite.head
    return Bite(
        format=FORMAT,
        use=CHOOSING if choosing else REPORTING,
        suite=head.name,
        version=head.version,
        sha256=suite.identity.sha256,
        checkpoints=tuple(_checkpoint(result) for result in results),
        relations=tuple(_relations(suite, labels, verdicts)),
    )


def write_bite(path: Path, found: Bite) -> None:
    """Write figures that a suite may be chosen by, whole or not at all.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        write_whole(path, readable(found))
    except OSError as error:
        raise UsageError(
            f"--write {path}: cannot be written ({error.strerror}); name another file"
        ) from None


def _check_suite(file: Path, result: Result, suite: Suite) -> None:
    """Refuse a run of another suite; a part of this one, or an ontology, is none."""
    own = result.suite
    same = msgspec.structs.replace(suite, part=own.part, ontology=own.ontology).identity
    if own.sha256 != same.sha256:
        raise UsageError(
            f"{file}: a run of suite {own.name} {own.version} ({own.sha256[:12]}); expected runs "
            f"of {suite.head.name} {suite.head.version} ({suite.identity.sha256[:12]}) or of a "
            "part of it"
        )


def _check_checkpoints(
    files: Sequence[Path], results: Sequence[Result], suite: Suite, *, choosing: bool
) -> None:
    chose = {checkpoint.fingerprint for checkpoint in suite.head.chosen_by}
    seen: dict[str, Path] = {}
    for file, result in zip(files, results, strict=True):
        found = result.checkpoint.fingerprint
        shown = short_fingerprint(found, 12)
        if not found:
            raise UsageError(
                f"{file}: its system has no fingerprint; expected runs of checkpoints, which can "
                "be told apart"
            )
        if found in seen:
            raise UsageError(f"{file}: of the same checkpoint as {seen[found]} ({shown}); omit one")
        if found in chose and not choosing:
            raise UsageError(
                f"{file}: checkpoint {quoted(result.checkpoint.name)} ({shown}) is one that suite "
                f"{suite.head.name} was chosen by; report on checkpoints that took no part"
            )
        seen[found] = file


def _checkpoint(result: Result) -> Checkpoint:
    return Checkpoint(name=result.checkpoint.name, fingerprint=result.checkpoint.fingerprint)


def _labels(suite: Suite) -> dict[str, Label]:
    task = TASKS[suite.head.task]
    inputs = {source.id: source.input for source in suite.sources}
    return {
        group.id: (
            group.relation,
            group.stratum,
            edit_of(task, inputs[group.source], group.follow_up).name,
        )
        for group in suite.groups
        if not is_known_answer(group.relation)
    }


def _label_of_bound(file: Path, row: GroupRow, suite: Suite) -> Label:
    """Return the label of a group that its run built from the answers."""
    where = file.parent / GROUPS
    bound = {relation.id for relation in suite.head.relations if relation.bound}
    if row.relation not in bound or row.follow_up is None:
        raise CannotJudge(
            f"{where}: group {quoted(row.id)} is not in suite {suite.head.name}; run 'mt-gate run' "
            "again"
        )
    task = TASKS[suite.head.task]
    check_input(where, row.id, task, row.source)
    check_input(where, row.id, task, row.follow_up)
    return row.relation, row.stratum, edit_of(task, row.source, row.follow_up).name


def _relations(
    suite: Suite, labels: Mapping[str, Label], verdicts: Mapping[str, list[bool]]
) -> Iterator[RelationBite]:
    of_relation: dict[str, list[list[bool]]] = defaultdict(list)
    strata: dict[str, dict[str, list[list[bool]]]] = defaultdict(lambda: defaultdict(list))
    edits: dict[str, dict[str, list[list[bool]]]] = defaultdict(lambda: defaultdict(list))
    for group, found in verdicts.items():
        relation, stratum, edit = labels[group]
        of_relation[relation].append(found)
        edits[relation][edit].append(found)
        if stratum:
            strata[relation][stratum].append(found)
    for item in suite.head.relations:
        yield RelationBite(
            id=item.id,
            figures=_figures(of_relation[item.id]),
            strata=_each(strata[item.id]),
            edits=_each(edits[item.id]),
        )


def _each(found: Mapping[str, list[list[bool]]]) -> dict[str, Figures]:
    return {name: _figures(found[name]) for name in sorted(found)}


def _figures(groups: Iterable[Sequence[bool]]) -> Figures:
    """Count groups, each given as what its applicable runs say: is it violated."""
    found = list(groups)
    compared = [one for one in found if len(one) > 1]
    never = sum(not any(one) for one in found)
    flips = sum(any(one) and not all(one) for one in compared)
    judged, violated = sum(map(len, found)), sum(map(sum, found))
    return Figures(
        groups=len(found),
        never=never,
        compared=len(compared),
        flips=flips,
        judged=judged,
        violated=violated,
        violation_rate=_share(violated, judged),
        flip_share=_share(flips, len(compared)),
        never_share=_share(never, len(found)),
    )


def _share(part: int, of: int) -> float | None:
    return round(part / of, 6) if of else None
