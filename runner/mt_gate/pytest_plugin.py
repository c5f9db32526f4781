"""The pytest plugin: a test function is a gate, and each relation of the gate is a test.

    @pytest.mark.mt_gate(checkpoint="models/ner-new", task="ner", baseline="baselines/ner.json")
    def test_ner(mt_gate_result): ...

Arguments of the mark are those of ``mt_gate.run``. The gate runs once per session, when its first
test needs it. With pytest-xdist, it runs once per process that has such tests; ``--dist loadfile``
puts them in one process. A test runs the function, then fails if its relation fails the build. The
last test checks the verdict, which also covers settings of a whole run, such as ``max_churn``.

pytest imports all plugins when it starts, so this module imports mt-gate only when it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from mt_gate.api import Result
    from mt_gate.base.errors import MtGateError

MARK, FIXTURE, UPDATE = "mt_gate", "mt_gate_result", "--mt-gate-update-baseline"
VERDICT = "verdict"
"""Id of the test of the whole run."""
_RUNS = pytest.StashKey[list[tuple[dict[str, Any], "Result | MtGateError"]]]()
_RECORDED = pytest.StashKey[list[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that records baselines."""
    parser.getgroup("mt-gate").addoption(
        UPDATE,
        action="store_true",
        help="Run the gates without their baselines, and record the results as the new baselines.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(**settings): run mt-gate with these arguments of mt_gate.run, as one test per "
        f"relation; the function has the argument {FIXTURE}",
    )
    config.stash[_RUNS], config.stash[_RECORDED] = [], []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test per relation that the suite's metadata lists, and one for the verdict."""
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None:
        return
    name = metafunc.definition.name
    if FIXTURE not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(
            f"{name} has the mark {MARK}, but not the argument {FIXTURE}. Add it."
        )
    if mark.args:
        raise pytest.Collector.CollectError(f"{name}: use keyword arguments in the mark {MARK}.")
    if metafunc.config.getoption(UPDATE) and hasattr(metafunc.config, "workerinput"):
        raise pytest.Collector.CollectError(f"{UPDATE} does not work with -n. Omit -n.")
    from mt_gate.base.errors import MtGateError

    try:
        ids = [*_relations(mark.kwargs), VERDICT]
    except MtGateError as error:
        raise pytest.Collector.CollectError(f"{name}: {error}") from None
    metafunc.parametrize(FIXTURE, ids, indirect=True)


@pytest.fixture
def mt_gate_result(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Result:
    """Return the result of the gate that the mark describes, an ``mt_gate.Result``."""
    mark = request.node.get_closest_marker(MARK)
    if mark is None:
        pytest.fail(f"{FIXTURE} needs the mark {MARK}.", pytrace=False)
    from mt_gate.base.errors import MtGateError

    runs = request.config.stash[_RUNS]
    result = next((result for settings, result in runs if settings == mark.kwargs), None)
    if result is None:
        try:
            result = _run(dict(mark.kwargs), request.config, tmp_path_factory)
        except MtGateError as error:
            result = error
        runs.append((mark.kwargs, result))
    if isinstance(result, MtGateError):
        pytest.fail(f"mt-gate: {result}", pytrace=False)
    return result


def _relations(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the relations that a gate will run, from the metadata of its suite alone."""
    from mt_gate.domain import LABELS
    from mt_gate.settings.values import checked
    from mt_gate.suites.format import find_suite, read_head, relations_in
    from mt_gate.suites.quick import quick_suites
    from mt_gate.tasks.table import TASKS

    task = checked("task", "task", settings.get("task"))
    suite = os.fspath(settings.get("suite") or TASKS[task].default_suite)
    quick = quick_suites()
    known = relations_in(read_head(find_suite(quick.get(suite, suite), quick))).values()
    yield from checked("relations", "relations", settings.get("relations") or ()) or [
        relation.id for relation in known if relation.default
    ]
    if settings.get("labels"):
        yield f"{task}/{LABELS}"


def _run(
    settings: dict[str, Any], config: pytest.Config, folders: pytest.TempPathFactory
) -> Result:
    """Run a gate; its reports stay after the session, like pytest's other temporary folders."""
    from mt_gate.api import record_baseline, run

    settings.setdefault("out", folders.mktemp("mt-gate"))
    if not config.getoption(UPDATE) or not settings.get("baseline"):
        return run(**settings)
    baseline = Path(settings.pop("baseline"))
    result = run(**settings)
    config.stash[_RECORDED].append(record_baseline(result, baseline))
    return result


@pytest.hookimpl(trylast=True)  # after the test function
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fail the test of a relation that fails the build."""
    if isinstance(item, pytest.Function) and item.get_closest_marker(MARK) is not None:
        relation = str(item.callspec.params[FIXTURE])
        result = cast("Result", item.funcargs[FIXTURE])
        if text := result.failure("" if relation == VERDICT else relation):
            pytest.fail(text, pytrace=False)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List the recorded baselines."""
    for path in config.stash[_RECORDED]:
        terminalreporter.write_line(f"mt-gate: recorded {path}. Commit it.")
