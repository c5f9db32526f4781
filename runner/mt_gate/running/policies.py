"""A policy held against what there is: its relations, and today."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from mt_gate.base.errors import UsageError, quoted
from mt_gate.base.spelling import nearest, unknown
from mt_gate.relations import catalogue
from mt_gate.results.rules import EVERY_RELATION
from mt_gate.settings.policy import Policy, task_of
from mt_gate.settings.record import Settings
from mt_gate.tasks.table import TASKS


def check_policy(policy: Policy, task: str, today: str, relations: Collection[str] = ()) -> None:
    """Check that a policy names relations that there are, and accepts no loss for too long.

    Args:
        policy: of a run.
        task: of the run; what is accepted of another task is none of its business.
        today: a day as 2027-01-31, in UTC.
        relations: of the run's suite, which may state some that mt-gate does not know. Those of
            another task's suite are not known here, where that task has none of mt-gate's.

    Raises:
        UsageError: a relation is unknown, or an accepted loss has expired.
    """
    for name in policy.named():
        if name in catalogue.BY_ID or name in relations:
            continue
        known = dict.fromkeys((*catalogue.BY_ID, *relations))
        alike = [key for key in known if task_of(key) == task_of(name)]
        if alike or task_of(name) == task:
            listed = ", ".join(alike)
            raise UsageError(f"policy: relation {quoted(name)} is unknown; known: {listed}")
    check_day(policy, task, today)


def check_limits(settings: Settings, relations: Collection[str]) -> None:
    """Check that no limit is of a relation that is misspelt, and would limit nothing.

    A required relation that is missing fails a judged run by itself.

    Args:
        settings: of a run; one file may have those of several suites, and of several tasks.
        relations: of the run's suite.

    Raises:
        UsageError: a relation is unknown, and is spelt much like one that is known, or not at all
            as one is.
    """
    known = {EVERY_RELATION, *catalogue.BY_ID, *relations}
    for name in settings.max_violation_rate:
        if name in known or (task_of(name) in TASKS and not nearest(name, known)):
            continue
        raise UsageError(f"max-violation-rate: {unknown('relation', name, relations)}")


def check_day(
    policy: Policy,
    task: str,
    today: str,
    where: str = "policy",
    todo: str = "remove it, or set a later day under accepted",
) -> None:
    """Check that no loss is accepted for too long, by a run or by who judges its result again.

    Args:
        policy: of a run.
        task: of the run.
        today: a day as 2027-01-31, in UTC.
        where: what has the policy.
        todo: what helps.

    Raises:
        UsageError: an accepted loss of the task has expired.
    """
    for loss in policy.expired(today):
        if task_of(loss.relation) == task:
            raise UsageError(
                f"{where}: the accepted loss of {loss.relation} expired on {loss.expires} "
                f"(owner {loss.owner}: {loss.reason}); {todo}"
            )


def today() -> str:
    """Return the day by which policies are read, in UTC."""
    return datetime.now(UTC).date().isoformat()
