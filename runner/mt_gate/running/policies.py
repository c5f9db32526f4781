"""A policy held against what there is: its relations, and today."""

from __future__ import annotations

from collections.abc import Collection

from mt_gate.base.errors import UsageError, quoted
from mt_gate.relations import catalogue
from mt_gate.settings.policy import Policy, task_of


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
    for loss in policy.expired(today):
        if task_of(loss.relation) == task:
            raise UsageError(
                f"policy: the accepted loss of {loss.relation} expired on {loss.expires} "
                f"(owner {loss.owner}: {loss.reason}); remove it, or set a later day under accepted"
            )
