"""Runs in a container that may do nothing but read its inputs and write one folder."""

from __future__ import annotations

import pytest

from end_to_end.containers import IMAGE, Engine
from locked_down import NOBODY, SOURCES, cases, outcomes


@pytest.mark.parametrize("user", ["", NOBODY], ids=["root", "nobody"])
def test_runs_need_nothing_but_their_folder(engine: Engine, user: str) -> None:
    actual = [*outcomes(engine.program, IMAGE, user, SOURCES, engine.environment)]
    assert [outcome for outcome in actual if outcome.is_wrong] == []
    assert len(actual) == len(cases(SOURCES))
    assert {0, 2} <= {outcome.code for outcome in actual}
