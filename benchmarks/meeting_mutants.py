"""A plugin of pytest that meets mutants with tests, each mutant in a process of its own.

``code_mutants.py`` starts it. mutmut starts pytest again for every mutant, which takes longer than
most tests do. Here each mutant is a fork of a pytest that has collected them; it runs the tests
that reach the mutant until one fails.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from _pytest.runner import runtestprotocol

PLAN = "MT_GATE_MUTANTS"
"""The variable that names the file of a ``Plan``."""
CODE_AS_IT_IS = ""
_MUTANT = "MUTANT_UNDER_TEST"
_TIMES = 5.0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Which mutants to meet.

    ``tests`` are those of each mutant, in their order, ``seconds`` what each test takes on the
    code as it is; on a mutant it may take five times that of a processor, and ``spare`` seconds.
    ``states`` is the file that gets a line for each mutant.
    """

    tests: Mapping[str, Sequence[str]]
    seconds: Mapping[str, float]
    states: str
    spare: float = 5.0


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Meet every mutant of the plan, in place of running each test once."""
    plan = msgspec.json.decode(Path(os.environ[PLAN]).read_bytes(), type=Plan)
    items = {item.nodeid: item for item in session.items}
    with open(plan.states, "w", encoding="utf-8") as states:
        for mutant, tests in plan.tests.items():
            limits = [(items[test], plan.spare + _TIMES * plan.seconds[test]) for test in tests]
            print(f"{mutant}: {_state(mutant, limits)}", file=states, flush=True)
    return True


def _state(mutant: str, items: Sequence[tuple[pytest.Item, float]]) -> str:
    """Return the outcome of a mutant, in mutmut's terms."""
    if not items:
        return "no tests"
    child = os.fork()
    if not child:
        os.environ[_MUTANT] = mutant
        os._exit(_failed(items))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) == signal.SIGVTALRM else "killed"
    return "killed" if os.WEXITSTATUS(status) else "survived"


def _failed(items: Sequence[tuple[pytest.Item, float]]) -> bool:
    """Run tests until one fails; the signal of a test that takes too long ends the process."""
    following = [*(item for item, _ in items[1:]), None]
    try:
        for (item, limit), after in zip(items, following, strict=True):
            signal.setitimer(signal.ITIMER_VIRTUAL, limit)
            reports = runtestprotocol(item, nextitem=after, log=False)
            if any(report.failed for report in reports):
                return True
    except BaseException as error:
        print(f"{os.environ[_MUTANT]}: {error!r}", file=sys.__stderr__, flush=True)
        return True
    return False
