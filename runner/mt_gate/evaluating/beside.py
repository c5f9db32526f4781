"""Labels beside a run: what share of its violations start from a right answer.

Reading comprehension paper, section 6.2 (RQ2): a violation whose source was
answered right is one that the labels of the source alone could not show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mt_gate.base.errors import CannotJudge, UsageError, quoted
from mt_gate.domain import Verdict
from mt_gate.evaluating.labelled import sample_id
from mt_gate.evaluating.records import ComparedRun, RelationShare, Share
from mt_gate.judging import statistics
from mt_gate.judging.rates import Rate, rates
from mt_gate.results.result import CheckpointHead, GroupRow, Result


def check_same_system(
    result: Result, task: str, head: CheckpointHead, path: Path, given: str
) -> None:
    """Check that a stored run is of the task and the system that is evaluated.

    Raises:
        UsageError: it is of another.
    """
    if result.suite.task != task:
        raise UsageError(
            f"{path}: a run of task {result.suite.task}, the evaluation is of {task}; name a "
            "run of that task"
        )
    of = result.checkpoint
    known = (of.fingerprint, head.fingerprint) if of.fingerprint else (of.name, head.name)
    if known[0] != known[1]:
        raise UsageError(
            f"{given}: {head.fingerprint[:19] or 'no fingerprint'}; the run in {path} was of "
            f"{of.name} ({of.fingerprint[:19] or 'no fingerprint'}); name that system, or a run "
            "of this one"
        )


def beside(
    result: Result, rows: Sequence[GroupRow], path: Path, right: Mapping[str, bool]
) -> ComparedRun:
    """Return a run's violation rates, and how many violations have a source answered right.

    A source is a sample where its whole input equals the sample's.

    Args:
        result: the run.
        rows: its groups.
        path: the run's ``result.json``.
        right: whether the system's answer was right, by sample id.

    Raises:
        CannotJudge: a source stands for two inputs.
    """
    found = rates(result, rows)
    violated = [row for row in rows if row.verdict is Verdict.VIOLATED]
    inputs = {row.source_id: row.source for row in violated}
    known = {source: right.get(sample_id(value)) for source, value in inputs.items()}
    for row in violated:
        if row.source != inputs[row.source_id]:
            raise CannotJudge(
                f"{path.parent}: source {quoted(row.source_id, 80)} has two inputs; expected one; "
                "run 'mt-gate run' again"
            )

    def share(relation: str, rate: Rate) -> RelationShare:
        of = (row.source_id for row in violated if relation in ("", row.relation))
        return _share(relation, rate, of, known)

    return ComparedRun(
        path=str(path),
        created=result.created,
        suite=result.suite,
        relations=tuple(share(name, rate) for name, rate in found.relations.items()),
        overall=share("", found.overall),
    )


def _share(
    relation: str, rate: Rate, violated: Iterable[str], known: Mapping[str, bool | None]
) -> RelationShare:
    sizes = Counter(source for source in violated if known[source] is not None)
    right = sum(size for source, size in sizes.items() if known[source])
    return RelationShare(
        id=relation,
        violation=Share(count=rate.violated, of=rate.applicable, rate=rate.rate, ci95=rate.ci95),
        labelled=sizes.total(),
        sources=len(sizes),
        source_right=_of_sources(right, [*sizes.values()]),
    )


def _of_sources(right: int, sizes: Sequence[int]) -> Share:
    """Return a share of groups whose outcome is their source's."""
    total = sum(sizes)
    if not total:
        return Share(count=0, of=0, rate=None, ci95=None)
    interval = statistics.wilson_clustered(right, sizes)
    return Share(count=right, of=total, rate=right / total, ci95=interval)
