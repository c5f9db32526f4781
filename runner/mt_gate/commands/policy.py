"""``mt-gate policy``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mt_gate.base.console import say, warn_on_failure
from mt_gate.commands import options


@click.group()
def policy() -> None:
    """Check which regressions a policy can detect."""


@policy.command()
@click.argument("result", type=options.PATH)
@options.setting("baseline", "the baseline of RESULT")
@options.CONFIG_FILE
@options.DECIDING_AGAIN
def check(result: Path, baseline: Path | None, config: Path | None, **values: Any) -> None:
    """Show the minimum detectable regression of a policy, by tier.

    RESULT is a run of the suite. The more it differs from the baseline, the less can be detected.
    """
    from mt_gate.reporting.words.tables import show_policy
    from mt_gate.reporting.words.texts import relation_texts
    from mt_gate.results.store import result_file
    from mt_gate.stored_results import checked_policy

    policy_check = checked_policy(result_file(result), baseline, config, values)
    warn_on_failure("the table", lambda: show_policy(policy_check, relation_texts()), say)
