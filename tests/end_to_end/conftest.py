from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from end_to_end import containers, workflows
from end_to_end.containers import Engine
from end_to_end.repository import Change
from end_to_end.workflows import Act, Run
from pull_requests import fake_github, prism
from pull_requests.fake_github import TOKEN, FakeGitHub


@pytest.fixture(scope="session")
def program() -> str:
    return workflows.find()


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """An engine that has the images of this checkout."""
    result = containers.find()
    result.build(containers.MACHINE, Path(__file__).parent / "machine")
    result.build(containers.IMAGE, containers.ROOT, "--target", "run")
    with containers.serving(result) as served:
        try:
            yield served
        finally:
            result.clean()


@pytest.fixture(scope="session")
def act(program: str, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Act:
    return workflows.ready(engine, program, tmp_path_factory.mktemp("act"))


@pytest.fixture(scope="session")
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeGitHub]:
    """The fake behind Prism, which refuses what is not of the form that GitHub describes."""
    folder = tmp_path_factory.mktemp("github")
    description = prism.write_description(folder)
    with (
        fake_github.serving() as fake,
        prism.standing_before(fake.url, description, folder / "prism.log") as url,
    ):
        fake.url = url
        yield fake


@pytest.fixture
def github(_served: FakeGitHub) -> FakeGitHub:
    """GitHub, with nothing in it."""
    _served.forget()
    return _served


@pytest.fixture
def run(act: Act, github: FakeGitHub) -> Callable[[Change], Run]:
    """Run a change's workflows on its event."""

    def run(change: Change) -> Run:
        workspace, event, on = change
        result = act.run(workspace, event, on=on, api=github.url, token=TOKEN)
        assert workflows.CANARY not in str(github.comments)
        return result

    return run
