"""Count which edits change checkpoints' predictions (``mt-gate suite bite``), and store the counts.

Such a file decides which cases a suite takes. Rates of the same checkpoints on that suite are
biased, so the file states its use, and the suite lists the checkpoints.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.base.escaping import one_line
from mt_gate.base.figures import count, percent
from mt_gate.base.files import decode_json, read_whole
from mt_gate.domain import Verdict
from mt_gate.relations.base import is_known_answer
from mt_gate.reporting.words.tables import stratum_in_words
from mt_gate.results.result import Count, GroupRow, Name, Rate, Result, short_fingerprint
from mt_gate.results.store import GROUPS, read_result, read_rows, result_file
from mt_gate.suites.format import Checkpoint, Suite, check_input, find_suite, read_suite
from mt_gate.tasks.table import TASKS
from mt_gate_suites.measures.changed_words import edit_of

CHOOSING, REPORTING = "choosing", "reporting"
"""Use of the figures: to choose cases, or to report on the chosen cases."""
FORMAT = 1
MAX_BITE = 64 << 20
LEAST_OF_EDIT, LEAST_OF_STRATUM = 5, 50
"""Groups of an edit, or of a kind, from which on it says something that none is ever violated."""
_CAUSE = "Write it again: mt-gate suite bite SUITE --runs DIR... --write FILE"


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over the runs.

    ``groups`` are applicable in a run or more, ``never`` of these are violated in none.
    ``compared`` are applicable in two runs or more, ``flips`` of these are violated in one and
    satisfied in another. ``judged`` adds up the applicable groups of all runs, ``violated`` the
    violated ones. Shares are None if there is nothing to have a share of.
    """

    groups: Count
    never: Count
    compared: Count
    flips: Count
    judged: Count
    violated: Count
    violation_rate: Rate | None
    flip_share: Rate | None
    never_share: Rate | None


class RelationBite(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a relation, of its subtypes, and of its edits by removed and added words."""

    id: Name
    figures: Figures
    strata: Annotated[Mapping[Name, Figures], Meta(max_length=1000)]
    edits: Annotated[Mapping[str, Figures], Meta(max_length=1_000_000)]


class Bite(msgspec.Struct, frozen=True, kw_only=True):
    """Results of some checkpoints on a suite; ``use`` is ``CHOOSING`` or ``REPORTING``."""

    format: Annotated[int, Meta(ge=1, le=FORMAT)]
    use: Annotated[str, Meta(pattern=rf"\A({CHOOSING}|{REPORTING})\Z")]
    suite: Name
    version: Name
    sha256: Name
    checkpoints: Annotated[tuple[Checkpoint, ...], Meta(max_length=100)]
    relations: Annotated[tuple[RelationBite, ...], Meta(max_length=1000)]


class Choice(NamedTuple):
    """The figures that cases are chosen with, and the digest of their file."""

    bite: Bite
    digest: str

    def gives_way(self, relation: str, edit: str, stratum: str) -> bool:
        """Whether no checkpoint ever violated this edit, or any of its kind."""
        by_id = {one.id: one for one in self.bite.relations}
        own = by_id[relation].edits.get(edit) if relation in by_id else None
        return _is_dull(own, LEAST_OF_EDIT) or self.is_dull_kind(relation, stratum)

    def is_dull_kind(self, relation: str, stratum: str) -> bool:
        """Whether no checkpoint ever violated a group of this kind of edit."""
        by_id = {one.id: one for one in self.bite.relations}
        own = by_id[relation].strata.get(stratum) if relation in by_id else None
        return _is_dull(own, LEAST_OF_STRATUM)


def _is_dull(figures: Figures | None, least: int) -> bool:
    return figures is not None and figures.never == figures.groups >= least


def read_choice(path: Path) -> Choice:
    """Read a file of figures that a suite may be chosen by.

    Raises:
        UsageError: it is missing or none, or its figures are there to be reported.
    """
    try:
        data = read_whole(path, limit=MAX_BITE, cause=_CAUSE)
        bite = decode_json(data, Bite, path=path, cause=_CAUSE)
    except CannotJudge as error:
        raise UsageError(str(error)) from None
    if bite.use != CHOOSING:
        raise UsageError(
            f"{path} has figures for {bite.use}. Expected figures for {CHOOSING}, from checkpoints "
            f"that are not reported. {_CAUSE}"
        )
    return Choice(bite, hashlib.sha256(data).hexdigest())


MOST = 26
"""Most runs in one call."""
Label = tuple[str, str, str]
"""The unit in which a case is counted: its relation, subtype and edit."""
_HEAD = ("", "groups", "violated", "flip", "never violated")
_WIDEST = 60
"""Characters of an edit that are shown."""


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
    head, task = suite.head, TASKS[suite.head.task]
    files = [result_file(path) for path in runs]
    if len(files) > MOST:
        raise UsageError(f"At most {MOST} runs are allowed (got {len(files)}). Omit some.")
    results = [read_result(file) for file in files]
    _check_runs(files, results, suite, choosing=choosing)
    inputs = {source.id: source.input for source in suite.sources}
    labels: dict[str, Label] = {
        group.id: (
            group.relation,
            group.stratum,
            edit_of(task, inputs[group.source], group.follow_up).name,
        )
        for group in suite.groups
        if not is_known_answer(group.relation)
    }
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for file, result in zip(files, results, strict=True):
        for row in read_rows(file, result):
            if row.verdict is Verdict.NOT_APPLICABLE:
                continue
            if row.id not in labels:
                labels[row.id] = _label_of_bound(file, row, suite)
            verdicts[row.id].append(row.verdict is Verdict.VIOLATED)
    return Bite(
        format=FORMAT,
        use=CHOOSING if choosing else REPORTING,
        suite=head.name,
        version=head.version,
        sha256=suite.identity.sha256,
        checkpoints=tuple(
            Checkpoint(name=one.checkpoint.name, fingerprint=one.checkpoint.fingerprint)
            for one in results
        ),
        relations=tuple(_relations(suite, labels, verdicts)),
    )


def _check_runs(
    files: Sequence[Path], results: Sequence[Result], suite: Suite, *, choosing: bool
) -> None:
    """Reject runs of another suite, of one checkpoint, or of one that the suite was chosen by."""
    head, identity = suite.head, suite.identity
    chose = {checkpoint.fingerprint for checkpoint in head.chosen_by}
    seen: dict[str, Path] = {}
    for file, result in zip(files, results, strict=True):
        own, fingerprint = result.suite, result.checkpoint.fingerprint
        shown = short_fingerprint(fingerprint, 12)
        # A part of the suite, or another ontology, is no other suite.
        same = msgspec.structs.replace(suite, part=own.part, ontology=own.ontology).identity
        if own.sha256 != same.sha256:
            raise UsageError(
                f"{file} is a run of suite {own.name} {own.version} ({own.sha256[:12]}). Expected "
                f"runs of {head.name} {head.version} ({identity.sha256[:12]}) or of a subset of it."
            )
        if not fingerprint:
            raise UsageError(
                f"{file}: its system has no fingerprint. Pass runs of checkpoints, which have one."
            )
        if fingerprint in seen:
            raise UsageError(
                f"{file} is of the same checkpoint as {seen[fingerprint]} ({shown}). Omit one."
            )
        if fingerprint in chose and not choosing:
            raise UsageError(
                f"{file}: checkpoint {quoted(result.checkpoint.name)} ({shown}) was used to choose "
                f"the cases of suite {head.name}. Pass runs of held-out checkpoints."
            )
        seen[fingerprint] = file


def _label_of_bound(file: Path, row: GroupRow, suite: Suite) -> Label:
    """Return the label of a group that its run built from the answers."""
    where, task = file.parent / GROUPS, TASKS[suite.head.task]
    bound = {relation.id for relation in suite.head.relations if relation.bound}
    if row.relation not in bound or row.follow_up is None:
        raise CannotJudge(
            f"{where}: case {quoted(row.id)} is not in suite {suite.head.name}. Run 'mt-gate run' "
            "again."
        )
    check_input(where, row.id, task, row.source)
    check_input(where, row.id, task, row.follow_up)
    return row.relation, row.stratum, edit_of(task, row.source, row.follow_up).name


def _relations(
    suite: Suite, labels: Mapping[str, Label], verdicts: Mapping[str, list[bool]]
) -> Iterator[RelationBite]:
    for item in suite.head.relations:
        every: list[list[bool]] = []
        strata: dict[str, list[list[bool]]] = defaultdict(list)
        edits: dict[str, list[list[bool]]] = defaultdict(list)
        for group, violations in verdicts.items():
            relation, stratum, edit = labels[group]
            if relation == item.id:
                every.append(violations)
                edits[edit].append(violations)
                if stratum:
                    strata[stratum].append(violations)
        yield RelationBite(
            id=item.id,
            figures=_figures(every),
            strata={name: _figures(strata[name]) for name in sorted(strata)},
            edits={name: _figures(edits[name]) for name in sorted(edits)},
        )


def _figures(groups: Sequence[Sequence[bool]]) -> Figures:
    """Count groups, each as whether each of its applicable runs violates it."""

    def share(part: int, of: int) -> float | None:
        return round(part / of, 6) if of else None

    compared = [group for group in groups if len(group) > 1]
    never = sum(not any(group) for group in groups)
    flips = sum(any(group) and not all(group) for group in compared)
    judged, violated = sum(map(len, groups)), sum(map(sum, groups))
    return Figures(
        groups=len(groups),
        never=never,
        compared=len(compared),
        flips=flips,
        judged=judged,
        violated=violated,
        violation_rate=share(violated, judged),
        flip_share=share(flips, len(compared)),
        never_share=share(never, len(groups)),
    )


def as_table(bite: Bite, edits: int) -> str:
    """Return the figures for people, with so many of each relation's most frequent edits."""
    rows = [_HEAD, *(row for relation in bite.relations for row in _rows(relation, edits))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    names = (f"{c.name} ({short_fingerprint(c.fingerprint, 12)})" for c in bite.checkpoints)
    lines = [
        f"{bite.suite}, version {bite.version}: {bite.use} set of {', '.join(names)}",
        "",
        *(
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in rows
        ),
        "",
        "cases: testable in at least one run; violated: of all runs' testable cases; flip: "
        "violated in one run and satisfied in another, of the cases testable in both",
    ]
    return "\n".join(map(one_line, lines))


def _rows(relation: RelationBite, edits: int) -> Iterable[tuple[str, ...]]:
    by_size = sorted(relation.edits.items(), key=lambda item: (-item[1].groups, item[0]))
    named = [
        (relation.id, relation.figures),
        *((f"  {stratum_in_words(name)}", own) for name, own in relation.strata.items()),
        *(
            (f"    {name if len(name) <= _WIDEST else name[: _WIDEST - 1] + '…'}", own)
            for name, own in islice(by_size, edits)
        ),
    ]
    for name, figures in named:
        yield (
            name,
            count(figures.groups),
            percent(figures.violation_rate),
            percent(figures.flip_share),
            f"{count(figures.never)} ({percent(figures.never_share)})",
        )
