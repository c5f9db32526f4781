"""A policy held against what there is: its relations, and today."""

from __future__ import annotations

from mt_gate.base.errors import UsageError, quoted
from mt_gate.relations import catalogue
from mt_gate.settings.policy import Policy, task_of


def check_policy(policy: Policy, task: str, today: str) -> None:
    """Check that a policy names relations that there are, and accepts no loss for too long.

    Args:
        policy: of a run.
        task: of the run; what is accepted of another task is none of its business.
        today: a day as 2027-01-31, in UTC.

    Raises:
        UsageError: a relation is unknown, or an accepted loss has expired.
    """
    for name in policy.named():
        if name not in catalogue.BY_ID:
            known = ", ".join(key for key in catalogue.BY_ID if task_of(key) == task_of(name))
            raise UsageError(f"policy: relation {quoted(name)} is unknown; known: {known}")
    for loss in policy.expired(today):
        if task_of(loss.relation) == task:
            raise UsageError(
                f"policy: the accepted loss of {loss.relation} expired on {loss.expires} "
                f"(owner {loss.owner}: {loss.reason}); remove it, or set a later day under accepted"
            )
